"""The one door through which anything is written to or removed from what can be found.

Whoever brings a text had it made valid UTF-8 and freed of secrets by `Words.prepare`.
"""

import functools
import sqlite3
import zlib
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from imprint.memory.batch import INSERT_INDEX, SLOTS, Batch, write_row
from imprint.memory.records import TALK_KINDS, WORK_KINDS, Kind
from imprint.memory.terms import terms_of
from imprint.memory.words import Words


class Entry(NamedTuple):
    """A row of `entry` that is to be written; `session` is None for notes.

    `mark` tells the entries of one event apart (`mark_of`).
    """

    session: int | None
    project: int
    kind: Kind
    event: str
    mark: str
    subject: str
    text: str
    timestamp: str
    ordinal: int = 0


def seconds_of(timestamp: str) -> int | None:
    """Seconds since 1970 of an ISO time (UTC where it has no zone); None if it is none."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0, int(moment.timestamp()))


def filter_term(kind: str) -> str:
    """The term under which every entry of a kind is indexed; no text produces it."""
    return f"_k{kind}"


def project_term(project: int) -> str:
    """The term under which every entry of a project is indexed."""
    return f"_p{project}"


TALK_TERM = "_talk"
WORK_TERM = "_work"


class EntryWriter:
    """Writes entries inside the caller's transaction; `finish()` before it is committed.

    `turns` and `work` say by how many the store grew (or shrank). With a `batch` new entries wait
    in it: before anything else is done with the connection, `flush()`.
    """

    def __init__(self, sql: sqlite3.Connection, words: Words, batch: Batch | None = None) -> None:
        self.turns = 0
        self.work = 0
        self._sql = sql
        self._words = words
        self._batch = batch
        self._last_id = 0
        self._highest: int | None = 0
        self._has_moved = False
        self._removed: set[str] = set()

    @property
    def latest(self) -> int | None:
        """The highest id that was given, 0 where none was; None if that is not certain."""
        return None if self._has_moved else self._highest

    def add(self, entry: Entry, terms: set[str], fallback_seconds: int) -> int:
        """Store and index a new entry, return its id (which may still change in a batch).

        `fallback_seconds` stands in for a missing timestamp. The texts, and the `terms` of all of
        them, are those that `Words.prepare` gave.
        """
        number = self._next_id(entry.timestamp, fallback_seconds)
        indexed = _indexed(terms, entry.kind, entry.project)
        if self._batch is None:
            number = write_row(self._sql, (number, *entry, len(terms)), indexed)
        else:
            while number in self._batch.ids:
                number += 1
            if self._batch.add((number, *entry, len(terms)), indexed):
                self.flush()
        self._last_id = number
        if self._highest is not None and number > self._highest:
            self._highest = number
        self._count(entry.kind, 1)
        return number

    def flush(self) -> None:
        """Write what waits in the batch."""
        if self._batch is not None:
            self._batch.flush()
            self._has_moved |= self._batch.has_moved
        if self._words.are_many:
            self._words.list_new(self._sql)

    def leave_batch(self) -> None:
        """From here on ids are final."""
        self.flush()
        self._batch = None

    def remove(self, numbers: Iterable[int]) -> int:
        """Remove entries and all that the index holds of them; return how many there were."""
        self.flush()
        removed = 0
        for number in numbers:
            row = self._sql.execute(
                "DELETE FROM entry WHERE id = ? RETURNING subject, text, kind, project", (number,)
            ).fetchone()
            if row is None:
                continue
            subject, text, kind, project = row
            self._unindex(number, subject, text, kind, project)
            self._count(kind, -1)
            self._highest = None
            removed += 1
        return removed

    def replace_text(self, number: int, text: str, terms: set[str]) -> None:
        """Give an entry another text; `terms` are those of the entry then, as for `add`."""
        subject, old, kind, project = self._sql.execute(
            "SELECT subject, text, kind, project FROM entry WHERE id = ?", (number,)
        ).fetchone()
        self._unindex(number, subject, old, kind, project)
        self._sql.execute(
            "UPDATE entry SET text = ?, length = ? WHERE id = ?", (text, len(terms), number)
        )
        self._sql.execute(INSERT_INDEX, (number, _indexed(terms, kind, project)))

    def move(self, session: int, project: int) -> None:
        """File all entries of a session under another project."""
        rows = self._sql.execute(
            "SELECT id, subject, text, kind, project FROM entry WHERE session = ? ORDER BY id",
            (session,),
        ).fetchall()
        for number, subject, text, kind, old in rows:
            self._unindex(number, subject, text, kind, old)
            terms = self._words.terms_of(_searched(subject, text))
            self._sql.execute(INSERT_INDEX, (number, _indexed(terms, kind, project)))
        self._sql.execute("UPDATE entry SET project = ? WHERE session = ?", (project, session))

    def finish(self) -> None:
        """Bring index and `word` up to date with what this transaction changed."""
        self.flush()
        if self._removed:
            self._words.remove(self._sql, self._removed)
        self._words.list_new(self._sql)
        self._sql.execute("UPDATE total SET turns = turns + ?", (self.turns,))
        self._removed = set()

    def _count(self, kind: str, change: int) -> None:
        if kind in WORK_KINDS:
            self.work += change
        else:
            self.turns += change

    def _next_id(self, timestamp: str, fallback_seconds: int) -> int:
        seconds = seconds_of(timestamp)
        wanted = (fallback_seconds if seconds is None else seconds) * SLOTS
        if wanted // SLOTS == self._last_id // SLOTS:
            return self._last_id + 1
        return wanted

    def _unindex(self, number: int, subject: str, text: str, kind: str, project: int) -> None:
        terms = terms_of(_searched(subject, text))
        self._removed |= terms
        self._sql.execute(
            "INSERT INTO entry_index(entry_index, rowid, terms) VALUES ('delete', ?, ?)",
            (number, _indexed(terms, kind, project)),
        )


def mark_of(kind: str, subject: str) -> str:
    """What tells the entries of one event apart: nothing for turns, what was done for work."""
    if kind in TALK_KINDS:
        return ""
    return f"{kind}-{zlib.crc32(subject.encode('utf-8')):08x}"


def _searched(subject: str, text: str) -> str:
    return f"{subject}\n{text}" if subject else text


def _indexed(terms: set[str], kind: str, project: int) -> str:
    """What the index is given: the terms of the text, and those that filter."""
    return f"{' '.join(terms)} {_filters(kind, project)}"


@functools.lru_cache(256)
def _filters(kind: str, project: int) -> str:
    group = TALK_TERM if kind in TALK_KINDS else WORK_TERM
    return f"{group} {filter_term(kind)} {project_term(project)}"
