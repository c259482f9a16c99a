"""Rows of a new session, written many at a time while the next ones are being made.

Single statements, each for all rows of a batch, come to SQLite as JSON: it then works without
Python, in a thread of its own, and the index works on warm memory.
"""

import sqlite3
from collections.abc import Sequence

import msgspec

from imprint.memory.behind import Behind

SLOTS = 64
"""Ids per second: an id is `seconds since 1970 * SLOTS + slot`, the next free one."""

ROWS = 1024
CHARACTERS = 2 * 1024 * 1024
"""At the end of each statement the index writes what it gathered: too many would cost time."""

Row = tuple[int, int | None, int, str, str, str, str, str, str, int, int]
"""A row of `entry`, in the order of its columns."""

_COLUMNS = ", ".join(f"json_extract(value, '$[{number}]')" for number in range(11))
_INSERT_ROWS = f"INSERT INTO entry SELECT {_COLUMNS} FROM json_each(?)"
_INSERT_INDEXED = (
    "INSERT INTO entry_index(rowid, terms) SELECT CAST(key AS INTEGER), value FROM json_each(?)"
)
_TAKEN = "SELECT id FROM entry WHERE id IN (SELECT value FROM json_each(?))"

INSERT_INDEX = "INSERT INTO entry_index(rowid, terms) VALUES (?, ?)"
# The caller made sure that the event is new: only the id can be in use.
_INSERT_ROW = (
    "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"
)


class Batch:
    """Collects rows, and what the index is given for each.

    `ids` are those given to rows, which are taken from then on; `has_moved` tells whether a row
    got another one in the end, because it was in use.
    """

    def __init__(self, sql: sqlite3.Connection, behind: Behind) -> None:
        self.ids: set[int] = set()
        self.has_moved = False
        self._sql = sql
        self._behind = behind
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

    def start(self, words: str) -> None:
        """Begin to write all that there is, and new `words` (JSON) besides."""
        rows, indexed = self._take()
        self._behind.start(lambda: self._write(rows, indexed, words))

    def flush(self) -> None:
        """Write all that there is; the connection is the caller's again."""
        self._behind.wait()
        rows, indexed = self._take()
        if rows:
            self._write(rows, indexed, "")

    def _take(self) -> tuple[list[Row], dict[int, str]]:
        taken = self._rows, self._indexed
        self._rows, self._indexed, self._characters = [], {}, 0
        return taken

    def _write(self, rows: list[Row], indexed: dict[int, str], words: str) -> None:
        sql = self._sql
        taken = {number for (number,) in sql.execute(_TAKEN, (_json([*indexed]),))}
        others = [row for row in rows if row[0] in taken]
        if others:
            rows = [row for row in rows if row[0] not in taken]
        moved = [(row, indexed.pop(row[0])) for row in others]
        sql.execute(_INSERT_ROWS, (_json(rows),))
        sql.execute(_INSERT_INDEXED, (_json(indexed),))
        for row, terms in moved:
            self.has_moved = True
            write_row(sql, row, terms)
        if words:
            list_words(sql, words)


def write_row(sql: sqlite3.Connection, row: Row, indexed: str) -> int:
    """Write a row and its index entry under the first id that is free; return that."""
    while sql.execute(_INSERT_ROW, row).rowcount != 1:
        row = (_free_id(sql, row[0]), *row[1:])
    sql.execute(INSERT_INDEX, (row[0], indexed))
    return row[0]


def list_words(sql: sqlite3.Connection, words: str) -> None:
    """Make sure that `word` has these (JSON, in order): with one statement, a third of the time."""
    sql.execute("INSERT OR IGNORE INTO word SELECT value FROM json_each(?)", (words,))


def _free_id(sql: sqlite3.Connection, taken: int) -> int:
    """The next id after the highest in use in the same second; perhaps in use itself."""
    row = sql.execute(
        "SELECT max(id) FROM entry WHERE id >= ? AND id < ?",
        (taken, (taken // SLOTS + 1) * SLOTS),
    ).fetchone()
    return int(row[0]) + 1


def _json(value: Sequence[object] | dict[int, str]) -> str:
    return msgspec.json.encode(value).decode("utf-8")
