"""`imprint setup`: what to write into a Copilot home, as a plan."""

import datetime as dt
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from imprint.base.errors import RefusedError
from imprint.base.paths import Environment
from imprint.compat.decide import Decision
from imprint.copilot.clients import find_clients, is_installed
from imprint.copilot.contract import CopilotContract
from imprint.copilot.homes import CopilotHome, HomeSource, is_mounted_drive, is_wsl
from imprint.copilot.parts import Part, read_parts
from imprint.copilot.receipts import file_receipt, load_receipt, merge_receipt, receipt_path
from imprint.copilot.report import Change, DecisionData, PlanData, changes_of, keep_edited
from imprint.copilot.runtime import Runtime
from imprint.copilot.vscode import find_leftovers
from imprint.edit.plan import FileChange, Plan, missing_directories, read
from imprint.edit.receipt import Receipt, encode

_WHY = {
    "entry": "Copilot starts Imprint's MCP server",
    "block": "Copilot's instructions say that there is a memory",
    "hooks": "Copilot runs Imprint at SessionStart and Stop",
}

# Copilot itself makes its configuration readable for the user alone.
_MODE = 0o600


class CopilotMissingError(RefusedError):
    """There is no Copilot here to set up."""

    code = "copilot-not-found"


class WrongSystemError(RefusedError):
    """The home is that of a Copilot on the other side of WSL."""

    code = "wrong-system"


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """What setup would do. An empty plan: all is as it should be, or `protected` says why not.

    `notes` are for people: what was kept aside, left alone, or looks like a mistake.
    """

    plan: Plan
    decisions: tuple[Decision, ...]
    notes: tuple[str, ...] = ()
    protected: str | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """The plan's summary."""
        return changes_of(self.plan)

    def data(self) -> PlanData:
        """The form that `--json` prints."""
        return PlanData(
            str(self.plan.home),
            self.changes,
            tuple(DecisionData.of(decision) for decision in self.decisions),
            self.notes,
            self.protected,
        )


def plan_setup(
    environment: Environment,
    home: CopilotHome,
    contract: CopilotContract,
    *,
    runtime: Runtime,
    now: dt.datetime,
    force: bool = False,
) -> SetupPlan:
    """Plan the entry, the block, the hooks file and the receipt; remove what older Imprints left.

    Reads only. `force` takes over a home that belongs to another Imprint, and sets up where no
    Copilot was found. Raises CopilotMissingError, and RefusedError with file, line and column for
    what cannot be edited.
    """
    notes = [*_first_notes(environment, home, force=force), *_contract_notes(contract)]
    layout = environment.layout()
    receipt = load_receipt(layout, home.path)
    earlier_python = receipt.runtime if receipt else ""
    parts = read_parts(home, runtime, contract, earlier_python=earlier_python)
    if parts.owner.protects and not force:
        return SetupPlan(Plan(home.path, ()), contract.decisions, tuple(notes), parts.owner.reason)
    changes = [_change_of(part) for part in parts]
    kept = _edited_hooks(home, parts.hooks, receipt)
    if kept is not None:
        changes.insert(0, kept)
        notes.append(f"{home.hooks_file} was edited; your version is kept as {kept.path}")
    leftovers = find_leftovers(environment, runtime, force=force)
    notes += leftovers.notes
    changes += leftovers.changes
    plan = Plan(home.path, tuple(changes))
    draft = _draft(plan, contract, runtime, now)
    written = merge_receipt(draft, home, parts, receipt)
    path = receipt_path(layout, home.path)
    first = FileChange(path, read(path), encode(written), "what disconnect needs to undo it", _MODE)
    everything = tuple(change for change in (first, *plan.changes) if change.is_change)
    return SetupPlan(Plan(home.path, everything), contract.decisions, tuple(notes))


def _first_notes(environment: Environment, home: CopilotHome, *, force: bool) -> tuple[str, ...]:
    """What to tell before anything else; CopilotMissingError where there is nothing to set up."""
    named = home.source in {HomeSource.GIVEN, HomeSource.SNAP}
    if not (named or force or is_installed(home, find_clients(environment))):
        raise CopilotMissingError(
            f"no Copilot found: no folder {home.path}, no copilot on PATH, no VS Code",
            fix="install the Copilot CLI or VS Code, or name a Copilot home with --home",
        )
    if is_wsl(environment) and is_mounted_drive(home.path) and not force:
        raise WrongSystemError(
            f"{home.path} belongs to Copilot on Windows, which cannot start this Imprint in WSL",
            fix="run Imprint on Windows; with --force if only Copilot inside WSL uses that home",
        )
    notes = []
    if is_wsl(environment) and environment.home.as_posix() == "/root":
        notes.append("this is WSL as root: Copilot of another user, or of Windows, is not reached")
    if set("[]") & set(os.path.realpath(home.path)):
        # Seen with 1.0.40, which reads none there; 1.0.102 does.
        notes.append(f"early Copilot releases find no hooks below a folder with [ ]: {home.path}")
    return tuple(notes)


def _contract_notes(contract: CopilotContract) -> Iterator[str]:
    """What this Copilot is known to be unable to."""
    if not contract.hooks:
        yield f"{_named(contract)} runs no hooks of its home: `imprint learn` learns without them"
    elif contract.context_shape == "none":
        yield (
            f"{_named(contract)} gives no hook's context to the model at the start of a session;"
            " the model still has the tool `recall`"
        )
    if not contract.entry:
        yield f"{_named(contract)} starts no server from its home: the memory has no tools there"
    if not contract.block:
        yield f"{_named(contract)} reads no instructions from its home"


def _named(contract: CopilotContract) -> str:
    return f"Copilot {contract.version}" if contract.version else "this Copilot"


def _change_of(part: Part) -> FileChange:
    return FileChange(part.path, part.current, part.wanted, _WHY[part.name], _MODE)


def _edited_hooks(home: CopilotHome, hooks: Part, receipt: Receipt | None) -> FileChange | None:
    """The copy of a hooks file that is not what any Imprint wrote, before it is replaced."""
    if not hooks.edited or hooks.current is None or hooks.current == hooks.wanted:
        return None
    known = file_receipt(receipt, home, hooks.path)
    if known is not None and known.after == hashlib.sha256(hooks.current).hexdigest():
        return None
    return keep_edited(hooks.path, hooks.current)


def _draft(
    plan: Plan,
    contract: CopilotContract,
    runtime: Runtime,
    now: dt.datetime,
) -> Receipt:
    """What this very setup would put on record, files and earlier setups aside."""
    return Receipt(
        home=str(plan.home),
        imprint_version=runtime.version,
        runtime=str(runtime.python),
        written_at=now.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        files=(),
        created_directories=tuple(map(str, missing_directories(plan))),
        decisions=contract.record,
        copilot_version=contract.version,
    )
