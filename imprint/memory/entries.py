"""The one door through which anything is written to or removed from what can be found.

Every text is made valid UTF-8 and freed of secrets here, whoever brings it.
"""

import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from imprint.memory.records import TALK_KINDS, Kind
from imprint.memory.redaction import redact
from imprint.memory.terms import clean, is_counted, terms_of

SLOTS = 64
"""Ids per second: an id is `seconds since 1970 * SLOTS + slot`, the next free one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of `entry` that is to be written; `session` is None for notes."""

    session: int | None
    project: int
    kind: Kind
    event: str
    text: str
    subject: str = ""
    timestamp: str = ""
    ordinal: int = 0


def safe(text: str) -> str:
    """The text as it may be stored."""
    return redact(clean(text))


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
    """Writes entries inside the caller's transaction; `finish()` before it is committed."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._last_id = 0
        self._words: Counter[str] = Counter()

    def add(self, entry: Entry, fallback_seconds: int) -> int:
        """Store and index a new entry, return its id.

        `fallback_seconds` stands in for a missing timestamp. The texts must be `safe`.
        """
        number = self._free_id(entry.timestamp, fallback_seconds)
        terms = _terms_stored(entry.subject, entry.text)
        self._sql.execute(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                entry.session,
                entry.project,
                entry.kind,
                entry.event,
                mark_of(entry.kind, entry.subject),
                entry.subject,
                entry.text,
                entry.timestamp,
                entry.ordinal,
                len(terms),
            ),
        )
        self._index(number, terms, entry.kind, entry.project)
        return number

    def remove(self, numbers: Iterable[int]) -> int:
        """Remove entries and all that the index holds of them; return how many there were."""
        removed = 0
        for number in numbers:
            row = self._sql.execute(
                "DELETE FROM entry WHERE id = ? RETURNING subject, text, kind, project", (number,)
            ).fetchone()
            if row is None:
                continue
            subject, text, kind, project = row
            self._unindex(number, _terms_stored(subject, text), kind, project)
            removed += 1
        return removed

    def replace_text(self, number: int, text: str) -> None:
        """Give an entry another text (which must be `safe`)."""
        subject, old, kind, project = self._sql.execute(
            "SELECT subject, text, kind, project FROM entry WHERE id = ?", (number,)
        ).fetchone()
        self._unindex(number, _terms_stored(subject, old), kind, project)
        terms = _terms_stored(subject, text)
        self._sql.execute(
            "UPDATE entry SET text = ?, length = ? WHERE id = ?", (text, len(terms), number)
        )
        self._index(number, terms, kind, project)

    def move(self, session: int, project: int) -> None:
        """File all entries of a session under another project."""
        rows = self._sql.execute(
            "SELECT id, subject, text, kind, project FROM entry WHERE session = ? ORDER BY id",
            (session,),
        ).fetchall()
        for number, subject, text, kind, old in rows:
            self._unindex(number, _terms_stored(subject, text), kind, old)
            self._index(number, _terms_stored(subject, text), kind, project)
        self._sql.execute("UPDATE entry SET project = ? WHERE session = ?", (project, session))

    def finish(self) -> None:
        """Write the word counts of this transaction."""
        changes = [(term, count) for term, count in self._words.items() if count]
        self._words.clear()
        self._sql.executemany(
            "INSERT INTO word VALUES (?, ?)"
            " ON CONFLICT (term) DO UPDATE SET entries = entries + excluded.entries",
            changes,
        )
        gone = [(term,) for term, count in changes if count < 0]
        self._sql.executemany("DELETE FROM word WHERE term = ? AND entries <= 0", gone)

    def _free_id(self, timestamp: str, fallback_seconds: int) -> int:
        seconds = seconds_of(timestamp)
        wanted = (fallback_seconds if seconds is None else seconds) * SLOTS
        if wanted // SLOTS == self._last_id // SLOTS:
            wanted = self._last_id + 1
        while (taken := self._taken(wanted)) is not None:
            wanted = taken + 1
        self._last_id = wanted
        return wanted

    def _taken(self, number: int) -> int | None:
        """The highest id in use in the same second if `number` is in use, else None."""
        row = self._sql.execute(
            "SELECT max(id) FROM entry WHERE id >= ? AND id < ?",
            (number, (number // SLOTS + 1) * SLOTS),
        ).fetchone()
        return None if row[0] is None else int(row[0])

    def _index(self, number: int, terms: set[str], kind: str, project: int) -> None:
        terms |= _filters(kind, project)
        self._sql.execute(
            "INSERT INTO entry_index(rowid, terms) VALUES (?, ?)", (number, " ".join(terms))
        )
        self._words.update(filter(is_counted, terms))

    def _unindex(self, number: int, terms: set[str], kind: str, project: int) -> None:
        terms |= _filters(kind, project)
        self._sql.execute(
            "INSERT INTO entry_index(entry_index, rowid, terms) VALUES ('delete', ?, ?)",
            (number, " ".join(terms)),
        )
        self._words.subtract(filter(is_counted, terms))


def mark_of(kind: str, subject: str) -> str:
    """What tells the entries of one event apart: nothing for turns, what was done for work."""
    if kind in TALK_KINDS:
        return ""
    return f"{kind}-{zlib.crc32(subject.encode('utf-8')):08x}"


def _terms_stored(subject: str, text: str) -> set[str]:
    return terms_of(f"{subject}\n{text}" if subject else text)


def _filters(kind: str, project: int) -> set[str]:
    group = TALK_TERM if kind in TALK_KINDS else WORK_TERM
    return {group, filter_term(kind), project_term(project)}
