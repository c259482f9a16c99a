"""Observations: what one run of one release on one platform showed, claim by claim."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from imprint.compat.evidence import Evidence, Reason
from imprint.compat.values import Question, Scalar, Value, entries


class Outcome(StrEnum):
    """What came of asking."""

    OBSERVED = "observed"
    BLOCKED = "blocked"
    INCONCLUSIVE = "inconclusive"


class Controls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether the run found what is there, and did not find what is not there."""

    positive: bool
    negative: bool


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The answer of one release to one claim.

    `attempts` are the values of every attempt, in order. `reason` says why nothing was observed.
    `evidence` is the digest of the normalised evidence, `sha256:` and hexadecimal digits.
    """

    claim: str
    outcome: Outcome
    tier: Evidence
    controls: Controls | None = None
    value: Value | None = None
    attempts: tuple[Value, ...] = ()
    reason: str = ""
    evidence: str = ""


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The circumstances of the rows: what ran, by whom it was probed, how it was sealed off.

    Digests are of the executable before and after the run; times are ISO 8601 with UTC.
    """

    program: str
    version: str
    platform: str
    reported_version: str
    executable_before: str
    executable_after: str
    probe_revision: str
    isolation: str
    started_at: str
    ended_at: str


class Observations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of one release on one platform."""

    schema: int
    run: Run
    rows: tuple[Row, ...]

    @property
    def is_void(self) -> bool:
        """Whether another program ran than was meant: then nothing of the run counts."""
        run = self.run
        return run.reported_version != run.version or run.executable_before != run.executable_after


Judged = Value | Reason
"""A settled answer, or why there is none."""


def judge(row: Row) -> dict[Question, Judged]:
    """A row as one verdict per question. What is not observed, controlled and stable, is unknown.

    Attempts that differ make the question mixed: of a table only the entries that differ.
    """
    flipping = _flipping(row)
    if row.outcome is not Outcome.OBSERVED:
        why = Reason.BLOCKED if row.outcome is Outcome.BLOCKED else Reason.INCONCLUSIVE
        return {Question(row.claim): why, **flipping}
    if row.value is None or row.controls is None or not _is_controlled(row.controls):
        return {Question(row.claim): Reason.INCONCLUSIVE}
    return {**entries(row.claim, row.value), **flipping}


def judge_all(
    observations: Observations, claim: str = ""
) -> dict[Question, tuple[Judged, Evidence]]:
    """Every verdict of a run that counts (on one claim, if given), with its tier; none if void."""
    if observations.is_void:
        return {}
    return {
        question: (verdict, row.tier)
        for row in observations.rows
        if not claim or row.claim == claim
        for question, verdict in judge(row).items()
    }


def _is_controlled(controls: Controls) -> bool:
    return controls.positive and controls.negative


def _flipping(row: Row) -> dict[Question, Judged]:
    """The questions that attempts answer differently; an entry missing from one is a difference."""
    answers = [entries(row.claim, value) for value in (*row.attempts, *_value(row))]
    questions = {question for answer in answers for question in answer}
    return {
        question: Reason.MIXED
        for question in sorted(questions)
        if not _all_equal([answer.get(question) for answer in answers])
    }


def _value(row: Row) -> tuple[Value, ...]:
    return () if row.value is None else (row.value,)


def _all_equal(answers: Sequence[Value | Scalar | None]) -> bool:
    return all(answer == answers[0] for answer in answers)
