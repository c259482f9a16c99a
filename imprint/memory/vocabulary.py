"""What the store's words tell: how rare a term is, which forms of it exist, what was meant."""

import math
import sqlite3
from collections.abc import Iterable

from imprint.memory.stems import misspellings, stem, stem_prefix
from imprint.memory.terms import is_counted

_LAST = "\U0010ffff"
_SCAN = 400
"""Terms looked at per prefix: a search has to end, whatever the vocabulary."""
FORMS = 12
COMPLETION_CHARACTERS = 4
"""A completion is at least so much longer: `auth` for `authentication`, not `star` for `start`."""


class Vocabulary:
    """Looks into `word`; remembers what it saw, so make one per search."""

    def __init__(self, sql: sqlite3.Connection, total_term: str) -> None:
        self._sql = sql
        self._counts: dict[str, int] = {}
        self.total = max(1, self.entries(total_term))

    def learn(self, terms: Iterable[str]) -> None:
        """Look up many terms at once."""
        missing = [term for term in set(terms) if term not in self._counts]
        marks = ",".join("?" * len(missing))
        rows = self._sql.execute(f"SELECT term, entries FROM word WHERE term IN ({marks})", missing)
        self._counts.update(dict.fromkeys(missing, 0))
        self._counts.update(rows.fetchall())

    def entries(self, term: str) -> int:
        """In how many entries a term occurs; 1 for terms that are too random to be counted."""
        if not is_counted(term):
            return 1
        if term not in self._counts:
            self.learn([term])
        return self._counts[term]

    def rarity(self, entries: float) -> float:
        """The weight (inverse document frequency) of something that so many entries hold."""
        rest = max(0.0, self.total - entries)
        return math.log(1 + (rest + 0.5) / (entries + 0.5))

    def forms(self, term: str) -> list[str]:
        """Other forms of the same word, the commonest first."""
        root = stem(term)
        if root == term and not term.isalpha():
            return []
        found = [
            (entries, word)
            for word, entries in self._starting_with(stem_prefix(root))
            if word != term and stem(word) == root
        ]
        return [word for _, word in sorted(found, reverse=True)[:FORMS]]

    def completions(self, term: str) -> list[str]:
        """Longer words that a short one stands for (`auth`, `config`)."""
        if len(term) < 4 or not term.isalpha():
            return []
        shortest = len(stem(term)) + COMPLETION_CHARACTERS
        found = [
            (entries, word)
            for word, entries in self._starting_with(term)
            if word.isalpha() and len(stem(word)) >= shortest
        ]
        return [word for _, word in sorted(found, reverse=True)[:FORMS]]

    def meant(self, term: str) -> list[str]:
        """Known words one typing error away, the commonest first."""
        near = misspellings(term)
        self.learn(near)
        known = sorted((-self._counts[word], word) for word in near if self._counts[word])
        return [word for _, word in known[:FORMS]]

    def _starting_with(self, prefix: str) -> list[tuple[str, int]]:
        return self._sql.execute(
            "SELECT term, entries FROM word WHERE term >= ? AND term < ? LIMIT ?",
            (prefix, prefix + _LAST, _SCAN),
        ).fetchall()
