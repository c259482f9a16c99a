"""What the store's words tell: how rare a term is, which forms of it exist, what was meant."""

import math
import sqlite3

from imprint.memory.stems import misspellings, stem, stem_prefix

_LAST = "\U0010ffff"
_SCAN = 400
"""Terms looked at per prefix: a search has to end, whatever the vocabulary."""
FORMS = 12
COUNTED = 300
"""A term that more entries have is common; how common is estimated."""
COMPLETION_CHARACTERS = 4
"""A completion is at least so much longer: `auth` for `authentication`, not `star` for `start`."""


class Vocabulary:
    """Looks words up; remembers what it saw, so make one per search."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._entries: dict[str, int] = {}
        self.total = max(1, int(sql.execute("SELECT turns FROM total").fetchone()[0]))
        # Both in one SELECT would read the whole table.
        ends = "SELECT (SELECT min(id) FROM entry), (SELECT max(id) FROM entry)"
        low, high = sql.execute(ends).fetchone()
        self._low, self._high = low or 0, high or 0

    def entries(self, term: str) -> int:
        """In how many entries a term occurs: exact for rare terms, an estimate for others."""
        if term not in self._entries:
            self._entries[term] = self._count(term)
        return self._entries[term]

    def _count(self, term: str) -> int:
        rows = self._sql.execute(
            "SELECT rowid FROM entry_index WHERE entry_index MATCH ? ORDER BY rowid DESC LIMIT ?",
            (f'"{term}"', COUNTED),
        ).fetchall()
        if len(rows) < COUNTED:
            return len(rows)
        # Ids grow with time: so many in this part of it, so many in all of it.
        part = max(1, self._high - int(rows[-1][0]))
        return min(self.total, COUNTED * max(1, self._high - self._low) // part)

    def rarity(self, entries: float) -> float:
        """The weight (inverse document frequency) of something that so many entries hold."""
        rest = max(0.0, self.total - entries)
        return math.log(1 + (rest + 0.5) / (entries + 0.5))

    def forms(self, term: str) -> list[str]:
        """Other forms of the same word."""
        root = stem(term)
        if root == term and not term.isalpha():
            return []
        found = self._starting_with(stem_prefix(root))
        return [word for word in found if word != term and stem(word) == root][:FORMS]

    def completions(self, term: str) -> list[str]:
        """Longer words that a short one stands for (`auth`, `config`)."""
        if len(term) < 4 or not term.isalpha():
            return []
        shortest = len(stem(term)) + COMPLETION_CHARACTERS
        found = self._starting_with(term)
        return [word for word in found if word.isalpha() and len(stem(word)) >= shortest][:FORMS]

    def meant(self, term: str) -> list[str]:
        """Known words one typing error away."""
        near = sorted(misspellings(term))
        marks = ",".join("?" * len(near))
        rows = self._sql.execute(f"SELECT term FROM word WHERE term IN ({marks})", near)
        return [row[0] for row in rows][:FORMS]

    def _starting_with(self, prefix: str) -> list[str]:
        rows = self._sql.execute(
            "SELECT term FROM word WHERE term >= ? AND term < ? LIMIT ?",
            (prefix, prefix + _LAST, _SCAN),
        )
        return [row[0] for row in rows]
