"""From a text to what is stored of it: without secrets, its terms, and new words listed."""

import sqlite3

from imprint.memory.batch import list_words
from imprint.memory.redaction import holds_sign, redact_among
from imprint.memory.terms import TermCache, clean, is_plain, is_word

MANY = 50_000


class Words(TermCache):
    """Makes the terms that are indexed, and sees to it that `word` lists those that are words.

    One per open store: what is in the cache is listed, which saves asking again and again. When a
    transaction was rolled back, or another process wrote, it has to be `clear()`ed.

    `_plain` and `_harmless` are chunks (runs without white space) that hold no sign of a secret;
    those in `_plain` are their own only term besides. So most of any text is told apart by one
    comparison of sets.
    """

    def __init__(self) -> None:
        super().__init__()
        self._plain: set[str] = set()
        self._harmless: set[str] = set()
        self._fresh: set[str] = set()
        self._fresh_plain: list[str] = []

    def prepare(self, text: str) -> tuple[str, set[str]]:
        """The text as it may be stored, and its terms."""
        text = clean(text)
        terms = set(text.split())
        others = terms - self._plain
        if not others:
            return text, terms
        if unknown := others - self._harmless:
            joined, longest = " ".join(unknown), max(map(len, unknown))
            if holds_sign(joined, longest):
                suspects = [chunk for chunk in unknown if holds_sign(chunk, len(chunk))]
                redacted = redact_among(text, suspects)
                if redacted != text:
                    return redacted, self.terms_of(redacted)
                unknown.difference_update(suspects)
            others -= self._learn(unknown, joined, longest)
        if others:
            terms -= others
            terms.update(*map(self.__getitem__, others))
        return text, terms

    @property
    def are_many(self) -> bool:
        """Whether so many words are new that they had better be listed now."""
        return len(self._fresh) + len(self._fresh_plain) > MANY

    def list_new(self, sql: sqlite3.Connection) -> None:
        """Make sure that `word` has all words that were made since the last time."""
        fresh = {*self._fresh_plain, *filter(is_word, self._fresh)}
        self._fresh.clear()
        self._fresh_plain.clear()
        if fresh:
            list_words(sql, sorted(fresh))

    def remove(self, sql: sqlite3.Connection, terms: set[str]) -> None:
        """Take those terms out of `word` that no entry has any more."""
        self._forget()
        for term in filter(is_word, terms):
            found = sql.execute(
                "SELECT 1 FROM entry_index WHERE entry_index MATCH ? LIMIT 1", (f'"{term}"',)
            ).fetchone()
            if found is None:
                sql.execute("DELETE FROM word WHERE term = ?", (term,))

    def clear(self) -> None:
        """Know nothing."""
        self._forget()
        self._fresh.clear()
        self._fresh_plain.clear()

    def _forget(self) -> None:
        super()._forget()
        self._plain.clear()
        self._harmless.clear()

    def _learn(self, harmless: set[str], joined: str, longest: int) -> set[str]:
        """Know these chunks from now on; returns those that are plain words."""
        if len(self._plain) + len(self._harmless) + len(harmless) > self.ENTRIES:
            self._plain.clear()
            self._harmless.clear()
        if longest <= self.CHARACTERS and is_plain(joined.replace(" ", "")):
            plain = harmless
        else:
            short = [chunk for chunk in harmless if len(chunk) <= self.CHARACTERS]
            plain = set(filter(is_plain, short))
            self._harmless.update(short)  # that some are in both costs less than telling apart
        self._plain |= plain
        self._fresh_plain.extend(plain)
        return plain

    def _make(self, chunk: str) -> tuple[str, ...]:
        terms = super()._make(chunk)
        self._fresh.update(terms)
        return terms
