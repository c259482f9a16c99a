"""Hands a command over a socket to another container: both halves; standard library alone.

The client sends `argv`, `cwd` and its standard streams as descriptors; the server runs the command
on them and answers its exit code. Stdin is pumped by the client until its end, as WSL's relay does
it: whoever starts a Windows program has given away all of its stdin, read or not.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

ANSWER_BYTES = 65536
ORDER_BYTES = 1 << 20

Plan = Callable[[dict[str, object]], "tuple[list[str], str, dict[str, str]] | None"]
"""From an order to what to run, where, and with which environment; None: it is refused."""

Runs = Callable[[list[str], str, dict[str, str], list[int]], int]
"""Runs argv, in a folder, with an environment, on stdin, stdout and stderr; its exit code."""

REFUSED = 255


def hand_over(place: str, argv: list[str]) -> int:
    """Run a command at the other end; its exit code."""
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(place)
        reading, writing = os.pipe()
        order = json.dumps({"argv": argv, "cwd": os.getcwd()}).encode() + b"\n"  # noqa: PTH109
        socket.send_fds(channel, [order], [reading, 1, 2])
        os.close(reading)
        threading.Thread(target=_pump, args=(writing,), daemon=True).start()
        answer = channel.recv(ANSWER_BYTES)
    return int(json.loads(answer)["exit_code"]) if answer else REFUSED


def _pump(writing: int) -> None:
    is_read = True
    while chunk := os.read(0, 65536):
        try:
            if is_read:
                _write_all(writing, chunk)
        except OSError:
            is_read = False  # nobody reads it; it is drained nevertheless
    os.close(writing)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def on_streams(argv: list[str], cwd: str, environment: dict[str, str], streams: list[int]) -> int:
    """Run a program on the very descriptors that were sent."""
    done = subprocess.run(
        argv,
        cwd=cwd,
        env=environment,
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        check=False,
    )
    return done.returncode


def serve(place: str, plan: Plan, runs: Runs = on_streams) -> None:
    """Answer orders of every user for ever; a line on stdout says that it listens."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        os.chmod(place, 0o666)  # noqa: PTH101
        listener.listen()
        sys.stdout.write("listening\n")
        sys.stdout.flush()
        while True:
            channel, _ = listener.accept()
            threading.Thread(target=_answer, args=(channel, plan, runs), daemon=True).start()


def _answer(channel: socket.socket, plan: Plan, runs: Runs) -> None:
    with channel:
        data, descriptors, _, _ = socket.recv_fds(channel, ORDER_BYTES, 3)
        while not data.endswith(b"\n"):
            data += channel.recv(ORDER_BYTES)
        order = json.loads(data)
        planned = plan(order)
        try:
            code = REFUSED if planned is None else runs(*planned, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        note({**order, "exit_code": code})
        channel.sendall(json.dumps({"exit_code": code}).encode())


def note(what: dict[str, object]) -> None:
    """A line in the log of this side, which `RELAY_LOG` names."""
    line = (json.dumps(what) + "\n").encode()
    log = os.open(os.environ["RELAY_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(log, line)
    finally:
        os.close(log)
