"""What setup and disconnect say about their plans, as values that encode to JSON."""

import itertools
from enum import StrEnum
from pathlib import Path

import msgspec

from imprint.compat.answers import Answer
from imprint.compat.decide import Code, Decision
from imprint.compat.values import Value
from imprint.edit.errors import FileError
from imprint.edit.plan import FileChange, Plan, read


class Action(StrEnum):
    """What happens to a file."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"


class Change(msgspec.Struct, frozen=True):
    """One file of a plan: `data.changes[]`."""

    path: str
    action: Action
    why: str

    @classmethod
    def of(cls, change: FileChange) -> "Change":
        """The summary of a file's change."""
        if change.before is None:
            action = Action.CREATE
        else:
            action = Action.DELETE if change.after is None else Action.CHANGE
        return cls(str(change.path), action, change.why)


def changes_of(plan: Plan) -> tuple[Change, ...]:
    """The summary of a plan: only what would really change."""
    return tuple(Change.of(change) for change in plan.changes if change.is_change)


class EvidenceData(msgspec.Struct, frozen=True):
    """An answer that a decision rests on, or one that is missing (`value` null, `reason` why)."""

    question: str
    version: str
    platform: str
    value: Value | None
    basis: str
    observed_in: tuple[str, ...]
    reason: str | None

    @classmethod
    def of(cls, answer: Answer) -> "EvidenceData":
        """The form that `--json` prints."""
        return cls(
            question=str(answer.question),
            version=answer.version,
            platform=answer.on or answer.platform,
            value=answer.value,
            basis=answer.basis,
            observed_in=answer.observed_in,
            reason=answer.reason,
        )


class DecisionData(msgspec.Struct, frozen=True):
    """What the compat matrix made setup do: `data.decisions[]`.

    `code` is `known`, or says why the action is the safe one; `what_to_do` how to know better.
    """

    claim: str
    decides: str
    action: str
    code: str
    basis: str
    evidence: tuple[EvidenceData, ...] = ()
    what_to_do: str = ""

    @classmethod
    def of(cls, decision: Decision) -> "DecisionData":
        """The form that `--json` prints."""
        return cls(
            claim=decision.claim,
            decides=decision.decides,
            action=decision.action,
            code=decision.code,
            basis=decision.basis,
            evidence=tuple(EvidenceData.of(answer) for answer in decision.evidence),
            what_to_do=decision.what_to_do,
        )

    @property
    def grounds(self) -> str:
        """What it rests on, for people: `observed in 1.0.102`, `unknown (no-rows)`."""
        if self.code != Code.KNOWN:
            return f"safe, because unknown: {self.code}"
        seen = dict.fromkeys(name for one in self.evidence for name in one.observed_in)
        return f"{self.basis} in {', '.join(seen)}"


class PlanData(msgspec.Struct, frozen=True):
    """`data` of setup and disconnect.

    `protected` says why nothing was planned, None where nothing stands in the way.
    """

    home: str
    changes: tuple[Change, ...] = ()
    decisions: tuple[DecisionData, ...] = ()
    notes: tuple[str, ...] = ()
    protected: str | None = None


def keep_edited(path: Path, data: bytes) -> FileChange | None:
    """Keep what the user wrote into a file of ours, beside it; None where it is kept already.

    The name does not end in `.json`: Copilot reads every such file in `hooks/`.
    """
    for number in itertools.count(1):
        beside = path.with_name(f"{path.name}.edited-{number}")
        try:
            found = read(beside)
        except FileError:
            continue
        if found == data:
            return None
        if found is None:
            return FileChange(beside, None, data, f"your version of {path.name}, kept", 0o600)
    raise AssertionError("counting never ends")
