"""Stands in for a Copilot with hooks: command line, model protocol, hooks, log and transcript.

Nothing of its code. `@KNOBS@` names ways to be different or broken, comma separated.
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
_GIVEN = "@KNOBS@"
KNOBS = set(_GIVEN.split(","))
ALIASES = {
    "SessionStart": "sessionStart",
    "Stop": "agentStop",
    "UserPromptSubmit": "userPromptSubmitted",
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
}
KNOWN = {} if "no-events" in KNOBS else {**ALIASES, **{name: name for name in ALIASES.values()}}
TOOLS = [
    {"type": "function", "function": {"name": name}}
    for name in ("bash", "view", "create", "edit", "skill", "task", "sibling-sibling_one")
]


class Session:
    def __init__(self):
        self.home = Path(os.environ["COPILOT_HOME"])
        self.id = str(uuid.uuid4())
        self.folder = self.home / "session-state" / self.id
        self.folder.mkdir(parents=True)
        self.transcript = self.folder / "events.jsonl"
        self.log = []
        self.hooks = [
            (event, entry)
            for file in sorted((self.home / "hooks").glob("*.json"))
            for event, entries in self.known(file).items()
            for entry in entries
        ]

    def known(self, file):
        hooks = json.loads(file.read_text(encoding="utf-8"))["hooks"]
        unknown = ", ".join(event for event in hooks if event not in KNOWN)
        if unknown:
            self.log.append(f"[DEBUG] Ignoring unknown hook event(s) in {file}: {unknown}")
        return {e: hooks[e] for e in hooks if e in KNOWN or "runs-everything" in KNOBS}

    def note(self, kind, **data):
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": kind, "data": data}) + "\n")

    def fire(self, event, **camel):
        """Run every hook of an event side by side; the context that they answer."""
        mine = [(n, e) for n, e in self.hooks if KNOWN.get(n, "sessionStart") == event]
        started = [(start(entry), entry, payload(self, name, camel)) for name, entry in mine]
        return [text for one in started if one[0] for text in finish(*one)]

    def end(self):
        logs = self.home / "logs"
        logs.mkdir()
        said = [] if "silent-log" in KNOBS else ["[DEBUG] began", *self.log]
        (logs / "fake.log").write_text("\n".join(said), encoding="utf-8")


def start(entry):
    line = entry.get("bash") or entry.get("command")
    argv = ["bash", "-c", line] if line else [entry.get("exec", ""), *entry.get("args", [])]
    if not argv[0]:
        return None
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")


def payload(session, name, camel):
    if name in ALIASES:
        path = {"transcript_path": str(session.transcript)}
        more = {"hook_event_name": name, "session_id": session.id, "tool_name": "Bash"}
        when = {"timestamp": "2026-01-01T00:00:00.000Z"}
    else:
        path = {"transcriptPath": str(session.transcript)}
        more = {"sessionId": session.id, "toolName": "bash", "toolArgs": "{}"}
        when = {"timestamp": 1790000000000}
    active = {} if "no-active" in KNOBS else {"stop_hook_active": False}
    return json.dumps({"cwd": str(Path.cwd()), **when, **more, **path, **active, **camel})


def finish(process, entry, given):
    limit = entry.get("timeoutSec") or entry.get("timeout") or 30
    try:
        answer, _ = process.communicate(given, timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return []
    try:
        context = json.loads(answer).get("additionalContext")
    except ValueError:
        return []
    return [context] if context else []


def ask(messages):
    base = urlsplit(os.environ["COPILOT_PROVIDER_BASE_URL"])
    connection = http.client.HTTPConnection(base.hostname, base.port, timeout=20)
    body = {"model": os.environ["COPILOT_MODEL"], "messages": messages, "tools": TOOLS}
    connection.request("POST", f"{base.path}/chat/completions", json.dumps(body))
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["choices"][0]["message"]


def converse(session, prompt):
    context = session.fire("sessionStart")
    session.fire("userPromptSubmitted")
    messages = [{"role": "system", "content": text} for text in context]
    messages.append({"role": "user", "content": prompt})
    while True:
        message = ask(messages)
        messages.append(message)
        session.note("assistant.message", content=message.get("content") or "")
        if not message.get("tool_calls"):
            break
        for call in message["tool_calls"]:
            session.fire("preToolUse")
            said = perform(call["function"])
            session.note("tool.execution_complete", success=True)
            session.fire("postToolUse")
            result = {"role": "tool", "tool_call_id": call["id"], "content": said}
            messages.append(result)
    session.fire("agentStop")


def perform(function):
    """Write files; ask on behalf of a subagent; of all other tools only say that it is done."""
    given = json.loads(function["arguments"])
    match function["name"]:
        case "create":
            Path(given["path"]).write_text(given["file_text"], encoding="utf-8")
        case "edit":
            text = Path(given["path"]).read_text(encoding="utf-8")
            text = text.replace(given["old_str"], given["new_str"])
            Path(given["path"]).write_text(text, encoding="utf-8")
        case "task":
            messages = [{"role": "user", "content": given["prompt"]}]
            while (message := ask(messages)).get("tool_calls"):
                results = [
                    (call["id"], perform(call["function"])) for call in message["tool_calls"]
                ]
                said = ({"role": "tool", "tool_call_id": i, "content": t} for i, t in results)
                messages += [message, *said]
            return message["content"]
    return "fine"


def main():
    if "hangs" in KNOBS:
        time.sleep(300)
    if "--version" in sys.argv:
        print(f"GitHub Copilot CLI {VERSION}.")
        return
    session = Session()
    says = "9.9.9" if "says-another-version" in KNOBS else VERSION
    session.note("session.start", copilotVersion=says, sessionId=session.id)
    converse(session, sys.argv[sys.argv.index("-p") + 1])
    session.end()


main()
