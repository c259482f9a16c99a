"""What setup and disconnect say about their plans, as values that encode to JSON."""

import itertools
from enum import StrEnum
from pathlib import Path

import msgspec

from imprint.copilot.contract import Decision
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


class PlanData(msgspec.Struct, frozen=True):
    """`data` of setup and disconnect.

    `protected` says why nothing was planned, None where nothing stands in the way.
    """

    home: str
    changes: tuple[Change, ...] = ()
    decisions: tuple[Decision, ...] = ()
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
