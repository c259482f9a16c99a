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
CAMEL = {name: name for name in (*ALIASES.values(), "subagentStart")}
KNOWN = {} if "no-events" in KNOBS else {**ALIASES, **CAMEL}
DEFAULT_LIMIT = 9
MATCHERS = {"camel": {None, "bash"}, "pascal": {None, "bash", "Bash"}}
MOST_AFTER_A_TOOL = 10_000
TOOLS = [
    {"type": "function", "function": {"name": name}}
    for name in (
        "bash",
        "view",
        "create",
        "edit",
        "skill",
        "task",
        "probe-probe_one",
        "sibling-sibling_one",
    )
]


class Session:
    def __init__(self):
        self.home = Path(os.environ["COPILOT_HOME"])
        self.id = str(uuid.uuid4())
        self.folder = self.home / "session-state" / self.id
        self.folder.mkdir(parents=True)
        self.transcript = self.folder / "events.jsonl"
        self.was_continued = False
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
        """Run every hook of an event side by side; what they answer and exit with."""
        mine = [
            (n, e) for n, e in self.hooks if KNOWN.get(n, "sessionStart") == event and fits(n, e)
        ]
        started = [(start(entry), entry, payload(self, name, camel)) for name, entry in mine]
        return [finish(*one) for one in started if one[0]]

    def end(self):
        logs = self.home / "logs"
        logs.mkdir(exist_ok=True)
        said = [] if "silent-log" in KNOBS else ["[DEBUG] began", *self.log]
        (logs / f"{self.id}.log").write_text("\n".join(said), encoding="utf-8")


def fits(name, entry):
    return entry.get("matcher") in MATCHERS["pascal" if name in ALIASES else "camel"]


def start(entry):
    line = entry.get("bash") or entry.get("command")
    argv = ["bash", "-c", line] if line else [entry.get("exec", ""), *entry.get("args", [])]
    if not argv[0]:
        return None
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")


def payload(session, name, camel):
    camel = dict(camel)
    if name in ALIASES:
        path = {"transcript_path": str(session.transcript)}
        given = {"tool_name": "Bash", "tool_input": camel.pop("arguments", {})}
        more = {"hook_event_name": name, "session_id": session.id, **given}
        when = {"timestamp": "2026-01-01T00:00:00.000Z"}
    else:
        path = {"transcriptPath": str(session.transcript)}
        given = {"toolName": "bash", "toolArgs": json.dumps(camel.pop("arguments", {}))}
        more = {"sessionId": session.id, **given}
        when = {"timestamp": 1790000000000}
    active = {} if "no-active" in KNOBS else {"stop_hook_active": session.was_continued}
    return json.dumps({"cwd": str(Path.cwd()), **when, **more, **path, **active, **camel})


def finish(process, entry, given):
    limit = entry.get("timeoutSec") or entry.get("timeout") or DEFAULT_LIMIT
    try:
        said, _ = process.communicate(given, timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {}, None
    try:
        answer = json.loads(said)
    except ValueError:
        answer = {}
    return answer, process.returncode


def contexts(answers):
    return [answer["additionalContext"] for answer, _ in answers if "additionalContext" in answer]


def blocks(answers):
    return [answer["reason"] for answer, _ in answers if answer.get("decision") == "block"]


def is_denied(answers):
    return any(code == 2 or answer.get("permissionDecision") == "deny" for answer, code in answers)


def ask(messages):
    base = urlsplit(os.environ["COPILOT_PROVIDER_BASE_URL"])
    connection = http.client.HTTPConnection(base.hostname, base.port, timeout=20)
    body = {"model": os.environ["COPILOT_MODEL"], "messages": messages, "tools": TOOLS}
    connection.request("POST", f"{base.path}/chat/completions", json.dumps(body))
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["choices"][0]["message"]


def converse(session, prompt):
    """The exit code."""
    messages = [{"role": "system", "content": t} for t in contexts(session.fire("sessionStart"))]
    submitted = session.fire("userPromptSubmitted")
    if blocks(submitted):
        return 1
    whole = "\n".join([prompt, *contexts(submitted)])
    session.note("user.message", content=prompt, transformedContent=whole)
    messages.append({"role": "user", "content": whole})
    while True:
        message = ask(messages)
        messages.append(message)
        session.note("assistant.message", content=message.get("content") or "")
        for call in message.get("tool_calls") or ():
            messages += call_tool(session, call)
        if not message.get("tool_calls"):
            reasons = blocks(session.fire("agentStop"))
            if not reasons:
                return 0
            session.was_continued = True
            messages.append({"role": "user", "content": reasons[0]})


def call_tool(session, call):
    """The messages that come of a call."""
    function = call["function"]
    given = json.loads(function["arguments"])
    before = session.fire("preToolUse", arguments=given)
    changed = [answer["modifiedArgs"] for answer, _ in before if "modifiedArgs" in answer]
    if is_denied(before):
        said = "denied"
    else:
        said = perform(session, function["name"], (changed or [given])[0])
        after = contexts(session.fire("postToolUse", arguments=given))
        said = "\n".join([said, *(text[:MOST_AFTER_A_TOOL] for text in after)])
    session.note("tool.execution_complete", success=not is_denied(before), result=said)
    guides = contexts(before)
    for text in guides:
        session.note("user.message", content=text, source="system")
    result = {"role": "tool", "tool_call_id": call["id"], "content": said}
    return [result, *({"role": "user", "content": text} for text in guides)]


def perform(session, name, given):
    """Write files; ask on behalf of a subagent; of all other tools only say that it is done."""
    match name:
        case "create":
            Path(given["path"]).write_text(given["file_text"], encoding="utf-8")
        case "edit":
            text = Path(given["path"]).read_text(encoding="utf-8")
            text = text.replace(given["old_str"], given["new_str"])
            Path(given["path"]).write_text(text, encoding="utf-8")
        case "task":
            started = contexts(session.fire("subagentStart"))
            messages = [{"role": "user", "content": "\n".join([*started, given["prompt"]])}]
            while (message := ask(messages)).get("tool_calls"):
                made = ((call["id"], call["function"]) for call in message["tool_calls"])
                said = [
                    (identity, perform(session, one["name"], json.loads(one["arguments"])))
                    for identity, one in made
                ]
                results = ({"role": "tool", "tool_call_id": i, "content": t} for i, t in said)
                messages += [message, *results]
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
    code = converse(session, sys.argv[sys.argv.index("-p") + 1])
    session.end()
    sys.exit(code)


main()
