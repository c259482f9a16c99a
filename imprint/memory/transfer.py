"""Export and import as JSON lines: a header, then sessions with their entries, then notes.

Checkpoints stay out: they say where a transcript on this machine was left off, and a session
that has none is read again, each event once.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from imprint.base.errors import UsageError
from imprint.memory.errors import BadTransfer
from imprint.memory.importing import SessionImport
from imprint.memory.notes import add_note, all_notes
from imprint.memory.records import (
    WORK_KINDS,
    Note,
    Role,
    SessionMeta,
    Transferred,
    Turn,
    WorkKind,
    WorkRecord,
)
from imprint.memory.words import Words

FORMAT = 1
LINE_BYTES = 64 * 1024 * 1024


class _Header(msgspec.Struct, tag="imprint-memory", tag_field="type"):
    version: int


class _Session(msgspec.Struct, tag="session", tag_field="type"):
    key: str
    project: str = ""
    directory: str = ""
    directories: tuple[str, ...] = ()
    started_at: str = ""
    ended_at: str = ""
    client: str = ""
    client_version: str = ""
    source: str = ""


class _Turn(msgspec.Struct, tag="turn", tag_field="type"):
    session: str
    event_id: str
    role: Role
    text: str
    timestamp: str = ""
    ordinal: int = 0


class _Work(msgspec.Struct, tag="work", tag_field="type"):
    session: str
    event_id: str
    kind: WorkKind
    subject: str
    detail: str = ""
    timestamp: str = ""
    ordinal: int = 0


class _Note(msgspec.Struct, tag="note", tag_field="type"):
    text: str
    project: str = ""
    created_at: str = ""


_Line = _Header | _Session | _Turn | _Work | _Note
_decoder = msgspec.json.Decoder(_Line)


def export_lines(sql: sqlite3.Connection) -> Iterator[bytes]:
    """The whole memory, a JSON object with its line end at a time."""
    for line in _export(sql):
        yield msgspec.json.encode(line) + b"\n"


def _export(sql: sqlite3.Connection) -> Iterator[_Line]:
    yield _Header(FORMAT)
    sessions = sql.execute(
        "SELECT session.id, key, name, directory, directories, started_at, ended_at, client,"
        " client_version, source FROM session JOIN project ON project.id = session.project"
        " WHERE NOT forgotten ORDER BY session.id"
    )
    for number, key, project, directory, directories, *rest in sessions:
        folders = msgspec.json.decode(directories, type=tuple[str, ...])
        yield _Session(key, project, directory, folders, *rest)
        yield from _entries(sql, number, key)
    for note in all_notes(sql):
        yield _Note(note.text, note.project, note.created_at)


def _entries(sql: sqlite3.Connection, session: int, key: str) -> Iterator[_Turn | _Work]:
    rows = sql.execute(
        "SELECT event, kind, subject, text, timestamp, ordinal FROM entry WHERE session = ?"
        " ORDER BY ordinal, id",
        (session,),
    )
    for event, kind, subject, text, timestamp, ordinal in rows:
        if kind in WORK_KINDS:
            yield _Work(key, event, kind, subject, text, timestamp, ordinal)
        else:
            yield _Turn(key, event, kind, text, timestamp, ordinal)


@dataclass(slots=True)
class _Counts:
    sessions: int = 0
    turns: int = 0
    work: int = 0
    notes: int = 0
    known: int = 0


@dataclass(slots=True)
class _Importer:
    """Takes one line after the other; a session ends where the next begins."""

    sql: sqlite3.Connection
    words: Words
    now: int
    counts: _Counts = field(default_factory=_Counts)
    session: SessionImport | None = None
    key: str = ""

    def take(self, line: _Line) -> None:
        """Import a line; ValueError where it has no place."""
        match line:
            case _Header(version=version):
                if version != FORMAT:
                    raise ValueError(f"format {version} is not known, only {FORMAT}")
            case _Session():
                self._begin(line)
            case _Turn():
                new = self._of(line.session).add_turn(
                    Turn(line.event_id, line.role, line.text, line.timestamp, line.ordinal)
                )
                self.counts.turns += new
                self.counts.known += not new
            case _Work():
                self._work(line)
            case _Note():
                _, new = add_note(
                    self.sql,
                    self.words,
                    Note("", line.text, line.project, line.created_at),
                    self.now,
                )
                self.counts.notes += new
                self.counts.known += not new

    def end(self) -> None:
        """End the session that is open."""
        if self.session is not None:
            self.session.close()
            self.session = None

    def _begin(self, line: _Session) -> None:
        self.end()
        meta = SessionMeta(**msgspec.structs.asdict(line))
        self.session = SessionImport(self.sql, self.words, meta, self.now, restoring=True)
        self.counts.sessions += self.session.is_new
        self.key = line.key

    def _work(self, line: _Work) -> None:
        record = WorkRecord(
            line.event_id, line.kind, line.subject, line.detail, line.timestamp, line.ordinal
        )
        new = self._of(line.session).add_work(record)
        self.counts.work += new
        self.counts.known += not new

    def _of(self, key: str) -> SessionImport:
        if self.session is None or key != self.key:
            raise ValueError(f"it belongs to session {key}, which does not stand right before it")
        return self.session


def import_lines(
    sql: sqlite3.Connection, words: Words, lines: Iterable[bytes], now: int
) -> Transferred:
    """Add what the lines hold and the store does not, inside the caller's transaction.

    Raises `BadTransfer` with the number of the first line that is not what `export` writes.
    """
    importer = _Importer(sql, words, now)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            decoded = _decoder.decode(line)
            if number == 1 and not isinstance(decoded, _Header):
                raise ValueError("the header is missing")
            importer.take(decoded)
        except (msgspec.DecodeError, UsageError, ValueError) as error:
            raise BadTransfer(
                f"line {number} cannot be imported: {error}",
                fix="import what `imprint export` wrote; nothing was changed",
            ) from error
    importer.end()
    counts = importer.counts
    return Transferred(counts.sessions, counts.turns, counts.work, counts.notes, counts.known)
