"""Learning one session: decide where reading goes on, read, and note where it stopped."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from imprint.learn.ahead import NotAheadError
from imprint.learn.checkpoint import Continuity, encode, resume, stamp
from imprint.learn.damage import Damage
from imprint.learn.reader import BUFFER
from imprint.learn.reading import Reading, Task
from imprint.learn.report import Gap, SkipReason
from imprint.learn.store import Found
from imprint.learn.writer import RefusedSessionError


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one session; `reason` is set where nothing of it is learned.

    `mark` is the stamp of the file that was looked at; `removed` counts entries that left the
    memory; `damage` and `gaps` are of this reading, `total_damage` and `all_gaps` of the file.
    """

    found: Found
    mark: bytes
    reason: SkipReason | None = None
    detail: str = ""
    turns: int = 0
    work: int = 0
    removed: int = 0
    directories: tuple[str, ...] = ()
    damage: Damage = field(default_factory=Damage)
    gaps: tuple[Gap, ...] = ()
    first_event: str = ""
    total_damage: Damage = field(default_factory=Damage)
    all_gaps: tuple[Gap, ...] = ()

    @property
    def is_news(self) -> bool:
        """Whether the memory holds something else than before."""
        return bool(self.turns or self.work or self.removed)


def learn_session(task: Task, known_size: int = 0) -> Outcome:
    """Learn what is new; raises `StoreError` if the memory fails, and then nothing was learned.

    `known_size` is the file's length when `task.known` was noted.
    """
    try:
        with Path(task.found.path).open("rb", buffering=BUFFER) as file:
            return _learn_from(task, file, known_size)
    except OSError as error:
        return _skip(task, SkipReason.UNREADABLE, error.strerror or str(error))


def _learn_from(task: Task, file: BinaryIO, known_size: int) -> Outcome:
    if not task.found.size:
        return _skip(task, SkipReason.EMPTY)
    resumption = resume(file, task.found, task.known, known_size)
    if resumption.continuity is Continuity.SHORTER_COPY:
        return _skip(task, SkipReason.DUPLICATE)
    try:
        return _read(task, Reading(task, file, resumption, ahead=True))
    except NotAheadError:
        return _read(task, Reading(task, file, resumption, ahead=False))


def _read(task: Task, reading: Reading) -> Outcome:
    try:
        with reading.writer:
            reading.read()
            return _finish(task, reading)
    except RefusedSessionError as refusal:
        removed = _take_back(task, reading, refusal.reason)
        return _skip(task, refusal.reason, refusal.detail, reading.reader.damage, removed)


def _finish(task: Task, reading: Reading) -> Outcome:
    facts, writer = reading.facts, reading.writer
    mark, checkpoint = stamp(task.found, task.policy.digest), reading.checkpoint()
    outcome = Outcome(
        found=task.found,
        mark=mark,
        turns=writer.turns,
        work=writer.work,
        removed=writer.removed,
        directories=tuple(facts.directories),
        damage=reading.reader.damage,
        gaps=tuple(facts.gaps),
        first_event=writer.first_event,
        total_damage=checkpoint.damage,
        all_gaps=checkpoint.gaps,
    )
    is_copy = task.known is not None and task.known.path != task.found.name
    if not is_copy or outcome.is_news:
        writer.finish(encode(checkpoint, mark))
    return outcome


def _take_back(task: Task, reading: Reading, reason: SkipReason) -> int:
    """Of a session that may not be learned any more nothing stays; how many turns there were."""
    if task.known is None or reason is SkipReason.FORGOTTEN:
        return 0
    removed = len(reading.writer.known_turns())
    with task.memory.importing(reading.facts.meta()) as session:
        session.discard()
    return removed


def _skip(
    task: Task,
    reason: SkipReason,
    detail: str = "",
    damage: Damage | None = None,
    removed: int = 0,
) -> Outcome:
    return Outcome(
        found=task.found,
        mark=stamp(task.found, task.policy.digest),
        reason=reason,
        detail=detail,
        removed=removed,
        directories=task.known.directories if task.known is not None else (),
        damage=damage or Damage(),
    )
