"""What a query asks for: clauses that a text must fulfil, each with its weight.

The query is data: whatever it holds, only its terms reach the index, each one quoted.
"""

from collections.abc import Callable
from dataclasses import dataclass

from imprint.memory.stopwords import is_filler_pair, is_stop_word
from imprint.memory.terms import Unit, clean, units_of
from imprint.memory.vocabulary import Vocabulary

CLAUSES = 24
"""More than that is somebody's pasted log; the rarest words of it decide."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One word of the query: alternatives, each a set of terms that must all be there."""

    unit: Unit
    alternatives: tuple[tuple[str, ...], ...]
    entries: int
    weight: float

    @property
    def expression(self) -> str:
        """The clause in the language of FTS5."""
        options = [" AND ".join(f'"{term}"' for term in terms) for terms in self.alternatives]
        return f"({options[0]})" if len(options) == 1 else f"(({') OR ('.join(options)}))"

    def holds(self, terms: set[str]) -> bool:
        """Whether a text with these terms fulfils the clause."""
        return any(terms.issuperset(option) for option in self.alternatives)


def clauses_of(query: str, vocabulary: Vocabulary) -> list[Clause]:
    """The clauses of a query, the heaviest (rarest) first."""
    units = _significant(list(dict.fromkeys(_split_cjk(units_of(clean(query))))))
    found = [clause_of(unit, vocabulary) for unit in units]
    found.sort(key=lambda clause: -clause.weight)
    return found[:CLAUSES]


def clause_of(
    unit: Unit, vocabulary: Vocabulary, others: Callable[[str], list[str]] | None = None
) -> Clause:
    """The clause of a unit; `others` gives further terms that count as good as a given one."""
    alternatives: list[tuple[str, ...]] = []
    if unit.whole:
        alternatives.append((unit.whole,))
        if others is not None:
            alternatives += [(other,) for other in others(unit.whole)]
    if unit.parts and (unit.cjk or all(map(str.isalpha, unit.parts))):
        # Not for numbers: a text with "word" here and "3" there says nothing of `word3`.
        alternatives.append(unit.parts)
        if others is not None:
            alternatives += _variants(unit.parts, others)
    options = tuple(dict.fromkeys(alternatives))
    entries = sum(min(map(vocabulary.entries, option)) for option in options)
    return Clause(unit, options, entries, vocabulary.rarity(entries))


def _variants(parts: tuple[str, ...], others: Callable[[str], list[str]]) -> list[tuple[str, ...]]:
    """The parts with one of them exchanged."""
    return [
        (*parts[:index], other, *parts[index + 1 :])
        for index, part in enumerate(parts)
        for other in others(part)
    ]


def _split_cjk(units: list[Unit]) -> list[Unit]:
    """CJK is written without spaces: each pair of characters is taken for a word."""
    found: list[Unit] = []
    for unit in units:
        pairs = unit.parts if unit.cjk else ()
        found += [Unit(pair, cjk=True) for pair in pairs] if pairs else [unit]
    return found


def _significant(units: list[Unit]) -> list[Unit]:
    """Without the words that say nothing, unless there are no others."""
    return [unit for unit in units if not _says_nothing(unit)] or units


def _says_nothing(unit: Unit) -> bool:
    return is_filler_pair(unit.whole) if unit.cjk else not unit.parts and is_stop_word(unit.whole)
