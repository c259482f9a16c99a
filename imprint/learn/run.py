"""A run of learning: one process at a time, sessions in turn, then what depends on them."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import filelock

from imprint.base.errors import ImprintError
from imprint.base.paths import Layout, make_private
from imprint.learn.checkpoint import decode, size_of
from imprint.learn.clock import Clock, SystemClock
from imprint.learn.damage import Damage
from imprint.learn.files import writable
from imprint.learn.health import Health
from imprint.learn.policy import Policy
from imprint.learn.reading import Task
from imprint.learn.report import Gap, LearnReport, SkippedSession, SkipReason
from imprint.learn.session import Outcome, learn_session
from imprint.learn.skipped import SkippedSessions
from imprint.learn.store import Found
from imprint.memory import Memory
from imprint.memory.digest import prepare_digests

LOCK_SECONDS = 60.0


class LearningBusyError(ImprintError):
    """Another process is learning and did not finish in time; it does the same work."""

    code = "learning-busy"


@contextlib.contextmanager
def learning_lock(layout: Layout, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Only one process learns into an `IMPRINT_HOME`; the next waits so long for it."""
    lock = filelock.FileLock(layout.learning, timeout=seconds, mode=0o600)
    with writable(layout.learning):
        make_private(layout.root)
        try:
            lock.acquire()
        except filelock.Timeout as error:  # an OSError too
            raise LearningBusyError(
                f"another process has been learning for {seconds:.0f} s (lock {layout.learning})",
                fix="try again when it has finished; nothing was lost",
            ) from error
    try:
        yield
    finally:
        lock.release()


class LearnRun:
    """Learns sessions into a memory, under the lock; `close` does what depends on all of them."""

    def __init__(
        self, memory: Memory, policy: Policy, layout: Layout, clock: Clock | None = None
    ) -> None:
        self.policy = policy
        self._clock = clock or SystemClock()
        self.skipped = SkippedSessions(layout.skipped)
        self.health = Health(layout.health)
        self._memory = memory
        self._digests = layout.digests
        self._due = _DueDigests(layout.digests)
        self._known: Mapping[str, bytes] | None = None
        self._origins: dict[str, str] | None = None
        self._learned = self._unchanged = self._turns = self._work = self._removed = 0
        self._skips: list[SkippedSession] = []
        self._damage = Damage()
        self._gaps: list[tuple[str, Gap]] = []

    def __enter__(self) -> Self:
        if self._due.is_set:
            self.prepare_digests(self._all_directories())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Whoever fails leaves the digests due, and must not fail a second time on the way out.
        with contextlib.suppress(*((ImprintError,) if kind is not None else ())):
            if kind is None:
                self.prepare_digests(())
            self.skipped.save()
            self.health.save()

    def learn(self, found: Found, known: bytes | None) -> Outcome:
        """Learn one session; `known` is its checkpoint in the memory."""
        size = size_of(known) if known is not None else 0
        checkpoint = decode(known)
        self._due.announce()
        task = Task(self._memory, found, self.policy, checkpoint, self._origin_of)
        outcome = learn_session(task, size if checkpoint is not None else 0)
        self._note(outcome)
        return outcome

    def skip(self, session: SkippedSession, mark: bytes = b"") -> None:
        """Note a session that is not even looked at."""
        self._skips.append(session)
        self.skipped.put(session, mark)

    def skip_again(self, session: SkippedSession) -> None:
        """Note a session that was skipped before, and has not changed."""
        self._skips.append(session)

    @property
    def skipped_paths(self) -> set[str]:
        """What this run skipped."""
        return {session.path for session in self._skips}

    def count_unchanged(self, number: int = 1) -> None:
        """Sessions of which everything was known."""
        self._unchanged += number

    def use_origins(self, known: Mapping[str, bytes]) -> None:
        """Take the checkpoints of all sessions instead of asking the memory again."""
        self._known = known

    def prepare_digests(self, directories: Iterable[str]) -> None:
        """Prepare what SessionStart gives back, of what has become due and of `directories`."""
        wanted = [*self._due.directories, *directories]
        if wanted:
            prepare_digests(self._memory, self._digests, dict.fromkeys(wanted))
        self._due.clear()

    def report(self) -> LearnReport:
        """What this run did."""
        return LearnReport(
            learned=self._learned,
            unchanged=self._unchanged,
            skipped_sessions=tuple(self._skips),
            turns=self._turns,
            work=self._work,
            removed=self._removed,
            damage=self._damage,
            gaps=tuple(self._gaps),
        )

    def _note(self, outcome: Outcome) -> None:
        found = outcome.found
        self._turns += outcome.turns
        self._work += outcome.work
        self._removed += outcome.removed
        self._damage = self._damage.plus(outcome.damage)
        self._gaps.extend((found.key, gap) for gap in outcome.gaps)
        if outcome.is_news:
            self._due.add(outcome.directories)
        if outcome.reason is not None:
            self.skip(
                SkippedSession(found.key, found.path, outcome.reason, outcome.detail),
                outcome.mark,
            )
            return
        self.skipped.remove(found.name)
        self.health.note_session(found.key, found.name, outcome.total_damage, outcome.all_gaps)
        if self._origins is not None and outcome.first_event:
            self._origins.setdefault(outcome.first_event, found.key)
        if outcome.is_news:
            self.health.note_learned(found.key, self._clock.now())
            self._learned += 1
        else:
            self._unchanged += 1

    def _origin_of(self, event_id: str) -> str:
        if self._origins is None:
            known = self._memory.sessions_known() if self._known is None else self._known
            self._origins = _origins(known)
        return self._origins.get(event_id, "")

    def _all_directories(self) -> list[str]:
        checkpoints = map(decode, self._memory.sessions_known().values())
        return [name for known in checkpoints if known for name in known.directories]


class _DueDigests:
    """Directories whose digests are due; a mark on disk survives a process that is killed."""

    def __init__(self, folder: Path) -> None:
        self._mark = folder / ".due"
        self._is_announced = False
        self.directories: dict[str, None] = {}

    @property
    def is_set(self) -> bool:
        """Whether a run before this one did not get to them."""
        return self._mark.exists()

    def announce(self) -> None:
        """Something is going to be learned; whoever is killed after its commit leaves the mark."""
        if not self._is_announced:
            with writable(self._mark):
                make_private(self._mark.parent)
                self._mark.touch(mode=0o600)
            self._is_announced = True

    def add(self, directories: Iterable[str]) -> None:
        """They changed."""
        self.directories.update(dict.fromkeys(directories))

    def clear(self) -> None:
        """They were prepared."""
        self.directories.clear()
        self._is_announced = False
        with writable(self._mark):
            self._mark.unlink(missing_ok=True)


def _origins(known: Mapping[str, bytes]) -> dict[str, str]:
    """Which session holds an event as its first turn."""
    origins: dict[str, str] = {}
    for key, blob in known.items():
        checkpoint = decode(blob)
        if checkpoint is not None and checkpoint.first_event:
            origins.setdefault(checkpoint.first_event, key)
    return origins


def paused(found: Found) -> SkippedSession:
    """A session that waits for the end of a pause."""
    return SkippedSession(found.key, found.path, SkipReason.PAUSED)
