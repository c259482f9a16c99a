"""From attempts to the one row of a claim in a run: what flips or fails a control is no answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from imprint.compat.evidence import Evidence
from imprint.compat.observation import Controls, Outcome, Row
from imprint.compat.values import Scalar, Value

MIXED = "mixed"
CONTROL_FAILED = "control-failed"
UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One asking of one claim: `value` where it was observed, `reason` where it was not.

    `evidence` is the digest of the normalised evidence.
    """

    outcome: Outcome
    controls: Controls | None = None
    value: Value | None = None
    reason: str = ""
    evidence: str = ""

    @property
    def failure(self) -> tuple[Outcome, str] | None:
        """Why it proves nothing; None where it does."""
        if self.outcome is not Outcome.OBSERVED:
            return self.outcome, self.reason or UNEXPLAINED
        if self.value is None:
            return Outcome.INCONCLUSIVE, self.reason or UNEXPLAINED
        if self.controls is None or not (self.controls.positive and self.controls.negative):
            return Outcome.INCONCLUSIVE, CONTROL_FAILED
        return None


def row_of(claim: str, tier: Evidence, attempts: Sequence[Attempt]) -> Row:
    """The row of one attempt or more; `ValueError` for none.

    One attempt that proves nothing makes the row so. Of a table the entries on which all
    attempts agree are kept; anything else that differs is mixed.
    """
    if not attempts:
        raise ValueError(f"{claim} was not asked")
    values = tuple(one.value for one in attempts if one.value is not None)
    failures = [one.failure for one in attempts if one.failure]
    if failures:
        outcome, reason = failures[0]
        return Row(claim, outcome, tier, _controls(attempts), attempts=values, reason=reason)
    agreed = _agreed(values)
    return Row(
        claim,
        Outcome.INCONCLUSIVE if agreed is None else Outcome.OBSERVED,
        tier,
        _controls(attempts),
        agreed,
        values,
        MIXED if agreed is None else "",
        attempts[0].evidence,
    )


def _agreed(values: Sequence[Value]) -> Value | None:
    """What all values have in common; None where that is nothing."""
    first = values[0]
    if all(value == first for value in values):
        return first
    tables = [value for value in values if isinstance(value, dict)]
    if len(tables) < len(values):
        return None
    return _common(tables) or None


def _common(tables: Sequence[dict[str, Scalar]]) -> dict[str, Scalar]:
    return {
        name: entry
        for name, entry in tables[0].items()
        if all(table.get(name) == entry for table in tables)
    }


def _controls(attempts: Sequence[Attempt]) -> Controls | None:
    """Those of all attempts together; None where one was not controlled."""
    controls = [one.controls for one in attempts if one.controls]
    if len(controls) < len(attempts):
        return None
    return Controls(
        positive=all(one.positive for one in controls),
        negative=all(one.negative for one in controls),
    )
