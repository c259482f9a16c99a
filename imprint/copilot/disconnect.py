"""`imprint disconnect`: take out of a Copilot home what is Imprint's, as a plan."""

from dataclasses import dataclass
from pathlib import Path

from imprint.base.paths import Environment, Layout
from imprint.copilot.homes import CopilotHome
from imprint.copilot.mcp_entry import Owner
from imprint.copilot.parts import read_parts
from imprint.copilot.receipts import (
    file_receipt,
    load_receipt,
    receipt_path,
    recorded_contract,
)
from imprint.copilot.removal import Removal
from imprint.copilot.report import Change, PlanData, changes_of
from imprint.copilot.runtime import Runtime
from imprint.copilot.vscode import find_leftovers
from imprint.edit.plan import FileChange, Plan, read
from imprint.edit.receipt import Receipt

_WHY = {
    "entry": "without Imprint's MCP server",
    "block": "without Imprint's block",
    "hooks": "Imprint's hooks",
}


@dataclass(frozen=True, slots=True)
class DisconnectPlan:
    """What disconnect would do. An empty plan: nothing of Imprint's is there, or `protected`.

    `exact` says that every file gets back the very bytes from before setup.
    """

    plan: Plan
    notes: tuple[str, ...] = ()
    protected: str | None = None
    exact: bool = True

    @property
    def changes(self) -> tuple[Change, ...]:
        """The plan's summary."""
        return changes_of(self.plan)

    def data(self) -> PlanData:
        """The form that `--json` prints."""
        return PlanData(
            str(self.plan.home), self.changes, notes=self.notes, protected=self.protected
        )


def plan_disconnect(
    environment: Environment,
    home: CopilotHome,
    *,
    runtime: Runtime,
    force: bool = False,
) -> DisconnectPlan:
    """Plan the removal: what starts programs first, the receipt last.

    Reads only. While the receipt fits, the original bytes come back; where the files were edited
    since, or the receipt was lost, only what is provably Imprint's goes. `force` also removes
    what another Imprint wrote. Raises RefusedError with file, line and column for what cannot be
    edited.
    """
    layout = environment.layout()
    receipt = load_receipt(layout, home.path)
    parts = read_parts(
        home,
        runtime,
        recorded_contract(receipt, environment.platform),
        earlier_python=receipt.runtime if receipt else "",
    )
    if parts.owner.owner is Owner.ANOTHER and not force:
        stale = _stale_receipt(layout, home, runtime, receipt)
        return DisconnectPlan(Plan(home.path, stale), (), parts.owner.reason)
    removals = [
        Removal.of(part, file_receipt(receipt, home, part.path), _WHY[part.name]) for part in parts
    ]
    kept = tuple(removal.kept for removal in removals if removal.kept is not None)
    leftovers = find_leftovers(environment, runtime, force=force)
    changes = (
        *(removal.change for removal in removals),
        *kept,
        *leftovers.changes,
        *_receipt_removal(layout, home, receipt),
    )
    plan = Plan(
        home.path,
        tuple(change for change in changes if change.is_change),
        remove_empty=_created_directories(receipt),
    )
    notes = [note for removal in removals for note in removal.notes()]
    if parts.owner.owner is Owner.FOREIGN:
        notes.append(f"{home.mcp_config} is left alone: {parts.owner.reason}")
    return DisconnectPlan(
        plan,
        (*notes, *leftovers.notes),
        exact=all(removal.exact or not removal.change.is_change for removal in removals),
    )


def _receipt_removal(
    layout: Layout, home: CopilotHome, receipt: Receipt | None
) -> tuple[FileChange, ...]:
    if receipt is None:
        return ()
    path = receipt_path(layout, home.path)
    return (FileChange(path, read(path), None, "the record of setup"),)


def _stale_receipt(
    layout: Layout, home: CopilotHome, runtime: Runtime, receipt: Receipt | None
) -> tuple[FileChange, ...]:
    """Our receipt for a home that another Imprint took over: it describes nothing any more.

    Two installations that share an Imprint home share the receipt too: then it is the other's.
    """
    if receipt is None or Path(receipt.runtime) != runtime.python:
        return ()
    return _receipt_removal(layout, home, receipt)


def _created_directories(receipt: Receipt | None) -> tuple[Path, ...]:
    """The folders that setup made, innermost first."""
    made = map(Path, receipt.created_directories if receipt else ())
    return tuple(sorted(made, key=lambda folder: len(folder.parts), reverse=True))
