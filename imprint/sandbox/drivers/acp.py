"""Runs as a driver: speaks the Agent Client Protocol with `copilot --acp`, as an editor does.

JSON-RPC 2.0, one message a line, over Copilot's standard streams. Permission is given once each
time that it is asked for.
"""

import contextlib
import os
import select
import subprocess
from typing import Any

import msgspec

from imprint.sandbox.drivers.order import Deadline, Order, RefusedError, Report, StuckError, run

PROTOCOL = 1
_NO_SUCH_METHOD = -32601
_GOODBYE_SECONDS = 15.0


class _Error(msgspec.Struct, frozen=True):
    message: str = ""


class _Message(msgspec.Struct, frozen=True):
    id: int | str | None = None
    method: str | None = None
    params: dict[str, Any] = msgspec.field(default_factory=dict)
    result: dict[str, Any] | None = None
    error: _Error | None = None


class _Option(msgspec.Struct, frozen=True):
    kind: str = ""
    option_id: str = msgspec.field(name="optionId", default="")


class _Question(msgspec.Struct, frozen=True):
    options: tuple[_Option, ...] = ()


class _NewSession(msgspec.Struct, frozen=True):
    session_id: str = msgspec.field(name="sessionId", default="")


class Client:
    """A connection to one `copilot --acp`."""

    def __init__(self, order: Order) -> None:
        self.questions = 0
        self._deadline = Deadline(order.seconds)
        self._unread = b""
        self._number = 0
        self._process = subprocess.Popen(
            (*order.command, "--acp"),
            cwd=order.directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def call(self, method: str, params: object) -> dict[str, Any]:
        """What the agent answers; meanwhile what it asks is answered. `RefusedError` for a no."""
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive(method)
            if message.method is not None:
                self._serve(message)
            elif message.id == number:
                if message.error is not None:
                    raise RefusedError(message.error.message)
                return message.result or {}

    def close(self) -> None:
        """End as an editor does that closes: no more input, then a request to end."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with contextlib.suppress(BrokenPipeError):
            stdin.close()
        try:
            self._process.wait(min(_GOODBYE_SECONDS, self._deadline.left))
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait()
        stdout.close()

    def _serve(self, message: _Message) -> None:
        if message.id is None:
            return
        if message.method != "session/request_permission":
            error = {"code": _NO_SUCH_METHOD, "message": "no such method"}
            self._send({"id": message.id, "error": error})
            return
        self.questions += 1
        options = msgspec.convert(message.params, _Question).options
        chosen = next((one.option_id for one in options if one.kind == "allow_once"), None)
        if chosen is None:
            outcome = {"outcome": "cancelled"}
        else:
            outcome = {"outcome": "selected", "optionId": chosen}
        self._send({"id": message.id, "result": {"outcome": outcome}})

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        line = msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n"
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise StuckError("Copilot to stay") from error

    def _receive(self, what: str) -> _Message:
        """The next message; lines that are none are passed over."""
        while True:
            line, newline, rest = self._unread.partition(b"\n")
            if newline:
                self._unread = rest
                with contextlib.suppress(msgspec.DecodeError):
                    return msgspec.json.decode(line, type=_Message)
                continue
            self._unread += self._read(what)

    def _read(self, what: str) -> bytes:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        ready, _, _ = select.select([descriptor], [], [], self._deadline.left)
        data = os.read(descriptor, 65536) if ready else b""
        if not data:
            raise StuckError(f"an answer to {what}")
        return data


def drive(order: Order) -> Report:
    """The whole conversation."""
    client = Client(order)
    stuck = refused = ""
    try:
        client.call("initialize", {"protocolVersion": PROTOCOL, "clientCapabilities": {}})
        new = client.call("session/new", {"cwd": order.directory, "mcpServers": []})
        session = msgspec.convert(new, _NewSession).session_id
        for exchange in order.talk:
            prompt = [{"type": "text", "text": exchange.prompt}]
            client.call("session/prompt", {"sessionId": session, "prompt": prompt})
    except StuckError as error:
        stuck = str(error)
    except RefusedError as error:
        refused = str(error)
    finally:
        client.close()
    return Report(stuck=stuck, refused=refused, questions=client.questions)


if __name__ == "__main__":
    run(drive)
