"""`imprint wsl remove`: take out of a distribution what is Imprint's, as a plan."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from imprint.base.errors import RefusedError
from imprint.base.paths import Environment, Layout
from imprint.copilot.mcp_entry import Owner
from imprint.copilot.receipts import file_receipt, recorded_contract
from imprint.copilot.removal import Removal
from imprint.copilot.report import PlanData, changes_of
from imprint.edit.plan import FileChange, Plan, read
from imprint.edit.receipt import Receipt, load
from imprint.wsl.probe import LAUNCHER, Probe
from imprint.wsl.profile import Profile, folder_of, load_profiles, profile_path, receipt_path
from imprint.wsl.target import modes_of, read_target, refuse_links

_WHY = {
    "launcher": "the launcher",
    "entry": "without Imprint's MCP server",
    "block": "without Imprint's block",
    "hooks": "Imprint's hooks",
}
_LOGS = (f"{LAUNCHER}.log", f"{LAUNCHER}.log.1", f"{LAUNCHER}.log.2")


class NotRegistered(RefusedError):
    """Nothing was set up there."""

    code = "wsl-not-registered"


@dataclass(frozen=True, slots=True)
class WslRemoval:
    """What remove would do in one distribution; `exact`: every file gets its original bytes.

    `modes` as for setup: the permissions of the files that are rewritten.
    """

    profile: Profile
    plan: Plan
    notes: tuple[str, ...] = ()
    protected: str | None = None
    exact: bool = True
    modes: tuple[tuple[str, int], ...] = ()

    def data(self) -> PlanData:
        """The form that `--json` prints."""
        return PlanData(self.profile.local, changes_of(self.plan), (), self.notes, self.protected)


def registered(layout: Layout, distribution: str | None) -> tuple[Profile, ...]:
    """The profiles of a distribution (of all, without a name); NotRegistered where there is none.

    The distribution itself is not asked: it may be gone.
    """
    found = load_profiles(layout)
    wanted = tuple(
        item
        for item in found
        if distribution is None or item.distribution.lower() == distribution.lower()
    )
    if not wanted:
        names = ", ".join(dict.fromkeys(item.distribution for item in found)) or "none"
        what = f"{distribution} is not set up" if distribution else "no distribution is set up"
        raise NotRegistered(f"{what}; set up: {names}", fix="see `imprint wsl list`")
    return wanted


def plan_wsl_remove(
    environment: Environment,
    profile: Profile,
    found: Probe | None,
    *,
    store: str,
    force: bool = False,
) -> WslRemoval:
    """Plan the removal: configuration first, the launcher after it, the records last; reads only.

    `found` is what the distribution says now; None: it is gone, and only the records go (as they
    do where only its Copilot home is gone).
    `force` removes what another Imprint wrote, too. Raises LinkedFileError, and RefusedError with
    file, line and column for what cannot be edited.
    """
    layout = environment.layout()
    if found is None or not found.exists:
        what = f"{profile.home} in {profile.distribution} is gone; its record was forgotten"
        records = tuple(_records(layout, profile))
        return WslRemoval(profile, Plan(folder_of(layout), records), (what,))
    refuse_links(found)
    receipt = load(receipt_path(layout, profile))
    target = read_target(profile, recorded_contract(receipt, "linux"), store=store)
    if target.owner.owner is Owner.ANOTHER and not force:
        records = tuple(_records(layout, profile))
        return WslRemoval(profile, Plan(Path(profile.local), records), (), target.protected)
    removals = [
        Removal.of(part, file_receipt(receipt, target.home, part.path), _WHY[part.name])
        for part in target
    ]
    changes = (
        *(removal.change for removal in removals),
        *(removal.kept for removal in removals if removal.kept is not None),
        *_logs(Path(profile.local)),
        *_records(layout, profile),
    )
    plan = Plan(
        Path(profile.local),
        tuple(change for change in changes if change.is_change),
        remove_empty=_created_directories(receipt),
    )
    notes = [note for removal in removals for note in removal.notes()]
    if target.owner.owner is Owner.FOREIGN:
        notes.append(f"{target.home.mcp_config} is left alone: {target.owner.reason}")
    return WslRemoval(
        profile,
        plan,
        tuple(notes),
        exact=all(one.exact or not one.change.is_change for one in removals),
        modes=tuple(modes_of(profile, found, plan.changes).items()),
    )


def _records(layout: Layout, profile: Profile) -> Iterator[FileChange]:
    for path in (profile_path(layout, profile), receipt_path(layout, profile)):
        yield FileChange(path, read(path), None, "the record of setup")


def _logs(home: Path) -> Iterator[FileChange]:
    """What the launcher wrote while it could not reach Windows."""
    for name in _LOGS:
        yield FileChange(home / name, read(home / name), None, "the launcher's own log")


def _created_directories(receipt: Receipt | None) -> tuple[Path, ...]:
    """The folders that setup made, innermost first."""
    made = map(Path, receipt.created_directories if receipt else ())
    return tuple(sorted(made, key=lambda folder: len(folder.parts), reverse=True))
