"""The order of candidates, and the part of a text that shows why it was found."""

import re
from dataclasses import dataclass
from functools import cached_property

from imprint.memory.batch import SLOTS
from imprint.memory.query import Clause
from imprint.memory.terms import terms_of

READ_CHARACTERS = 20_000
"""How much of a long text is looked at for order and snippet; the index knows all of it."""

SNIPPET_CHARACTERS = 240
_TYPICAL_LENGTH = 60.0
_SATURATION = 1.2
_LENGTH_WEIGHT = 0.4
_DAY = 86_400
PHRASE_WORDS = 12


@dataclass(frozen=True)
class Candidate:
    """An entry that the index gave; `project` and `session` are names."""

    id: int
    text: str
    subject: str
    kind: str
    event: str
    session: str
    project: str
    timestamp: str
    length: int

    @cached_property
    def lower(self) -> str:
        """The text that is looked at, in lower case."""
        text = f"{self.subject} {self.text}" if self.subject else self.text
        return text[:READ_CHARACTERS].lower()

    @cached_property
    def terms(self) -> set[str]:
        """The terms of the whole text."""
        return terms_of(f"{self.subject}\n{self.text}")


def needles(clause: Clause) -> list[str]:
    """How a clause may be spelled in a text."""
    found: list[str] = []
    for option in clause.alternatives:
        found += (
            [option[0]] if len(option) == 1 else [sep.join(option) for sep in ("_", "-", " ", ".")]
        )
    return list(dict.fromkeys(found))


def relevance(candidate: Candidate, clauses: list[Clause], spellings: list[list[str]]) -> float:
    """BM25 over the clauses that the candidate holds, plus what neighbouring words are worth."""
    lower = candidate.lower
    norm = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * candidate.length / _TYPICAL_LENGTH)
    score = 0.0
    for clause, spelled in zip(clauses, spellings, strict=True):
        often = max(1, sum(map(lower.count, spelled)))
        score += clause.weight * often * (_SATURATION + 1) / (often + norm)
    return score


def neighbours(lower: str, pattern: re.Pattern[str] | None) -> float:
    """How much more a text counts that has the query's words side by side."""
    return 1.25 if pattern is not None and pattern.search(lower) else 1.0


def phrase_pattern(query: str) -> re.Pattern[str] | None:
    """Finds the words of a query one after the other in lower-cased text."""
    words = re.findall(r"[^\W_]+", query.lower())
    if not 2 <= len(words) <= PHRASE_WORDS:
        return None
    return re.compile(r"[\W_]{0,3}".join(map(re.escape, words)))


def circumstances(candidate: Candidate, now: int, preferred: set[str]) -> float:
    """What age, project and kind make of the relevance."""
    days = max(0.0, (now - candidate.id // SLOTS) / _DAY)
    factor = 1 + 0.3 / (1 + days / 30)
    if candidate.project in preferred:
        factor *= 1.2
    if candidate.kind == "note":
        factor *= 1.2
    return factor


def snippet(text: str, spelled: list[str]) -> str:
    """The part of the text around the words that were found, on one line."""
    lower = text[:READ_CHARACTERS].lower()
    places = sorted({p for needle in spelled if (p := lower.find(needle)) >= 0})
    start = _best_start(places)
    if len(text) <= SNIPPET_CHARACTERS:
        start = 0
    part = text[start : start + SNIPPET_CHARACTERS]
    before = "\u2026" if start else ""
    after = "\u2026" if start + SNIPPET_CHARACTERS < len(text) else ""
    return f"{before}{' '.join(part.split())}{after}"


def _best_start(places: list[int]) -> int:
    """Where a window begins that shows the most of these places."""
    if not places:
        return 0
    best = max(
        places, key=lambda p: (sum(p <= q < p + SNIPPET_CHARACTERS - 40 for q in places), -p)
    )
    return max(0, best - 40)
