"""Programs run on probation: own process group, own output files, a deadline, no shared pipe."""

import contextlib
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from imprint.copilot.child_process import end_group

OUTPUT_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended; `exit_code` None: it was still running at the deadline."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float

    @property
    def last_words(self) -> str:
        """The last line on stderr, cut to what a report can hold."""
        lines = self.stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip()[:200] if lines else ""


class Trial:
    """One program that was started; `finish` must be called."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], payload: bytes) -> None:
        """Start it with `payload` on its stdin; OSError where that fails."""
        self._files = contextlib.ExitStack()
        with contextlib.ExitStack() as undo:
            undo.enter_context(self._files)
            self._stdout = self._files.enter_context(tempfile.TemporaryFile())
            self._stderr = self._files.enter_context(tempfile.TemporaryFile())
            self._began = time.monotonic()
            self._process = start(argv, env, self._stdout, self._stderr)
            undo.pop_all()
        give(self._process, payload)

    def finish(self, deadline: float) -> Outcome:
        """Wait until `deadline` (of the monotonic clock), then end all that is left of it."""
        code: int | None = None
        with self._files:
            try:
                code = _wait(self._process, max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                code = None
            finally:
                seconds = time.monotonic() - self._began
                end_group(self._process)
            return Outcome(code, content(self._stdout), content(self._stderr), seconds)


def start(
    argv: Sequence[str], env: Mapping[str, str], stdout: IO[bytes] | int, stderr: IO[bytes] | int
) -> subprocess.Popen[bytes]:
    """A program as leader of its own group, in a folder that belongs to no project."""
    return subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        env=dict(env),
        cwd=tempfile.gettempdir(),
        start_new_session=os.name == "posix",
    )


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int:
    """The exit code; raises `TimeoutExpired`.

    `Popen.wait` with a limit looks after ever longer pauses: half as long again for a hook.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # an old kernel
            descriptor = os.pidfd_open(process.pid)
            try:
                ended = select.poll()
                ended.register(descriptor, select.POLLIN)
                ended.poll(seconds * 1000)
            finally:
                os.close(descriptor)
            return process.wait(0)
    return process.wait(seconds)


def give(process: subprocess.Popen[bytes], payload: bytes) -> None:
    """Write to its stdin and close it; a program that does not read is no error."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(payload)
    with contextlib.suppress(OSError):
        process.stdin.close()


def content(file: IO[bytes]) -> bytes:
    """What was written to an output file, as far as a report needs it."""
    file.seek(0)
    return file.read(OUTPUT_BYTES)
