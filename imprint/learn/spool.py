"""Draining the spool: what Stop hooks announced becomes learned, and nothing is lost.

An entry is removed only after its import was committed and its digests were prepared. Killed
anywhere, the entry stays, and the next hook or `imprint learn` takes it up.
"""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from imprint.base.pathcontext import NativePaths, PathContext
from imprint.base.paths import Environment
from imprint.hook_entry import read_spool_entry
from imprint.learn.clock import Clock, SystemClock
from imprint.learn.completeness import State, Watch
from imprint.learn.files import writable
from imprint.learn.policy import Policy, load_policy
from imprint.learn.report import LearnReport, SkippedSession, SkipReason, printable
from imprint.learn.run import LOCK_SECONDS, LearnRun, learning_lock
from imprint.learn.spool_folder import REJECTED, pending
from imprint.learn.store import STATE_FOLDER, TRANSCRIPT, found_at, session_key
from imprint.memory import Memory

WAIT_SECONDS = 10.0
"""So long after its Stop hook a turn may take to be written."""
KEEP_SECONDS = 3600.0
"""So long an entry without a complete turn is tried again; scans find the transcript anyway."""
SHORTEST_WAIT = 0.02
LONGEST_WAIT = 0.1
REJECTED_FILES = 20


class Elsewhere(Protocol):
    """Copilot homes whose hooks announce paths of another system."""

    @property
    def paths(self) -> PathContext:
        """How what is recorded there is to be read."""
        ...

    def transcript(self, recorded: str) -> Path:
        """The path that this process opens for an announced transcript.

        ValueError for one that is not to be learned from there.
        """
        ...


NOWHERE_ELSE: Mapping[str, Elsewhere] = MappingProxyType({})


def drain_spool(
    environment: Environment,
    *,
    elsewhere: Mapping[str, Elsewhere] = NOWHERE_ELSE,
    clock: Clock | None = None,
    wait_seconds: float = WAIT_SECONDS,
    lock_seconds: float = LOCK_SECONDS,
) -> LearnReport:
    """Learn every announced turn, as soon as it is complete in its transcript.

    Turns announced meanwhile are learned too. `elsewhere` holds, by the lower-case name of its path
    context, each other system that announces turns. Raises `StoreError`, `ConfigError` and
    `LearningBusyError`; the entries stay then.
    """
    layout = environment.layout()
    if not pending(layout):
        return LearnReport()
    with learning_lock(layout, lock_seconds):
        if not pending(layout):
            return LearnReport()
        policy = load_policy(environment)
        clock = clock or SystemClock()
        with Memory.open(layout.store) as memory, LearnRun(memory, policy, layout, clock) as run:
            drain = _Drain(run, memory, environment, clock, wait_seconds, elsewhere)
            drain.run()
        return drain.report()


@dataclass(slots=True)
class _Entry:
    """An announced turn; `received` is when, seconds since 1970."""

    file: Path
    transcript: Path
    received: float
    watch: Watch
    paths: PathContext


