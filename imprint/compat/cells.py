"""The matrix as cells, one per question and release, and what two releases answer differently."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TypeGuard

import msgspec

from imprint.compat.answers import Answer, answer
from imprint.compat.catalogue import Catalogue
from imprint.compat.claim import Claim, Kind
from imprint.compat.evidence import Basis, Evidence, Reason, least, weakest
from imprint.compat.matrix import Matrix, UnreadableMatrix
from imprint.compat.values import Question, Scalar, Value


class Cell(msgspec.Struct, frozen=True):
    """One answer; `value` and `tier` are None where it is unknown, and `reason` says why."""

    claim: str
    version: str
    platform: str
    value: Value | None
    basis: Basis
    tier: Evidence | None
    observed_in: tuple[str, ...]
    reason: Reason | None


class Change(msgspec.Struct, frozen=True):
    """A question that two releases are known to answer differently."""

    claim: str
    before: Cell
    after: Cell


class Difference(msgspec.Struct, frozen=True):
    """What differs; `unknown` counts the questions that one of the two has no answer to."""

    changes: tuple[Change, ...]
    unknown: int


def questions_of(claim: Claim, matrix: Matrix | UnreadableMatrix) -> tuple[Question, ...]:
    """The questions of a claim: of a table each entry that it names or that was observed."""
    if claim.kind is not Kind.TABLE:
        return (Question(claim.id),)
    names = dict.fromkeys(claim.keys)
    if isinstance(matrix, Matrix):
        parsed = (Question.parse(text) for text in matrix.questions)
        names |= dict.fromkeys(one.entry for one in parsed if one and one.claim == claim.id)
    found = tuple(Question(claim.id, name) for name in names if name)
    return found or (Question(claim.id),)


def selected(
    catalogue: Catalogue, text: str, matrix: Matrix | UnreadableMatrix
) -> tuple[Question, ...]:
    """What `id`, `id[Entry]` or a pattern of either asks; every claim for the empty text.

    `UnknownClaim` where it names none.
    """
    pattern, bracket, entries = text.removesuffix("]").partition("[")
    matching = catalogue.matching(pattern or "*")
    if not bracket:
        return tuple(Question(claim.id) for claim in matching) or (catalogue.question(text),)
    found = [
        question
        for claim in matching
        for question in questions_of(claim, matrix)
        if question.entry and fnmatchcase(question.entry, entries)
    ]
    return tuple(found) or (catalogue.question(text),)


def together(changes: Iterable[Change]) -> tuple[tuple[Change, ...], ...]:
    """Entries of one claim that changed alike, in the order of the first of each."""
    groups: dict[tuple[str, str, str], list[Change]] = {}
    for change in changes:
        key = (question_of(change).claim, repr(change.before.value), repr(change.after.value))
        groups.setdefault(key, []).append(change)
    return tuple(tuple(group) for group in groups.values())


def question_of(change: Change) -> Question:
    """What changed."""
    return Question.parse(change.claim) or Question(change.claim)


def cells(
    catalogue: Catalogue,
    matrix: Matrix | UnreadableMatrix,
    questions: Iterable[Question],
    versions: Iterable[str],
    platform: str,
) -> tuple[Cell, ...]:
    """The cells of these questions and releases, question by question.

    A table asked for as a whole is one cell: the entries that are known, and their weakest basis.
    """
    asked = tuple(versions)
    return tuple(
        _cell_of(catalogue[one.claim], one, version, platform, matrix)
        for one in questions
        for version in asked
    )


def differences(
    catalogue: Catalogue,
    matrix: Matrix | UnreadableMatrix,
    before: str,
    after: str,
    platform: str,
) -> Difference:
    """Every question that the two releases answer differently."""
    claims = catalogue.claims.values()
    questions = [one for claim in claims for one in questions_of(claim, matrix)]
    return compared(
        (
            _cell_of(catalogue[one.claim], one, before, platform, matrix),
            _cell_of(catalogue[one.claim], one, after, platform, matrix),
        )
        for one in questions
    )


def compared(pairs: Iterable[tuple[Cell, Cell]]) -> Difference:
    """Answers of two releases to the same questions."""
    changes, unknown = [], 0
    for old, new in pairs:
        if old.value is None or new.value is None:
            unknown += 1
        elif old.value != new.value:
            changes.append(Change(old.claim, old, new))
    return Difference(tuple(changes), unknown)


def _cell_of(
    claim: Claim, question: Question, version: str, platform: str, matrix: Matrix | UnreadableMatrix
) -> Cell:
    if question.entry or claim.kind is not Kind.TABLE:
        return _cell(answer(claim, question.entry, version, platform, matrix))
    answers = [
        answer(claim, one.entry, version, platform, matrix) for one in questions_of(claim, matrix)
    ]
    known = [one for one in answers if one.is_known]
    if not known:
        return msgspec.structs.replace(_cell(answers[0]), claim=claim.id)
    return Cell(
        claim=claim.id,
        version=version,
        platform=platform,
        value={one.question.entry: one.value for one in known if _is_scalar(one.value)},
        basis=weakest(one.basis for one in known),
        tier=least(one.tier for one in known if one.tier),
        observed_in=tuple(dict.fromkeys(seen for one in known for seen in one.observed_in)),
        reason=None,
    )


def _is_scalar(value: Value | None) -> TypeGuard[Scalar]:
    return isinstance(value, (str, int, float))


def _cell(found: Answer) -> Cell:
    return Cell(
        claim=str(found.question),
        version=found.version,
        platform=found.platform,
        value=found.value,
        basis=found.basis,
        tier=found.tier,
        observed_in=found.observed_in,
        reason=found.reason,
    )
