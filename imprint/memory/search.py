"""Finding: candidates from the index, then an order by relevance, age and project.

All words of the query must be there; where that finds nothing, other forms and the words that
were probably meant count too; and last, the greater part of the words if it has the greater part
of the weight. So a search for what was never said finds nothing.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from imprint.base.errors import UsageError
from imprint.memory.batch import SLOTS
from imprint.memory.entries import (
    TALK_TERM,
    filter_term,
    project_term,
    seconds_of,
)
from imprint.memory.projects import find_projects, projects_around
from imprint.memory.query import Clause, clause_of, clauses_of
from imprint.memory.ranking import (
    Candidate,
    circumstances,
    needles,
    neighbours,
    phrase_pattern,
    relevance,
    snippet,
)
from imprint.memory.records import TALK_KINDS, Hit, Kind
from imprint.memory.vocabulary import Vocabulary

CANDIDATES = 300
"""The newest that fulfil a query are weighed; more would only make common words slow."""
PART_OF_WEIGHT = 0.6
NO_TERM = "_none"
"""A term that no entry has."""


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


class _Index:
    """The index, seen through the filters of one search."""

    def __init__(self, sql: sqlite3.Connection, search: Search) -> None:
        self._sql = sql
        self._filters = _filters(sql, search)
        self.preferred = projects_around(sql, search.prefer) if search.prefer else set()
        self._lowest = _bound(search.since, 0)
        self._highest = _bound(search.until, 2**62)

    def find(self, expression: str) -> list[Candidate]:
        """The newest entries that fulfil the expression and all filters."""
        match = " AND ".join([expression, *self._filters])
        rows = self._sql.execute(
            "SELECT entry.id, text, subject, kind, event, coalesce(key, ''), name, timestamp,"
            " length FROM (SELECT rowid AS found FROM entry_index WHERE entry_index MATCH ?"
            " AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?)"
            " JOIN entry ON entry.id = found JOIN project ON project.id = entry.project"
            " LEFT JOIN session ON session.id = entry.session",
            (match, self._lowest, self._highest, CANDIDATES),
        )
        return [Candidate(*row) for row in rows]


def run(sql: sqlite3.Connection, search: Search, now: int) -> list[Hit]:
    """Search the store."""
    vocabulary = Vocabulary(sql)
    clauses = clauses_of(search.query, vocabulary)
    if not clauses or search.limit <= 0:
        return []
    index = _Index(sql, search)
    found: dict[int, _Scored] = {}
    for stage in _stages(index, clauses, vocabulary, search.stemming):
        _score(found, stage, index.preferred, search, now)
        if len(found) >= search.limit:
            break
    if not found:
        resort = _last_resort(index, clauses, vocabulary, search.stemming)
        _score(found, resort, index.preferred, search, now)
    best = sorted(found.values(), key=lambda scored: (-scored.score, -scored.candidate.id))
    return [_hit(scored) for scored in _distinct(best, search.limit)]


@dataclass(frozen=True, slots=True)
class _Stage:
    """Candidates of one reading of the query, and what they are worth beside a closer one."""

    clauses: list[Clause]
    candidates: list[Candidate]
    worth: float


@dataclass(frozen=True, slots=True)
class _Scored:
    """A candidate with its score, and how the words that it was found by may be spelled."""

    candidate: Candidate
    score: float
    spelled: list[str]


def _stages(
    index: _Index, clauses: list[Clause], vocabulary: Vocabulary, stemming: bool
) -> Iterator[_Stage]:
    """The readings of a query, the closest first, each found when it is asked for."""
    if all(clause.entries for clause in clauses):
        yield _Stage(clauses, index.find(_conjunction(clauses)), 1.0)
    wider = [_widened(clause, vocabulary, stemming) for clause in clauses]
    if wider != clauses and all(clause.entries for clause in wider):
        yield _Stage(wider, index.find(_conjunction(wider)), 0.7)


def _last_resort(
    index: _Index, clauses: list[Clause], vocabulary: Vocabulary, stemming: bool
) -> _Stage:
    """Most of the words: more than half of them, with the greater part of the weight."""
    wider = [_widened(clause, vocabulary, stemming) for clause in clauses]
    wanted = PART_OF_WEIGHT * sum(clause.weight for clause in clauses)
    known = sorted((c for c in wider if c.entries), key=lambda clause: -clause.weight)
    leading = _indispensable(known, wanted)
    if not leading or 2 * len(known) <= len(clauses):
        return _Stage(known, [], 0.5)
    candidates = index.find(f"({' OR '.join(clause.expression for clause in leading)})")
    good = [c for c in candidates if _holds_most(c, known, len(clauses), wanted)]
    return _Stage(known, good, 0.5)


def _indispensable(known: list[Clause], wanted: float) -> list[Clause]:
    """The rarest clauses without any of which a text cannot reach the wanted weight."""
    rest = sum(clause.weight for clause in known)
    leading: list[Clause] = []
    for clause in known:
        if rest < wanted:
            break
        leading.append(clause)
        rest -= clause.weight
    return leading


def _holds_most(candidate: Candidate, known: list[Clause], count: int, wanted: float) -> bool:
    held = [clause for clause in known if clause.holds(candidate.terms)]
    return 2 * len(held) > count and sum(clause.weight for clause in held) >= wanted


def _widened(clause: Clause, vocabulary: Vocabulary, stemming: bool) -> Clause:
    """The clause with other forms; where nothing has it, with what was probably meant."""
    sources: list[Callable[[str], list[str]]] = []
    if clause.unit.cjk:
        return clause
    if stemming:
        sources.append(vocabulary.forms)
    if not clause.entries:
        sources += [vocabulary.completions, vocabulary.meant]
    for source in sources:
        wider = clause_of(clause.unit, vocabulary, source)
        if wider.entries > clause.entries:
            return wider
    return clause


def _conjunction(clauses: list[Clause]) -> str:
    return " AND ".join(clause.expression for clause in sorted(clauses, key=lambda c: c.entries))


def _score(
    found: dict[int, _Scored], stage: _Stage, preferred: set[str], search: Search, now: int
) -> None:
    """Add the stage's candidates to what a closer reading found."""
    spellings = [needles(clause) for clause in stage.clauses]
    flat = [needle for spelled in spellings for needle in spelled]
    pattern = phrase_pattern(search.query)
    for candidate in stage.candidates:
        if candidate.id in found:
            continue
        score = relevance(candidate, stage.clauses, spellings)
        score *= neighbours(candidate.lower, pattern)
        score *= circumstances(candidate, now, preferred) * stage.worth
        found[candidate.id] = _Scored(candidate, score, flat)


