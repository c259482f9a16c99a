"""Rows of a new session, written many at a time: the index then works on warm memory."""

import sqlite3
from collections.abc import Sequence

ROWS = 128
CHARACTERS = 256 * 1024

Row = tuple[int, int | None, int, str, str, str, str, str, str, int, int]
"""A row of `entry`, in the order of its columns."""

INSERT_ROW = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_INDEX = "INSERT INTO entry_index(rowid, terms) VALUES (?, ?)"


class Batch:
    """Collects rows, and what the index is given for each.

    `ids` are those given to rows, which are taken from then on.
    """

    def __init__(self, sql: sqlite3.Connection) -> None:
        self.ids: set[int] = set()
        self._sql = sql
        self._rows: list[Row] = []
        self._indexed: list[tuple[int, str]] = []
        self._characters = 0

    def add(self, row: Row, indexed: str) -> bool:
        """Take a row; True once it is worth it to write them, or they need much memory."""
        self.ids.add(row[0])
        self._rows.append(row)
        self._indexed.append((row[0], indexed))
        self._characters += len(row[7]) + len(indexed)
        return len(self._rows) >= ROWS or self._characters >= CHARACTERS

    def flush(self) -> Sequence[tuple[Row, str]]:
        """Write all that there is; where one id is in use, give them back instead."""
        rows, indexed = self._rows, self._indexed
        self._rows, self._indexed, self._characters = [], [], 0
        marks = ",".join("?" * len(rows))
        ids = [row[0] for row in rows]
        taken = f"SELECT 1 FROM entry WHERE id IN ({marks}) LIMIT 1"
        if self._sql.execute(taken, ids).fetchone() is not None:
            return [(row, terms) for row, (_, terms) in zip(rows, indexed, strict=True)]
        self._sql.executemany(INSERT_ROW, rows)
        self._sql.executemany(INSERT_INDEX, indexed)
        return ()
