"""Writes what a transcript says into the memory: one session, one transaction."""

import contextlib
import hashlib
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from imprint.learn.chain import Undone
from imprint.learn.policy import Policy
from imprint.learn.report import SkipReason
from imprint.learn.tools import Work
from imprint.memory import Memory, SessionDetail, SessionImport, SessionMeta, Turn, WorkRecord

EARLY_WORK = 1000
"""Work records kept for the case that somebody says something after all."""
UNIQUE_ID = 32
"""Ids of real events are UUIDs; shorter ones say nothing about other sessions."""


class RefusedSessionError(Exception):
    """Nothing of the session may be learned."""

    def __init__(self, reason: SkipReason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


class SessionWriter:
    """Adds turns and work records; the transaction begins with the first turn.

    A context manager: an exception takes back everything. `origin_of` names the session that
    holds an event with this id already, for copied and forked sessions repeat another one's.
    """

    def __init__(
        self,
        memory: Memory,
        policy: Policy,
        *,
        first_event: str,
        origin_of: Callable[[str], str],
        meta: Callable[[], SessionMeta],
    ) -> None:
        self.first_event = first_event
        self.turns = self.work = self.removed = 0
        self.was_paused = self.is_copy = False
        self._memory = memory
        self._policy = policy
        self._origin_of = origin_of
        self._meta = meta
        self._stack = contextlib.ExitStack()
        self._session: SessionImport | None = None
        self._early_work: list[WorkRecord] = []
        self._entries: list[tuple[int, str]] = []
        self._foreign: frozenset[str] = frozenset()
        self._is_in_copy = False
        self._done: set[Work] = set()

    def __enter__(self) -> Self:
        self._stack.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @property
    def has_turns(self) -> bool:
        """Whether there was anything to write."""
        return self._session is not None

    def add_turn(self, turn: Turn) -> None:
        """Learn a turn, unless it has no words, was said in a pause, or is another session's."""
        if not turn.text:
            return
        if self._policy.was_paused(turn.timestamp):
            self.was_paused = True
            return
        if not self.first_event:
            self._note_first(turn.event_id)
        self._is_in_copy = turn.event_id in self._foreign
        if self._is_in_copy:
            self.is_copy = True
            return
        self._entries.append((turn.ordinal, turn.event_id))
        self.turns += self._open().add_turn(turn)

    def add_work(self, time: str, ordinal: int, works: Iterable[Work]) -> bool:
        """Learn what was done, each thing once; held back until somebody said something.

        False if some of it was passed over, though another time it may count.
        """
        is_all = True
        for work in works:
            if work in self._done:
                continue
            if self._is_in_copy or self._policy.was_paused(time):
                is_all = False
                continue
            self._done.add(work)
            record = WorkRecord(_work_id(work), work.kind, work.subject, work.detail, time, ordinal)
            if self._session is not None:
                self._write(record)
            elif len(self._early_work) < EARLY_WORK:
                self._early_work.append(record)
        return is_all

    def undo(self, undone: Undone, base: int) -> None:
        """Forget what came of these events; `base` is added to offsets to get ordinals."""
        ordinals = {base + offset for offset in undone.offsets}
        early = [(record.ordinal, record.event_id) for record in self._early_work]
        entries = [*self.known_entries(), *self._entries, *early]
        self._remove(
            {
                event_id
                for ordinal, event_id in entries
                if event_id in undone.ids or ordinal in ordinals
            }
        )

    def remove_undone(self, base: int) -> None:
        """Of a file that Copilot cut: forget what came after the last turn that is still there.

        What was known before has ordinals below `base`.
        """
        seen = {event_id for _, event_id in self._entries}
        kept = [place for place, event_id in self.known_turns() if event_id in seen]
        last = max((place for place in kept if place < base), default=-1)
        self._remove(
            {
                event_id
                for place, event_id in self.known_entries()
                if last < place < base and event_id not in seen
            }
        )

    def known_turns(self) -> list[tuple[int, str]]:
        """Ordinal and event of the turns that the memory holds of this session."""
        return _turns(self._memory.session(self._meta().key))

    def known_entries(self) -> list[tuple[int, str]]:
        """The same with work records."""
        detail = self._memory.session(self._meta().key)
        return [*_turns(detail), *_work(detail)]

    def finish(self, checkpoint: bytes) -> None:
        """Note where reading stopped, in the same transaction."""
        self._open().finish(self._meta(), checkpoint)

    def _open(self) -> SessionImport:
        if self._session is None:
            self._session = self._stack.enter_context(self._memory.importing(self._meta()))
            if self._session.is_forgotten:
                raise RefusedSessionError(SkipReason.FORGOTTEN)
            for record in self._early_work:
                self._write(record)
            self._early_work.clear()
        return self._session

    def _remove(self, gone: set[str]) -> None:
        if not gone:
            return
        self._early_work = [record for record in self._early_work if record.event_id not in gone]
        self._entries = [entry for entry in self._entries if entry[1] not in gone]
        self._done.clear()
        if self._session is not None or self._memory.checkpoint(self._meta().key) is not None:
            self.removed += self._open().remove_turns(gone)

    def _write(self, record: WorkRecord) -> None:
        self._entries.append((record.ordinal, record.event_id))
        self.work += self._open().add_work(record)

    def _note_first(self, event_id: str) -> None:
        self.first_event = event_id
        origin = self._origin_of(event_id) if len(event_id) >= UNIQUE_ID else ""
        if not origin or origin == self._meta().key:
            return
        self._foreign = frozenset(event for _, event in _turns(self._memory.session(origin)))
        if event_id in self._foreign:
            self._early_work.clear()


def _work_id(work: Work) -> str:
    """What was done twice is one record, found again whatever event told of it."""
    text = f"{work.kind}\0{work.subject}\0{work.detail}"
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12)
    return f"work-{digest.hexdigest()}"


def _turns(detail: SessionDetail | None) -> list[tuple[int, str]]:
    return [(turn.ordinal, turn.event_id) for turn in detail.turns] if detail else []


def _work(detail: SessionDetail | None) -> list[tuple[int, str]]:
    return [(record.ordinal, record.event_id) for record in detail.work] if detail else []
