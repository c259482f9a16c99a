"""The stand-in's other ways to be run: in a terminal, as an SDK server, as an ACP agent.

Put behind `fake_copilot.py`, which knows hooks and the model; `Session` and `converse` are its.
Knobs: `asks-login`, `dies`, `mute`, `never-answers`, `no-dialogs`, `own-ids`, `old-server`.
"""

# ruff: noqa: T201 (a program, run as such)

import json
import os
import sys
import termios
import tty
import uuid
from pathlib import Path

BOX = "\u2502"
POINTER = "\u276f"
ANY_ID = "00000000-0000-4000-8000-000000000001"


def lines():
    """Messages with one JSON object a line."""
    for line in sys.stdin.buffer:
        yield json.loads(line)


def frames():
    """Messages with a header that tells their length."""
    while header := sys.stdin.buffer.readline():
        sys.stdin.buffer.readline()
        yield json.loads(sys.stdin.buffer.read(int(header.split(b":")[1])))


def write_line(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def write_frame(message):
    data = json.dumps({"jsonrpc": "2.0", **message}).encode("utf-8")
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    sys.stdout.buffer.flush()


def run_acp(begin, converse, knobs):
    incoming, session = lines(), None
    for message in incoming:
        method, answer = message["method"], {}
        if method == "session/new" and "asks-login" in knobs:
            error = {"code": -32000, "message": "Authentication required"}
            write_line({"id": message["id"], "error": error})
            continue
        if method == "session/new":
            session = begin()
            answer = {"sessionId": session.id}
        if method == "session/prompt":
            if "dies" in knobs:
                sys.exit(3)
            print("no message", flush=True)
            option = {"optionId": "yes", "kind": "allow_once"}
            params = {"sessionId": session.id, "options": [option]}
            write_line({"id": "q", "method": "session/request_permission", "params": params})
            outcome = next(incoming)["result"]["outcome"]
            assert outcome == {"outcome": "selected", "optionId": "yes"}, outcome
            write_line({"method": "session/update", "params": {}})
            write_line({"id": "f", "method": "fs/read_text_file", "params": {}})
            assert next(incoming)["error"]["code"] == -32601
            converse(session, message["params"]["prompt"][0]["text"])
        if "mute" not in knobs:
            write_line({"id": message["id"], "result": answer})
    if session:
        session.end()


def run_sdk(begin, converse, knobs):
    session = None
    for message in frames():
        method, params = message["method"], message.get("params") or {}
        result = {}
        match method:
            case "connect" | "ping" if "dies" in knobs:
                sys.exit(3)
            case "connect":
                result = {"ok": True, "protocolVersion": 3, "version": "1.0.102"}
            case "session.create":
                session = begin(None if "own-ids" in knobs else params["sessionId"])
                result = {"sessionId": session.id}
            case "session.send":
                converse(session, params["prompt"])
                result = {"messageId": "m"}
            case "session.detach":
                result = {"success": True}
        if "old-server" in knobs and method in {"session.detach", "runtime.shutdown"}:
            error = {"code": -32601, "message": f"Unhandled method {method}"}
            write_frame({"id": message["id"], "error": error})
            continue
        write_frame({"id": message["id"], "result": result})
        if method == "session.send" and "mute" not in knobs:
            event = {"type": "session.idle", "data": {}, "id": ANY_ID, "parentId": None}
            event |= {"timestamp": "2026-01-01T00:00:00.000Z", "ephemeral": True}
            params = {"sessionId": session.id, "event": event}
            write_frame({"method": "session.event", "params": params})
    if session:
        session.end()


class Tty:
    """A terminal UI of a few lines, drawn anew after every key."""

    def __init__(self):
        self.shown = []
        self.typed = ""
        self.old = termios.tcgetattr(0)
        tty.setraw(0)
        # Questions to the terminal, as real ones ask them; nobody answers.
        self.put("\x1b[?u\x1b[>0q\x1b]11;?\x07\x1b[?2026$p\x1bP+q544e\x1b\\")

    def put(self, text):
        os.write(1, text.encode("utf-8"))

    def draw(self, *box, busy=""):
        below = [f"{BOX} {line} {BOX}" for line in box] or [f"{POINTER} {self.typed}"]
        self.put("\x1b[2J\x1b[H" + "\r\n".join([*self.shown, busy, "----", *below, "----"]))

    def keys(self):
        return os.read(0, 4096).decode("utf-8")

    def dialog(self, question):
        while True:
            self.draw(question, f"{POINTER} 1. Yes", "  2. No (Esc)", "Esc to cancel")
            if "\r" in self.keys():
                return self.draw()

    def line(self):
        self.typed = ""
        while True:
            self.draw()
            for key in self.keys():
                if key == "\r":
                    return self.typed
                self.typed += key


def run_terminal(begin, converse, knobs):
    screen = Tty()
    if "no-dialogs" not in knobs:
        screen.dialog("Do you trust the files in this folder?")
    session = begin()
    while (prompt := screen.line()) != "/exit":
        if "dies" in knobs:
            os._exit(3)
        screen.typed = ""
        screen.shown.append(f"{POINTER} {prompt}")
        screen.draw(busy="Thinking (Esc to cancel)")
        if "no-dialogs" not in knobs:
            screen.dialog("Do you want to run this command?")
        converse(session, prompt)
        if "never-answers" in knobs:
            while True:
                screen.draw(busy="Thinking (Esc to cancel)")
                screen.keys()
        events = Path(session.transcript).read_text(encoding="utf-8").splitlines()
        said = [json.loads(line)["data"] for line in events]
        screen.shown.append([one["content"] for one in said if one.get("content")][-1])
    session.end()
    termios.tcsetattr(0, termios.TCSANOW, screen.old)


def other_way(session_class, converse, knobs, version):
    """Run in another way than `-p`, if the command line says so; whether it did."""

    def begin(chosen=None):
        if chosen:
            uuid.uuid4 = lambda: chosen
        session = session_class()
        session.note("session.start", copilotVersion=version, sessionId=session.id)
        return session

    if {"-p", "--version"} & set(sys.argv) or "hangs" in knobs:
        return False
    ways = {"--acp": run_acp, "--headless": run_sdk}
    way = next((run for option, run in ways.items() if option in sys.argv), None)
    if way is None and sys.stdin.isatty():
        way = run_terminal
    if way:
        way(begin, converse, knobs)
    return bool(way)
