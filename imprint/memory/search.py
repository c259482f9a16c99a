"""Finding: candidates from the index, then an order by relevance, age and project."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from imprint.memory.entries import TALK_TERM, filter_term, project_term
from imprint.memory.records import TALK_KINDS, Hit, Kind
from imprint.memory.terms import Unit, units_of


@dataclass(frozen=True, slots=True)
class Search:
    """A search as asked for; see `Memory.search`."""

    query: str
    limit: int = 10
    project: str | None = None
    role: str | None = None
    since: str | None = None
    until: str | None = None
    kinds: Sequence[Kind] = TALK_KINDS
    prefer: str | None = None
    stemming: bool = True


def run(sql: sqlite3.Connection, search: Search, now: int) -> list[Hit]:
    """Search the store."""
    units = list(dict.fromkeys(units_of(search.query)))
    if not units:
        return []
    match = " AND ".join([*map(_expression, units), f'"{TALK_TERM}"'])
    rows = sql.execute(
        "SELECT entry.id, text, kind, coalesce(key, ''), name, timestamp, event FROM entry_index"
        " JOIN entry ON entry.id = entry_index.rowid JOIN project ON project.id = entry.project"
        " LEFT JOIN session ON session.id = entry.session"
        " WHERE entry_index MATCH ? ORDER BY entry_index.rowid DESC LIMIT ?",
        (match, search.limit),
    ).fetchall()
    return [
        Hit(r[0], r[1], r[2], r[3], r[4], r[5], 1.0, r[1][:200], r[6] if r[2] == "note" else "")
        for r in rows
    ]


def _expression(unit: Unit) -> str:
    parts = " AND ".join(f'"{part}"' for part in unit.parts)
    if unit.whole and parts:
        return f'("{unit.whole}" OR ({parts}))'
    return f'"{unit.whole}"' if unit.whole else f"({parts})"
