"""Notes that somebody asked to be remembered, and forgetting."""

import hashlib
import sqlite3
from datetime import UTC, datetime

from imprint.base.errors import UsageError
from imprint.memory.entries import Entry, EntryWriter
from imprint.memory.errors import UnknownItem
from imprint.memory.projects import find_projects, project_id
from imprint.memory.records import Forgotten, Note
from imprint.memory.session_rows import empty
from imprint.memory.terms import clean
from imprint.memory.words import Words


def remember(sql: sqlite3.Connection, words: Words, text: str, project: str, now: int) -> str:
    """Keep a note once; return its id. Raises `UsageError` for an empty one.

    `project` is a name or a directory that sessions were in; empty holds everywhere.
    """
    names = find_projects(sql, project) if project else {}
    project = min(names.values(), default=project)
    created = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return add_note(sql, words, Note("", text, project, created), now)[0]


def add_note(sql: sqlite3.Connection, words: Words, note: Note, now: int) -> tuple[str, bool]:
    """Keep a note under the id that its text and project give; the id, and whether it is new."""
    text, terms = words.prepare(note.text)
    text, project = text.strip(), clean(note.project)
    if not text:
        raise UsageError("there is nothing to remember: the text is empty")
    digest = hashlib.sha256(f"{project}\0{text}".encode()).hexdigest()
    number = f"note-{digest[:12]}"
    if _note_rows(sql, number):
        return number, False
    writer = EntryWriter(sql, words)
    entry = Entry(
        session=None,
        project=project_id(sql, project),
        kind="note",
        event=number,
        mark="",
        subject="",
        text=text,
        timestamp=clean(note.created_at),
    )
    writer.add(entry, terms, now)
    writer.finish()
    return number, True


def all_notes(sql: sqlite3.Connection) -> list[Note]:
    """All notes, oldest first."""
    rows = sql.execute(
        "SELECT event, text, name, timestamp FROM entry INDEXED BY entry_note"
        " JOIN project ON project.id = entry.project WHERE kind = 'note' ORDER BY entry.id"
    )
    return [Note(*row) for row in rows]


def forget(
    sql: sqlite3.Connection,
    words: Words,
    *,
    session: str | None,
    note: str | None,
    project: str | None,
) -> Forgotten:
    """Remove exactly one of them; raises `UnknownItem` when the store does not hold it."""
    forgotten = _forget(sql, words, session, note, project)
    sql.execute(
        "DELETE FROM project WHERE id NOT IN (SELECT project FROM session)"
        " AND id NOT IN (SELECT project FROM entry WHERE kind = 'note')"
    )
    # FTS5 keeps what was deleted in its old segments until these are merged.
    sql.execute("INSERT INTO entry_index(entry_index) VALUES ('optimize')")
    return forgotten


def _forget(
    sql: sqlite3.Connection,
    words: Words,
    session: str | None,
    note: str | None,
    project: str | None,
) -> Forgotten:
    match (session, note, project):
        case (str(key), None, None):
            return _forget_sessions(sql, words, _session_ids(sql, clean(key)))
        case (None, str(number), None):
            rows = _note_rows(sql, clean(number))
            if not rows:
                raise UnknownItem(f"there is no note {number}", fix="`imprint recall` shows ids")
            return _forget_notes(sql, words, rows)
        case (None, None, str(name)):
            return _forget_project(sql, words, name)
        case _:
            raise UsageError("say one of: a session, a note, a project")


def _forget_project(sql: sqlite3.Connection, words: Words, name: str) -> Forgotten:
    found = find_projects(sql, name)
    if not found:
        raise UnknownItem(f"there is no project {name}", fix="`imprint sessions` shows them")
    marks = ",".join("?" * len(found))
    numbers = list(found)
    sessions = sql.execute(f"SELECT id FROM session WHERE project IN ({marks})", numbers).fetchall()
    gone = _forget_sessions(sql, words, [row[0] for row in sessions])
    notes = sql.execute(
        f"SELECT id FROM entry WHERE kind = 'note' AND project IN ({marks})", numbers
    ).fetchall()
    noted = _forget_notes(sql, words, [row[0] for row in notes])
    return Forgotten(gone.sessions, gone.turns, gone.work, noted.notes)


def _forget_sessions(sql: sqlite3.Connection, words: Words, sessions: list[int]) -> Forgotten:
    writer = EntryWriter(sql, words)
    for session in sessions:
        rows = sql.execute("SELECT id FROM entry WHERE session = ?", (session,)).fetchall()
        writer.remove(row[0] for row in rows)
        empty(sql, session)
    writer.finish()
    return Forgotten(len(sessions), -writer.turns, -writer.work, 0)


def _forget_notes(sql: sqlite3.Connection, words: Words, numbers: list[int]) -> Forgotten:
    writer = EntryWriter(sql, words)
    removed = writer.remove(numbers)
    writer.finish()
    return Forgotten(0, 0, 0, removed)


def _note_rows(sql: sqlite3.Connection, number: str) -> list[int]:
    rows = sql.execute("SELECT id FROM entry WHERE kind = 'note' AND event = ?", (number,))
    return [row[0] for row in rows]


def _session_ids(sql: sqlite3.Connection, key: str) -> list[int]:
    rows = sql.execute("SELECT id FROM session WHERE key = ? AND NOT forgotten", (key,)).fetchall()
    if not rows:
        raise UnknownItem(f"there is no session {key}", fix="`imprint sessions` shows them")
    return [row[0] for row in rows]
