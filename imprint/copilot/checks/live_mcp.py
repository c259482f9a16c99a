"""Under `--live`: the registered MCP server, started from its entry and asked for its tools.

The protocol's three lines are written by hand: importing the SDK takes a second.
"""

import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import IO

import msgspec

from imprint.base.checks import Check, Status
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.checks.processes import content, start
from imprint.copilot.child_process import end_group
from imprint.copilot.mcp_entry import SERVER, TOOLS

SECONDS = 20.0

_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "imprint-doctor", "version": "1"},
    },
}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


class _Entry(msgspec.Struct):
    command: str
    args: list[str] = []
    env: dict[str, str] = {}


class _Tool(msgspec.Struct):
    name: str


class _Answer(msgspec.Struct):
    tools: list[_Tool] = []


class _Message(msgspec.Struct):
    id: int | str | None = None
    result: msgspec.Raw = msgspec.Raw(b"{}")
    error: msgspec.Raw = msgspec.Raw(b"")


class _NoAnswerError(Exception):
    """The server did not say what was waited for."""


def check_answer(facts: Facts) -> Iterator[Check]:
    """Whether the server answers, with all of Imprint's tools."""
    if not facts.owner.is_ours:
        return
    value = facts.servers_file.members("mcpServers", SERVER)
    try:
        entry = msgspec.convert(dict(value), _Entry)
        began = time.monotonic()
        tools = _tools(facts, entry)
    except (_NoAnswerError, OSError, msgspec.MsgspecError) as error:
        why = f"{facts.owner.program} gave no list of tools within {SECONDS:g} s: {error}"
        fix = f"`{facts.setup_command}`; if it stays so, reinstall Imprint"
        yield Check(Id.MCP_ANSWER, Status.BROKEN, why, fix)
        return
    missing = [tool for tool in TOOLS if tool not in tools]
    if missing:
        what = f"the server lacks the tools {', '.join(missing)}"
        yield Check(Id.MCP_ANSWER, Status.BROKEN, what, f"`{facts.setup_command}`")
    else:
        what = f"the server answered in {time.monotonic() - began:.1f} s: {', '.join(tools)}"
        yield Check(Id.MCP_ANSWER, Status.OK, what)


def _tools(facts: Facts, entry: _Entry) -> tuple[str, ...]:
    env = {**facts.environment.variables, **entry.env}
    with tempfile.TemporaryFile() as stderr:
        process = start((entry.command, *entry.args), env, subprocess.PIPE, stderr)
        try:
            return _Conversation(process).tools()
        except _NoAnswerError as error:
            last = content(stderr).decode("utf-8", "replace").strip().splitlines()[-1:]
            raise _NoAnswerError("; ".join([str(error), *last])) from None
        finally:
            end_group(process)
            for pipe in (process.stdin, process.stdout):
                _close(pipe)


def _close(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        return  # what was still buffered for a server that is gone


class _Conversation:
    """Requests to a server, one line each; lines that answer something else are passed over."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._deadline = time.monotonic() + SECONDS
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # A thread, since pipes of Windows know no deadline.
        self._reader = threading.Thread(target=self._pump, daemon=True)
        self._reader.start()

    def tools(self) -> tuple[str, ...]:
        """The names that the server lists."""
        self._send(_INITIALIZE)
        self._receive(1)
        self._send(_INITIALIZED)
        self._send(_LIST)
        answer = msgspec.json.decode(self._receive(2), type=_Answer)
        return tuple(tool.name for tool in answer.tools)

    def _pump(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(message) + b"\n")
        self._process.stdin.flush()

    def _receive(self, number: int) -> bytes:
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, self._deadline - time.monotonic()))
            except queue.Empty:
                raise _NoAnswerError("it is silent") from None
            if not line:
                raise _NoAnswerError("it ended")
            message = msgspec.json.decode(line, type=_Message)
            if message.id != number:
                continue
            if bytes(message.error):
                raise _NoAnswerError(f"it answered {bytes(message.error).decode()[:200]}")
            return bytes(message.result)