class _Drain:
    def __init__(
        self,
        run: LearnRun,
        memory: Memory,
        environment: Environment,
        clock: Clock,
        wait_seconds: float,
        elsewhere: Mapping[str, Elsewhere],
    ) -> None:
        self._run = run
        self._policy: Policy = run.policy
        self._memory = memory
        self._environment = environment
        self._clock = clock
        self._wait_seconds = wait_seconds
        self._elsewhere = elsewhere
        self._started = clock.monotonic()
        self._entries: dict[Path, _Entry] = {}
        self._kept: set[Path] = set()
        self._rejected = 0

    def run(self) -> None:
        """Until nothing is left that could still become complete."""
        pause = SHORTEST_WAIT
        while self._collect():
            done = [entry for entry in self._entries.values() if self._try(entry)]
            for entry in done:
                del self._entries[entry.file]
            if self._entries and not done:
                self._clock.wait(pause)
                pause = min(pause * 1.5, LONGEST_WAIT)

    def report(self) -> LearnReport:
        """What was learned, how many entries wait on, how many could not be read."""
        counts = LearnReport(waiting=len(self._kept), rejected=self._rejected)
        return LearnReport.together((self._run.report(), counts))

    def _collect(self) -> bool:
        """Take up new entries; False if there is nothing to do."""
        for file in pending(self._environment.layout()):
            if file not in self._entries and file not in self._kept:
                self._accept(file)
        return bool(self._entries)

    def _accept(self, file: Path) -> None:
        entry = read_spool_entry(str(file))
        if entry is None:
            if file.exists():
                self._reject(file)
            return
        transcript, paths = self._transcript_of(entry)
        received = entry["received_ns"]
        if transcript is None or self._policy.is_paused:
            # Nothing to learn by it: what may be learned after a pause, a scan finds.
            self._remove(file)
        elif transcript.name != TRANSCRIPT:
            key = session_key(transcript.stem)
            self._run.skip(SkippedSession(key, str(transcript), SkipReason.UNSUPPORTED_LAYOUT))
            self._remove(file)
        else:
            seconds = received / 1e9 if isinstance(received, int) else 0.0
            watch = Watch(str(transcript), seconds)
            self._entries[file] = _Entry(file, transcript, seconds, watch, paths)

    def _try(self, entry: _Entry) -> bool:
        """Learn an entry's turn if it is complete, or late; True if nothing more is to be done."""
        state = entry.watch.look(self._clock.monotonic())
        if state is not State.COMPLETE and not self._is_late(entry):
            return False
        if state is not State.MISSING:
            self._learn(entry)
        is_complete = state is State.COMPLETE or entry.watch.tail.is_settled
        self._note_growth(entry, is_complete=is_complete)
        if is_complete or self._clock.now() - entry.received > KEEP_SECONDS:
            self._remove(entry.file)
        else:
            self._kept.add(entry.file)
        return True

    def _note_growth(self, entry: _Entry, *, is_complete: bool) -> None:
        """For doctor: a turn that was announced and is not in its transcript."""
        path = entry.transcript
        since = None if is_complete else entry.received
        self._run.health.note_stuck(session_key(path.parent.name), printable(str(path)), since)

    def _is_late(self, entry: _Entry) -> bool:
        waited = self._clock.monotonic() - self._started
        age = self._clock.now() - entry.received
        return max(waited, age) >= self._wait_seconds

    def _transcript_of(self, entry: dict[str, object]) -> tuple[Path | None, PathContext]:
        """The transcript that an entry speaks of, and how to read it; None: nothing to learn."""
        context = str(entry["context"])
        if not context:
            return _native_transcript(entry, self._environment), NativePaths()
        place = self._elsewhere.get(context.lower())
        if place is None:  # it was removed since
            return None, NativePaths()
        try:
            return place.transcript(str(entry["transcript_path"])), place.paths
        except ValueError:
            return None, place.paths

    def _learn(self, entry: _Entry) -> None:
        found = found_at(entry.transcript, entry.paths)
        if found is None:
            return
        outcome = self._run.learn(found, self._memory.checkpoint(found.key))
        # Even if nothing was new: a run that was killed may have learned it already.
        self._run.prepare_digests(outcome.directories if outcome.reason is None else ())

    def _reject(self, file: Path) -> None:
        """Put an entry aside that can't be read, so that it stops nobody."""
        folder = file.parent / REJECTED
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            file.replace(folder / file.name)
            for old in sorted(folder.iterdir())[:-REJECTED_FILES]:
                old.unlink(missing_ok=True)
        self._rejected += 1
        if file.exists():
            self._kept.add(file)

    def _remove(self, file: Path) -> None:
        with writable(file):
            file.unlink(missing_ok=True)


def _native_transcript(entry: dict[str, object], environment: Environment) -> Path | None:
    """The transcript that an entry speaks of: its path, else the layout of session-state."""
    path, cwd = str(entry["transcript_path"]), str(entry["cwd"])
    if path:
        return Path(cwd, path)  # a relative COPILOT_HOME gives relative paths
    session_id = str(entry["session_id"])
    if not session_id or Path(session_id).name != session_id:
        return None
    home = str(entry["copilot_home"]) or environment.get("COPILOT_HOME")
    root = Path(cwd, home) if home else environment.home / ".copilot"
    return root / STATE_FOLDER / session_id / TRANSCRIPT
