"""Start a program next to a scripted model, cut off from the network where that is permitted."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from imprint.sandbox.errors import CopilotNotStarted
from imprint.sandbox.isolation import Isolation, IsolationKind
from imprint.sandbox.model import listen

HANDSHAKE_SECONDS = 20.0

# Never imported: it has the standard library of Unix alone, and runs without ours.
_SEALED = Path(__file__).with_name("_sealed.py")


@dataclass(frozen=True, slots=True)
class Stdio:
    """The child's standard streams, as `subprocess` takes them."""

    stdin: int = subprocess.DEVNULL
    stdout: int = subprocess.PIPE
    stderr: int = subprocess.PIPE


class Launcher(Protocol):
    """A place to run a program in. The model listens there before the program starts."""

    listener: socket.socket
    isolation: Isolation

    def start(self, argv: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start the program (absolute path) as leader of its own session; `CopilotNotStarted`."""

    def close(self) -> None:
        """Give up what was prepared and not started; the listener stays with its server."""


def prepare(directory: Path, stdio: Stdio, *, port: int, isolate: bool) -> Launcher:
    """A launcher in an own network namespace if possible, else one that says why not."""
    if not isolate:
        return _Plain(directory, stdio, port, "not asked for")
    if sys.platform != "linux":
        return _Plain(directory, stdio, port, "only Linux has network namespaces")
    return _prepare_sealed(directory, stdio, port)


class _Plain:
    """On the host's own network."""

    def __init__(self, directory: Path, stdio: Stdio, port: int, reason: str) -> None:
        self.listener = listen(port)
        self.isolation = Isolation(IsolationKind.NONE, reason)
        self._directory = directory
        self._stdio = stdio

    def start(self, argv: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        return _spawn(argv, env, self._directory, self._stdio)

    def close(self) -> None:
        """Nothing was prepared."""


class _Hello(msgspec.Struct, frozen=True):
    sealed: bool
    reason: str = ""


class _Failure(msgspec.Struct, frozen=True):
    errno: int


def _prepare_sealed(directory: Path, stdio: Stdio, port: int) -> Launcher:
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            argv = [sys.executable, "-I", "-S", str(_SEALED), str(theirs.fileno()), str(port)]
            process = _spawn(argv, {}, directory, stdio, (theirs.fileno(),))
    except CopilotNotStarted:
        ours.close()
        raise
    try:
        listener, reason = _receive(ours)
    except BaseException:
        _abandon(process, ours)
        raise
    if listener is not None:
        return _Sealed(process, ours, listener)
    # That child may be half way into a namespace: another one goes the plain way.
    _abandon(process, ours)
    return _Plain(directory, stdio, port, reason)


def _receive(channel: socket.socket) -> tuple[socket.socket | None, str]:
    """The socket that listens in the namespace, or why there is none."""
    channel.settimeout(HANDSHAKE_SECONDS)
    try:
        message, descriptors, _, _ = socket.recv_fds(channel, 65536, 1)
        hello = msgspec.json.decode(message, type=_Hello)
    except (msgspec.DecodeError, OSError) as error:
        return None, f"the helper that makes a namespace failed: {error}"
    if not hello.sealed:
        return None, hello.reason
    return socket.socket(fileno=descriptors[0]), ""


class _Sealed:
    """A child that waits in its namespace to become the program."""

    def __init__(
        self, process: subprocess.Popen[bytes], channel: socket.socket, listener: socket.socket
    ) -> None:
        self.listener = listener
        self.isolation = Isolation(IsolationKind.NETWORK_NAMESPACE)
        self._process = process
        self._channel = channel
        self._started = False

    def start(self, argv: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        order = msgspec.json.encode({"argv": list(argv), "env": dict(env)})
        self._channel.sendall(order + b"\n")
        # The end of the channel is the good news: the program has replaced the child.
        with self._channel.makefile("rb") as lines:
            answer = lines.readline()
        if answer:
            failure = msgspec.json.decode(answer, type=_Failure)
            raise _not_started(argv[0], failure.errno)
        self._started = True
        return self._process

    def close(self) -> None:
        self._channel.close()
        if not self._started:
            _abandon(self._process, self._channel)


def _abandon(process: subprocess.Popen[bytes], channel: socket.socket) -> None:
    channel.close()
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _spawn(
    argv: Sequence[str],
    env: Mapping[str, str],
    directory: Path,
    stdio: Stdio,
    descriptors: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            argv,
            env=env,
            cwd=directory,
            stdin=stdio.stdin,
            stdout=stdio.stdout,
            stderr=stdio.stderr,
            start_new_session=True,
            pass_fds=descriptors,
        )
    except OSError as error:
        raise _not_started(str(error.filename or argv[0]), error.errno) from error


def _not_started(program: str, number: int | None) -> CopilotNotStarted:
    why = os.strerror(number) if number else "unknown error"
    return CopilotNotStarted(
        f"{program} can't be started: {why}",
        fix="give the path of a Copilot executable for this machine",
    )
