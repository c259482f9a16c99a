"""Stands in for Copilot: the same command line, model protocol and transcript, nothing of its code.

Run as a script: `--version`, or `-p PROMPT`. FAKE_COPILOT names a way to misbehave.
"""

# ruff: noqa: T201 (a program, run as such)

import http.client
import json
import os
import subprocess
import sys
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit

VERSION = "@VERSION@"
TOOLS = [{"type": "function", "function": {"name": name}} for name in ("bash", "imprint-recall")]


def ask(messages, stream):
    base = urlsplit(os.environ["COPILOT_PROVIDER_BASE_URL"])
    connection = http.client.HTTPConnection(base.hostname, base.port, timeout=20)
    body = {"model": os.environ["COPILOT_MODEL"], "messages": messages, "tools": TOOLS}
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    connection.request("POST", f"{base.path}/chat/completions", json.dumps(body))
    answer = connection.getresponse().read()
    connection.close()
    return assemble(answer) if stream else json.loads(answer)["choices"][0]["message"]


def assemble(stream):
    """The message that a stream of events adds up to."""
    message = {"role": "assistant", "content": "", "tool_calls": []}
    for line in stream.decode("utf-8").split("\n\n"):
        if not line or line == "data: [DONE]":
            continue
        for choice in json.loads(line.removeprefix("data: "))["choices"]:
            delta = choice["delta"]
            message["content"] += delta.get("content") or ""
            for call in delta.get("tool_calls", ()):
                if "id" in call:
                    message["tool_calls"].append(call)
                else:
                    made = message["tool_calls"][call["index"]]["function"]
                    made["arguments"] += call["function"]["arguments"]
    return message


def perform(call):
    arguments = json.loads(call["function"]["arguments"])
    if call["function"]["name"] != "bash":
        return f"recalled {arguments}"
    shell = ["/bin/sh", "-c", arguments["command"]]
    return subprocess.run(shell, capture_output=True, encoding="utf-8", check=False).stdout


def converse(prompt, events):
    messages = [{"role": "user", "content": f"<now>\n\n{prompt}"}]
    while True:
        message = ask(messages, stream=True)
        messages.append(message)
        events({"type": "assistant.message", "data": {"content": message["content"]}})
        if not message["tool_calls"]:
            return message["content"]
        for call in message["tool_calls"]:
            result = {"role": "tool", "tool_call_id": call["id"], "content": perform(call)}
            messages.append(result)


def run(prompt):
    folder = Path(os.environ["COPILOT_HOME"]) / "session-state" / str(uuid.uuid4())
    folder.mkdir(parents=True)
    with (folder / "events.jsonl").open("w", encoding="utf-8") as transcript:

        def events(event):
            transcript.write(json.dumps(event) + "\n")
            transcript.flush()

        start = {"copilotVersion": VERSION, "sessionId": folder.name}
        events({"type": "session.start", "data": start})
        print(converse(prompt, events))
        hook = {"hookType": "agentStop", "hookInvocationId": "1"}
        events({"type": "hook.start", "data": hook})
        events({"type": "hook.end", "data": hook | {"success": True}})


def main():
    behaviour = os.environ.get("FAKE_COPILOT", "")
    if behaviour == "hang":
        subprocess.Popen(["/bin/sleep", "300"])
        subprocess.Popen(["/bin/sleep", "300"], start_new_session=True)
        time.sleep(300)
    if behaviour == "ignore-sigterm":
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(300)
    if behaviour == "flood":
        sys.stdout.write("x" * (6 * 1024 * 1024))
    if "--version" in sys.argv:
        print(f"GitHub Copilot CLI {VERSION}.\nRun 'copilot update' to check for updates.")
    else:
        run(sys.argv[sys.argv.index("-p") + 1])


main()
