"""Projects by name or by directory."""

import sqlite3
from collections.abc import Collection

from imprint.hook_entry import canonical_directory, parent_directories
from imprint.memory.terms import clean


def project_id(sql: sqlite3.Connection, name: str) -> int:
    """The id of a project, made when it is new."""
    row = sql.execute("SELECT id FROM project WHERE name = ?", (name,)).fetchone()
    if row is None:
        row = sql.execute("INSERT INTO project(name) VALUES (?) RETURNING id", (name,)).fetchone()
    return int(row[0])


def find_projects(sql: sqlite3.Connection, wanted: str) -> dict[int, str]:
    """Id and name of the projects of that name; else of those with sessions in that directory."""
    wanted = clean(wanted)
    return _named(sql, wanted) or _at(sql, [canonical_directory(wanted)])


def projects_around(sql: sqlite3.Connection, wanted: str) -> set[str]:
    """The names of the projects of that name, or that hold that directory."""
    wanted = clean(wanted)
    found = _named(sql, wanted) or _at(sql, parent_directories(wanted))
    return set(found.values())


def _named(sql: sqlite3.Connection, name: str) -> dict[int, str]:
    rows = sql.execute("SELECT id, name FROM project WHERE name = ? AND name != ''", (name,))
    return dict(rows.fetchall())


def _at(sql: sqlite3.Connection, places: Collection[str]) -> dict[int, str]:
    marks = ",".join("?" * len(places))
    rows = sql.execute(
        "SELECT DISTINCT project.id, project.name FROM session"
        f" JOIN project ON project.id = session.project WHERE session.place IN ({marks})",
        tuple(places),
    )
    return dict(rows.fetchall())
