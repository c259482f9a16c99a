"""Child processes that end: output with a limit, a deadline, and nobody left behind."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

OUTPUT_BYTES = 4 * 1024 * 1024
GRACE_SECONDS = 2.0
DRAIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Finished:
    """How a child ended; `exit_code` is negative for a signal, as in `subprocess`."""

    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool


class _Reader:
    """Reads a pipe to its end, keeping the first `OUTPUT_BYTES`."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        # A pipe that was closed under the reader has no more to say.
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._pipe.fileno(), 65536):
                self._kept += chunk[: max(0, OUTPUT_BYTES - len(self._kept))]

    def finish(self, seconds: float) -> None:
        """Wait for the end of the pipe, unless somebody holds it for longer."""
        self._thread.join(seconds)

    @property
    def text(self) -> str:
        """What was read so far."""
        return bytes(self._kept).decode("utf-8", "replace")


def finish(process: subprocess.Popen[bytes], deadline: float) -> Finished:
    """Wait for a child that leads its own process group, at most until `deadline`.

    `deadline` is a `time.monotonic` value. Whatever happens, nobody of the group is left.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    readers = _Reader(process.stdout), _Reader(process.stderr)
    timed_out = False
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
        # What Copilot left running may hold the pipes; what it started to outlive it does not.
        _drain(readers)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        end_tree(process)
        _drain(readers)
        process.stdout.close()
        process.stderr.close()
    return Finished(process.returncode, readers[0].text, readers[1].text, timed_out)


def _drain(readers: Sequence[_Reader]) -> None:
    for reader in readers:
        reader.finish(DRAIN_SECONDS)


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """End a child, its group, and its descendants in other groups: asked first, then killed.

    Copilot's shell tool runs in sessions of its own, so the group alone is not enough. A
    process whose parent has ended (a detached importer) is nobody's descendant and stays.
    """
    if sys.platform == "win32":
        if process.poll() is None:
            taskkill = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(taskkill, capture_output=True, check=False)
        process.wait()
        return
    strays = _other_groups(process.pid) if process.poll() is None else ()
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        if _gone(process, strays, GRACE_SECONDS):
            break
    process.wait()


def _gone(process: subprocess.Popen[bytes], strays: tuple[int, ...], seconds: float) -> bool:
    end = time.monotonic() + seconds
    pause = 0.005
    while True:
        process.poll()
        if not _group_lives(process.pid) and not any(_lives(pid) for pid in strays):
            return True
        if time.monotonic() > end:
            return False
        # Nothing signals the end of a foreign process group.
        time.sleep(pause)
        pause = min(pause * 2, 0.1)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return any(row.group == group and row.state != "Z" for row in _processes()) or not _HAS_PROC


def _lives(pid: int) -> bool:
    return any(row.pid == pid and row.state != "Z" for row in _processes())


@dataclass(frozen=True, slots=True)
class _Row:
    pid: int
    state: str
    parent: int
    group: int


_PROC = Path("/proc")
_HAS_PROC = (_PROC / "self" / "stat").exists()


def _processes() -> Iterator[_Row]:
    """Every process that /proc shows; none where there is no /proc."""
    if not _HAS_PROC:
        return
    for entry in _PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text("utf-8", "replace")
        except OSError:
            continue
        # The name in parentheses may hold anything, spaces and parentheses too.
        state, parent, group = stat[stat.rindex(")") + 1 :].split()[:3]
        yield _Row(int(entry.name), state, int(parent), int(group))


def _other_groups(root: int) -> tuple[int, ...]:
    """Descendants of `root` that have left its process group."""
    rows = list(_processes())
    family = {root}
    while True:
        more = {row.pid for row in rows if row.parent in family} - family
        if not more:
            return tuple(row.pid for row in rows if row.pid in family and row.group != root)
        family |= more


def run_bounded(
    argv: Sequence[str], env: Mapping[str, str], directory: Path, seconds: float
) -> Finished:
    """Run a program without input, at most for `seconds`, then end its whole group.

    Raises OSError where it can't be started.
    """
    process = subprocess.Popen(
        argv,
        env=env,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    return finish(process, time.monotonic() + seconds)
