"""Rows of a new session, written many at a time: each statement on memory that is still warm."""

import sqlite3

import msgspec

SLOTS = 64
"""Ids per second: an id is `seconds since 1970 * SLOTS + slot`, the next free one."""

ROWS = 1024
CHARACTERS = 2 * 1024 * 1024

Row = tuple[int, int | None, int, str, str, str, str, str, str, int, int]
"""A row of `entry`, in the order of its columns."""

_TAKEN = "SELECT id FROM entry WHERE id IN (SELECT value FROM json_each(?))"

INSERT_INDEX = "INSERT INTO entry_index(rowid, terms) VALUES (?, ?)"
_INSERT_ROW = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# The caller made sure that the event is new: only the id can be in use.
_INSERT_ROW_IF_FREE = f"{_INSERT_ROW} ON CONFLICT (id) DO NOTHING"


class Batch:
    """Collects rows, and what the index is given for each.

    `ids` are those given to rows, which are taken from then on; `has_moved` tells whether a row
    got another one in the end, because it was in use.
    """

    def __init__(self, sql: sqlite3.Connection) -> None:
        self.ids: set[int] = set()
        self.has_moved = False
        self._sql = sql
        self._rows: list[Row] = []
        self._indexed: dict[int, str] = {}
        self._characters = 0

    def add(self, row: Row, indexed: str) -> bool:
        """Take a row; True once it is worth it to write them, or they need much memory."""
        self.ids.add(row[0])
        self._rows.append(row)
        self._indexed[row[0]] = indexed
        self._characters += len(row[7]) + len(indexed)
        return len(self._rows) >= ROWS or self._characters >= CHARACTERS

    def flush(self) -> None:
        """Write all that there is."""
        rows, indexed = self._rows, self._indexed
        if not rows:
            return
        self._rows, self._indexed, self._characters = [], {}, 0
        taken = {number for (number,) in self._sql.execute(_TAKEN, (_json([*indexed]),))}
        moved = [(row, indexed.pop(row[0])) for row in rows if row[0] in taken]
        free = [row for row in rows if row[0] not in taken] if taken else rows
        self._sql.executemany(_INSERT_ROW, free)
        self._sql.executemany(INSERT_INDEX, indexed.items())
        for row, terms in moved:
            self.has_moved = True
            write_row(self._sql, row, terms)


def write_row(sql: sqlite3.Connection, row: Row, indexed: str) -> int:
    """Write a row and its index entry under the first id that is free; return that."""
    while sql.execute(_INSERT_ROW_IF_FREE, row).rowcount != 1:
        row = (_free_id(sql, row[0]), *row[1:])
    sql.execute(INSERT_INDEX, (row[0], indexed))
    return row[0]


def list_words(sql: sqlite3.Connection, words: list[str]) -> None:
    """Make sure that `word` has these, in order: with one statement, a third of the time."""
    sql.execute("INSERT OR IGNORE INTO word SELECT value FROM json_each(?)", (_json(words),))


def _free_id(sql: sqlite3.Connection, taken: int) -> int:
    """The next id after the highest in use in the same second; perhaps in use itself."""
    row = sql.execute(
        "SELECT max(id) FROM entry WHERE id >= ? AND id < ?",
        (taken, (taken // SLOTS + 1) * SLOTS),
    ).fetchone()
    return int(row[0]) + 1


def _json(values: list[str] | list[int]) -> str:
    return msgspec.json.encode(values).decode("utf-8")
