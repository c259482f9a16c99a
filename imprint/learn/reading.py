"""One pass over a transcript: evidence, turns and work, from where reading stopped before."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from imprint.learn.ahead import NotAheadError, ReadAhead, is_worth_it
from imprint.learn.chain import is_unbroken, undone_events
from imprint.learn.checkpoint import (
    GAPS,
    Checkpoint,
    Continuity,
    Resumption,
    head_digest,
    tail_digest,
)
from imprint.learn.damage import Damage
from imprint.learn.events import (
    AssistantMessage,
    CompactionComplete,
    Event,
    SessionShutdown,
    SnapshotRewind,
    ToolFailed,
    ToolStart,
    UserMessage,
)
from imprint.learn.facts import SessionFacts
from imprint.learn.policy import Policy
from imprint.learn.reader import TranscriptReader
from imprint.learn.report import SkipReason
from imprint.learn.store import Found
from imprint.learn.tools import Started, Work, failed_work, started_work
from imprint.learn.turns import (
    Answers,
    assistant_words,
    is_main_agent,
    summary_words,
    user_words,
)
from imprint.learn.writer import RefusedSessionError, SessionWriter
from imprint.memory import Memory, Turn

LAG_BYTES = 1024 * 1024
"""So far back reading starts again for a tool call or an answer that was not complete."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to read, and what is known of it.

    `origin_of` names the session that holds an event already; empty if none does.
    """

    memory: Memory
    found: Found
    policy: Policy
    known: Checkpoint | None
    origin_of: Callable[[str], str]


class Reading:
    """Reads a file into the memory; used once.

    With `ahead` a process of its own may read a large file: see `read`.
    """

    def __init__(self, task: Task, file: BinaryIO, resumption: Resumption, *, ahead: bool) -> None:
        goes_on = resumption.continuity in {Continuity.GROWN, Continuity.OTHER_FILE}
        known = task.known if goes_on else None
        self._task = task
        self._file = file
        self._resumption = resumption
        self._answers = Answers()
        self._before: dict[int, int] = {}
        self.facts = SessionFacts(task.found, known)
        place, events = resumption.offset, resumption.events
        self.reader: TranscriptReader | ReadAhead = (
            ReadAhead(Path(task.found.path), file, offset=place, events=events)
            if ahead and is_worth_it(task.found.size - place)
            else TranscriptReader(file, offset=place, events=events)
        )
        self.writer = SessionWriter(
            task.memory,
            task.policy,
            first_event=known.first_event if known else "",
            origin_of=task.origin_of,
            meta=self.facts.meta,
        )

    def read(self) -> None:
        """Read all there is; raises `RefusedSessionError` if nothing of it may be learned.

        Reading ahead may raise `NotAheadError`: nothing was learned then, and all can be without.
        """
        base = self._resumption.base
        with contextlib.closing(self.reader.read()) as found:
            for offset, event_id, event in found:
                if isinstance(event, Started):
                    if not self.writer.add_work(event.time, base + offset, event.works):
                        raise NotAheadError
                    continue
                if type(event) is ToolStart:  # the commonest one by far
                    works = started_work(event)
                    if self.writer.add_work(event.time, base + offset, works):
                        self.reader.skip_repeats(event)
                    continue
                if self.facts.note(offset, self.reader.before, event):
                    self._refuse_early()
                self._take(offset, event_id, event)
        for turn in self._answers.rest():
            self.writer.add_turn(turn)
        self._refuse_late()
        is_cut = self._resumption.continuity is Continuity.REWRITTEN
        if is_cut and is_unbroken(self._file):
            self.writer.remove_undone(self._resumption.base)

    def checkpoint(self) -> Checkpoint:
        """What to know next time."""
        facts, known = self.facts, self._task.known
        offset, events = self._resume_point()
        is_grown = known is not None and self._resumption.continuity is Continuity.GROWN
        gaps = (*(known.gaps if known and is_grown else ()), *facts.gaps)
        damage = known.damage if known and is_grown else Damage()
        return Checkpoint(
            path=self._task.found.name,
            offset=offset,
            events=events,
            head=head_digest(self._file),
            tail=tail_digest(self._file, offset),
            base=self._resumption.base,
            directories=tuple(facts.directories),
            clients=tuple(facts.clients),
            started_at=facts.started_at,
            ended_at=facts.ended_at,
            client_version=facts.client_version,
            first_event=self.writer.first_event,
            damage=damage.plus(self.reader.damage),
            gaps=gaps[-GAPS:],
        )

    def _take(self, offset: int, event_id: str, event: Event) -> None:
        ordinal = self._resumption.base + offset
        writer = self.writer
        match event:
            case UserMessage():
                writer.add_turn(Turn(event_id, "user", user_words(event), event.time, ordinal))
            case AssistantMessage() if is_main_agent(event):
                self._before.setdefault(ordinal, self.reader.before)
                words = assistant_words(event)
                turn = Turn(event_id, "assistant", words, event.time, ordinal)
                for whole in self._answers.add(event, turn):
                    writer.add_turn(whole)
            case CompactionComplete():
                words = summary_words(event)
                writer.add_turn(Turn(event_id, "summary", words, event.time, ordinal))
            case SnapshotRewind():
                self._undo(event, offset)
            case _:
                time, work = _work_of(event)
                writer.add_work(time, ordinal, work)

    def _undo(self, event: SnapshotRewind, offset: int) -> None:
        """Turns that the user took back.

        Copilot cuts its transcript and keeps this event to itself; other producers may write it.
        """
        place, base = self._file.tell(), self._resumption.base
        undone = undone_events(self._file, event.data, offset)
        self._file.seek(place)
        self._answers.drop({base + offset for offset in undone.offsets})
        self.writer.undo(undone, base)
        self.reader.forget_repeats()

    def _refuse_early(self) -> None:
        """As soon as one directory is not allowed nothing more needs reading."""
        facts, policy, paths = self.facts, self._task.policy, self._task.found.paths
        if facts.is_background:
            raise RefusedSessionError(SkipReason.BACKGROUND)
        reason = policy.refusal(facts.directories, facts.clients, paths)
        if reason is not None:
            culprits = (d for d in facts.directories if policy.refusal((d,), (), paths))
            raise RefusedSessionError(reason, next(culprits, ""))

    def _refuse_late(self) -> None:
        """Once all is read: nothing known in it, no evidence, or nobody said anything."""
        writer, reader = self.writer, self.reader
        is_new = self._task.known is None and not writer.has_turns
        unknown = reader.damage.unknown
        if is_new and not reader.events and not reader.damage.lines:
            raise RefusedSessionError(SkipReason.EMPTY)
        if is_new and sum(unknown.values()) == reader.events:
            raise RefusedSessionError(SkipReason.UNKNOWN_EVENTS, ", ".join(sorted(unknown)))
        self._refuse_early()
        if is_new and writer.is_copy:
            raise RefusedSessionError(SkipReason.COPY, self._task.origin_of(writer.first_event))
        if is_new:
            reason = SkipReason.PAUSED if writer.was_paused else SkipReason.NO_TURNS
            raise RefusedSessionError(reason)

    def _resume_point(self) -> tuple[int, int]:
        """Behind what was read; before it, where something was not complete."""
        reader = self.reader
        points = [(reader.offset, reader.events)]
        if (open_tool := reader.oldest_open_tool) is not None:
            points.append(open_tool)
        if (open_answer := self._answers.oldest) is not None:
            points.append((open_answer - self._resumption.base, self._before[open_answer]))
        first = min(points)
        is_near = reader.offset - first[0] <= LAG_BYTES and not reader.damage.lines
        return first if is_near else points[0]


def _work_of(event: Event) -> tuple[str, list[Work]]:
    match event:
        case ToolFailed():
            failure = failed_work(event)
            return event.completed.time, [failure] if failure else []
        case SessionShutdown():
            changes = event.data.code_changes
            files = changes.files_modified if changes else ()
            return event.time, [Work("modified", name) for name in files if isinstance(name, str)]
        case _:
            return "", []