def _hit(scored: _Scored) -> Hit:
    candidate = scored.candidate
    text = f"{candidate.subject}\n{candidate.text}" if candidate.subject else candidate.text
    return Hit(
        id=candidate.id,
        text=text,
        role=candidate.kind,
        session=candidate.session,
        project=candidate.project,
        timestamp=candidate.timestamp,
        score=round(scored.score, 4),
        snippet=snippet(text, scored.spelled),
        note=candidate.event if candidate.kind == "note" else "",
    )


def _distinct(best: list[_Scored], limit: int) -> Iterator[_Scored]:
    """The first ones without repetitions: forked and copied sessions hold the same words twice."""
    seen: set[tuple[str, str, str]] = set()
    for scored in best:
        candidate = scored.candidate
        words = (candidate.kind, candidate.subject, " ".join(candidate.text.split()))
        if words not in seen:
            seen.add(words)
            yield scored
        if len(seen) >= limit:
            return


def _filters(sql: sqlite3.Connection, search: Search) -> list[str]:
    kinds = [kind for kind in search.kinds if search.role in {None, kind}]
    if set(kinds) == set(TALK_KINDS):
        terms = [TALK_TERM]
    else:
        terms = [filter_term(kind) for kind in kinds] or [NO_TERM]
    found = [_any_of(terms)]
    if search.project is not None:
        projects = [project_term(number) for number in find_projects(sql, search.project)]
        found.append(_any_of(projects or [NO_TERM]))
    return found


def _any_of(terms: list[str]) -> str:
    return "(" + " OR ".join(f'"{term}"' for term in terms) + ")"


def _bound(time: str | None, default: int) -> int:
    if not time:
        return default
    seconds = seconds_of(time)
    if seconds is None:
        raise UsageError(f"{time!r} is no time", fix="write it like 2026-05-01 or 2026-05-01T10:00")
    return seconds * SLOTS
