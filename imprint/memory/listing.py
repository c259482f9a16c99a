"""Sessions as lists and as a whole."""

import sqlite3

import msgspec

from imprint.memory.projects import find_projects
from imprint.memory.records import WORK_KINDS, SessionDetail, SessionRow, Turn, WorkRecord
from imprint.memory.schema import SPOKEN

TITLE_CHARACTERS = 80

_ROW = f"""
SELECT session.key, project.name, session.directory, session.started_at, session.ended_at,
    session.client, session.client_version, session.source,
    session.turns, session.work,
    coalesce((SELECT substr(text, 1, 400) FROM entry WHERE entry.session = session.id
        AND kind = 'user' AND {SPOKEN} ORDER BY ordinal, entry.id LIMIT 1), '')
FROM session JOIN project ON project.id = session.project
WHERE NOT session.forgotten
"""


def sessions(sql: sqlite3.Connection, limit: int, project: str | None) -> list[SessionRow]:
    """The latest sessions first, of one project or of all."""
    numbers = list(find_projects(sql, project)) if project is not None else []
    marks = ",".join("?" * len(numbers))
    where = "" if project is None else f"AND session.project IN ({marks})"
    rows = sql.execute(
        f"{_ROW} {where} ORDER BY session.latest DESC LIMIT ?", (*numbers, max(0, limit))
    )
    return [_row(row) for row in rows]


def session(sql: sqlite3.Connection, key: str) -> SessionDetail | None:
    """One session, turns and work records in the order of the transcript."""
    row = sql.execute(f"{_ROW} AND session.key = ?", (key,)).fetchone()
    if row is None:
        return None
    number, directories = sql.execute(
        "SELECT id, directories FROM session WHERE key = ?", (key,)
    ).fetchone()
    entries = sql.execute(
        "SELECT event, kind, subject, text, timestamp, ordinal FROM entry WHERE session = ?"
        " ORDER BY ordinal, id",
        (number,),
    ).fetchall()
    return SessionDetail(
        row=_row(row),
        directories=msgspec.json.decode(directories, type=tuple[str, ...]),
        turns=tuple(Turn(e[0], e[1], e[3], e[4], e[5]) for e in entries if e[1] not in WORK_KINDS),
        work=tuple(WorkRecord(*e) for e in entries if e[1] in WORK_KINDS),
    )


def _row(row: tuple[str, str, str, str, str, str, str, str, int, int, str]) -> SessionRow:
    title = " ".join(row[10].split())
    if len(title) > TITLE_CHARACTERS:
        title = title[: TITLE_CHARACTERS - 1] + "\u2026"
    return SessionRow(*row[:10], title=title)
