"""`imprint wsl setup`: what to write into a distribution's Copilot home, as a plan."""

import datetime as dt
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from imprint.base.errors import RefusedError
from imprint.base.paths import Environment, Layout
from imprint.copilot.contract import CopilotContract
from imprint.copilot.parts import Part
from imprint.copilot.receipts import file_receipt, merge_receipt
from imprint.copilot.report import DecisionData, PlanData, changes_of, keep_edited
from imprint.edit.errors import NotWritable
from imprint.edit.plan import FileChange, Plan, missing_directories, read
from imprint.edit.receipt import Receipt, load
from imprint.edit.receipt import encode as encode_receipt
from imprint.wsl.launcher import launcher_text
from imprint.wsl.probe import Probe
from imprint.wsl.profile import Profile, encode, profile_path, real_launcher, receipt_path
from imprint.wsl.target import PRIVATE, PROGRAM, Target, modes_of, read_target, refuse_links
from imprint.wsl.windows import Share, WindowsSide

_WHY = {
    "launcher": "starts Imprint on Windows",
    "entry": "Copilot starts Imprint's MCP server through the launcher",
    "block": "Copilot's instructions say that there is a memory",
    "hooks": "Copilot runs the launcher at SessionStart and Stop",
}


class CopilotMissingError(RefusedError):
    """The distribution has no Copilot home."""

    code = "copilot-not-found"


class LauncherEditedError(RefusedError):
    """The launcher is not as Imprint wrote it."""

    code = "launcher-edited"


@dataclass(frozen=True, slots=True)
class WslSetup:
    """What setup would do in one distribution.

    `modes` are the permissions that files must get, by their path in the distribution, once the
    plan was carried out: Windows cannot give them.
    """

    profile: Profile
    found: Probe
    plan: Plan
    contract: CopilotContract
    modes: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    protected: str | None = None

    def data(self) -> PlanData:
        """The form that `--json` prints."""
        return PlanData(
            str(self.plan.home),
            changes_of(self.plan),
            tuple(DecisionData.of(decision) for decision in self.contract.decisions),
            self.notes,
            self.protected,
        )


def plan_wsl_setup(
    environment: Environment,
    distribution: str,
    found: Probe,
    contract: CopilotContract,
    *,
    side: WindowsSide,
    share: Share,
    now: dt.datetime,
    force: bool = False,
) -> WslSetup:
    """Plan launcher, entry, block, hooks, profile and receipt; reads only.

    `force` takes over what another Imprint set up, and a launcher that was edited. Raises
    CopilotMissingError, LinkedFileError, NotWritable, NoDriveError, LauncherEditedError, and
    RefusedError with file, line and column for what cannot be edited.
    """
    _refuse_impossible(distribution, found)
    profile = Profile.of(distribution, found, share)
    layout = environment.layout()
    script = launcher_text(side, distribution, found.mounts)
    target = read_target(
        profile, contract, store=side.store, script=script, with_hooks=profile.hooks
    )
    notes = tuple(_notes(distribution, found, contract))
    if target.protected and not force:
        nothing = Plan(target.home.path, ())
        return WslSetup(profile, found, nothing, contract, (), notes, target.protected)
    receipt = load(receipt_path(layout, profile))
    changes, kept = _home_changes(target, receipt, force=force)
    plan = Plan(target.home.path, changes)
    records = _records(layout, target, receipt, _draft(plan, contract, side, now))
    everything = tuple(change for change in (*records, *plan.changes) if change.is_change)
    return WslSetup(
        profile,
        found,
        Plan(target.home.path, everything),
        contract,
        _modes(profile, found, changes),
        (*notes, *kept),
    )


def _refuse_impossible(distribution: str, found: Probe) -> None:
    if not found.exists:
        raise CopilotMissingError(
            f"{distribution} has no Copilot home: there is no folder {found.copilot}",
            fix="start `copilot` in the distribution once, or name its home with --home",
        )
    if not found.writable:
        raise NotWritable(
            f"{found.user} cannot write to {found.copilot} in {distribution}; nothing was changed",
            fix="see how it is mounted, and whose it is (mount; ls -ld), in the distribution",
        )
    refuse_links(found)


def _notes(distribution: str, found: Probe, contract: CopilotContract) -> Iterator[str]:
    if not found.bash:
        yield (
            f"{distribution} has no /bin/bash, with which Copilot runs every hook, so no hooks were"
            " written: install bash and run setup again (`imprint learn` learns without hooks)"
        )
    elif not contract.hooks:
        yield "this Copilot runs no hooks of its home: `imprint learn` learns without them"
    if found.user == "root":
        yield f"{distribution} starts as root: the Copilot of another user in it is not reached"


def _home_changes(
    target: Target, receipt: Receipt | None, *, force: bool
) -> tuple[tuple[FileChange, ...], tuple[str, ...]]:
    """The home's own changes, with copies of what the user wrote into files of ours."""
    changes: list[FileChange] = []
    notes: list[str] = []
    for part in (target.launcher, target.hooks, target.entry, target.block):
        kept = _kept(target, part, receipt)
        if kept is not None:
            if part is target.launcher and not force:
                raise LauncherEditedError(
                    f"{part.path} is not as Imprint wrote it; nothing was changed",
                    fix="run setup with --force: your version is kept beside the new one",
                )
            changes.append(kept)
            notes.append(f"{part.path} was edited; your version is kept as {kept.path}")
        mode = PROGRAM if part is target.launcher else PRIVATE
        changes.append(FileChange(part.path, part.current, part.wanted, _WHY[part.name], mode))
    return tuple(changes), tuple(notes)


def _kept(target: Target, part: Part, receipt: Receipt | None) -> FileChange | None:
    """A copy of an edited file before it is replaced; None where no words of the user's go."""
    if not part.edited or part.current is None or part.current == part.wanted:
        return None
    known = file_receipt(receipt, target.home, part.path)
    if known is not None and known.after == hashlib.sha256(part.current).hexdigest():
        return None
    return keep_edited(part.path, part.current)


def _records(
    layout: Layout, target: Target, receipt: Receipt | None, draft: Receipt
) -> tuple[FileChange, ...]:
    """Profile and receipt, in Imprint's own folder."""
    written = encode_receipt(merge_receipt(draft, target.home, target, receipt))
    profile = encode(target.profile)
    return (
        _own(receipt_path(layout, target.profile), written, "what remove needs to undo it"),
        _own(profile_path(layout, target.profile), profile, "which distribution's home it is"),
    )


def _own(path: Path, data: bytes, why: str) -> FileChange:
    return FileChange(path, read(path), data, why, PRIVATE)


def _modes(
    profile: Profile, found: Probe, changes: tuple[FileChange, ...]
) -> tuple[tuple[str, int], ...]:
    """What to set: the launcher always, unless all is as it should be; the others if written."""
    modes = {**modes_of(profile, found, changes), real_launcher(profile): PROGRAM}
    is_fine = found.launcher == "executable" and not any(change.is_change for change in changes)
    return () if is_fine else tuple(modes.items())


def _draft(plan: Plan, contract: CopilotContract, side: WindowsSide, now: dt.datetime) -> Receipt:
    """What this very setup would put on record, files and earlier setups aside."""
    return Receipt(
        home=str(plan.home),
        imprint_version=side.version,
        runtime=side.python,
        written_at=now.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        files=(),
        created_directories=tuple(map(str, missing_directories(plan))),
        decisions=contract.record,
        copilot_version=contract.version,
    )
