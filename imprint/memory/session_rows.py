"""The row of a session: made, filled, and emptied when the session is forgotten.

A forgotten session keeps its key and nothing else: its transcript may still be there, and must
not be learned again behind the user's back.
"""

import sqlite3
from dataclasses import dataclass

import msgspec

from imprint.hook_entry import canonical_directory
from imprint.memory.projects import project_id
from imprint.memory.records import SessionMeta
from imprint.memory.terms import clean


@dataclass(frozen=True, slots=True)
class SessionId:
    """A session's row; `project` is the id of the one that its entries are filed under."""

    id: int
    project: int
    is_new: bool
    is_forgotten: bool


def session_id(sql: sqlite3.Connection, key: str) -> SessionId:
    """The row of a session, an empty one when it is new."""
    key = clean(key)
    query = "SELECT id, project, forgotten FROM session WHERE key = ?"
    row = sql.execute(query, (key,)).fetchone()
    if row is not None:
        return SessionId(row[0], row[1], is_new=False, is_forgotten=bool(row[2]))
    nowhere = project_id(sql, "")
    row = sql.execute(
        "INSERT INTO session(key, project) VALUES (?, ?) RETURNING id", (key, nowhere)
    ).fetchone()
    return SessionId(row[0], nowhere, is_new=True, is_forgotten=False)


def save_meta(sql: sqlite3.Connection, session: int, project: int, meta: SessionMeta) -> None:
    """Write down what is known of a session; what it was forgotten for is over."""
    directory = clean(meta.directory)
    sql.execute(
        "UPDATE session SET project = ?, directory = ?, place = ?, directories = ?, started_at = ?,"
        " ended_at = ?, client = ?, client_version = ?, source = ?, forgotten = 0 WHERE id = ?",
        (
            project,
            directory,
            canonical_directory(directory) if directory else "",
            msgspec.json.encode([clean(name) for name in meta.directories]).decode("utf-8"),
            clean(meta.started_at),
            clean(meta.ended_at),
            clean(meta.client),
            clean(meta.client_version),
            clean(meta.source),
            session,
        ),
    )


def save_checkpoint(sql: sqlite3.Connection, session: int, checkpoint: bytes | None) -> None:
    """Write down where reading stopped."""
    sql.execute("UPDATE session SET checkpoint = ? WHERE id = ?", (checkpoint, session))


def save_changes(
    sql: sqlite3.Connection, session: int, turns: int, work: int, latest: int | None, default: int
) -> None:
    """Note by how much a session grew, and its latest entry, by which sessions are listed.

    `latest` is the highest id of those that were added, None where others may be higher.
    """
    if latest is None:
        query = "SELECT coalesce(max(id), ?) FROM entry WHERE session = ?"
        latest = int(sql.execute(query, (default, session)).fetchone()[0])
        sql.execute("UPDATE session SET latest = ? WHERE id = ?", (latest, session))
    else:
        # Looking for it would look at all of the session.
        sql.execute(
            "UPDATE session SET latest = CASE WHEN turns + work > 0 THEN max(latest, ?2)"
            " WHEN ?2 > 0 THEN ?2 ELSE ?3 END WHERE id = ?1",
            (session, latest, default),
        )
    sql.execute(
        "UPDATE session SET turns = turns + ?2, work = work + ?3 WHERE id = ?1",
        (session, turns, work),
    )


def empty(sql: sqlite3.Connection, session: int) -> None:
    """Forget all about a session but its key."""
    save_meta(sql, session, project_id(sql, ""), SessionMeta(""))
    save_checkpoint(sql, session, None)
    sql.execute(
        "UPDATE session SET forgotten = 1, latest = 0, turns = 0, work = 0 WHERE id = ?", (session,)
    )
