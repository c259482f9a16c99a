"""The checks of registered distributions, for `imprint doctor`; none occurs where none is."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial

from imprint.base.checks import Check, CheckContext, Checker, Status
from imprint.base.errors import ImprintError
from imprint.copilot.parts import PartState
from imprint.copilot.receipts import recorded_contract
from imprint.edit.receipt import load
from imprint.wsl.distributions import list_distributions, list_running
from imprint.wsl.install import launcher_answers
from imprint.wsl.launcher import launcher_text
from imprint.wsl.profile import Profile, folder_of, load_profiles, receipt_path
from imprint.wsl.run_wsl import RunWsl, WslExe
from imprint.wsl.target import read_target
from imprint.wsl.windows import WindowsSide


class Id(StrEnum):
    """Stable, each explained in docs/doctor.md."""

    RECORDS = "wsl.records"
    DISTRIBUTIONS = "wsl.distributions"
    FILES = "wsl.files"
    LAUNCHER = "wsl.launcher"


IDS = tuple(Id)


def checkers(context: CheckContext) -> tuple[Checker, ...]:
    """What can be said without starting anything; with `live`, distributions are started too."""
    if not any(folder_of(context.environment.layout()).glob("*.json")):
        return ()
    chosen: list[tuple[Id, Callable[[CheckContext], Iterator[Check]]]] = [
        (Id.RECORDS, check_records),
        (Id.DISTRIBUTIONS, check_distributions),
        (Id.FILES, check_files),
    ]
    if context.live:
        chosen.append((Id.LAUNCHER, check_launchers))
    return tuple(Checker(name, partial(check, context)) for name, check in chosen)


def check_records(context: CheckContext) -> Iterator[Check]:
    """Every profile can be read: the bridge answers only for those."""
    try:
        profiles = load_profiles(context.environment.layout())
    except ImprintError as error:
        yield Check.of_error(Id.RECORDS, Status.BROKEN, error)
        return
    homes = ", ".join(f"{one.distribution} ({one.home})" for one in profiles)
    yield Check(Id.RECORDS, Status.OK, f"set up in: {homes or 'no distribution'}")


def check_distributions(context: CheckContext) -> Iterator[Check]:
    """Every distribution that was set up is still there."""
    run = WslExe.of(context.environment)
    names = {one.name.lower() for one in list_distributions(run)}
    gone = [one for one in _profiles(context) if one.distribution.lower() not in names]
    for one in gone:
        yield Check(
            Id.DISTRIBUTIONS,
            Status.ATTENTION,
            f"{one.distribution}, in which Imprint was set up, is not there any more",
            f"imprint wsl remove --distribution {one.distribution}",
        )
    if not gone:
        yield Check(Id.DISTRIBUTIONS, Status.OK, "every distribution that was set up is there")


def check_files(context: CheckContext) -> Iterator[Check]:
    """Launcher, entry, block and hooks are as setup writes them, in what runs now."""
    for one in _reachable(context, WslExe.of(context.environment)):
        wrong = _wrong_parts(context, one)
        if wrong:
            yield Check(
                Id.FILES,
                Status.ATTENTION,
                f"{one.distribution}: not as setup writes it now: {', '.join(wrong)}",
                f"imprint wsl setup --distribution {one.distribution}",
            )
        else:
            yield Check(
                Id.FILES,
                Status.OK,
                f"{one.distribution}: launcher, entry, block and hooks are in place",
            )


def check_launchers(context: CheckContext) -> Iterator[Check]:
    """The launcher comes through to Windows and back."""
    run = WslExe.of(context.environment)
    for one in _reachable(context, run):
        if launcher_answers(run, one):
            yield Check(Id.LAUNCHER, Status.OK, f"{one.distribution}: the launcher answers")
        else:
            yield Check(
                Id.LAUNCHER,
                Status.BROKEN,
                f"{one.distribution}: the launcher does not come through to Windows, so nothing is"
                " learned when a turn ends",
                f"see {context.environment.layout().log}, then [interop] in the distribution's"
                " /etc/wsl.conf; `wsl --shutdown` brings back an interop that was lost",
            )


def _profiles(context: CheckContext) -> tuple[Profile, ...]:
    return load_profiles(context.environment.layout(), tolerant=True)


def _reachable(context: CheckContext, run: RunWsl) -> list[Profile]:
    """The homes that can be looked at; without `live` only in distributions that run already."""
    if context.live:
        names = {one.name.lower() for one in list_distributions(run)}
    else:
        names = set(list_running(run))
    found = [one for one in _profiles(context) if one.distribution.lower() in names]
    return [one for one in found if one.is_reachable]


def _wrong_parts(context: CheckContext, profile: Profile) -> list[str]:
    side = WindowsSide.of(context.environment)
    receipt = load(receipt_path(context.environment.layout(), profile))
    if receipt is None:
        return ["the record of setup is lost"]
    contract = recorded_contract(receipt, "linux")
    script = launcher_text(side, profile.distribution, profile.mounts)
    target = read_target(
        profile, contract, store=side.store, script=script, with_hooks=profile.hooks
    )
    if target.protected:
        return [target.protected]
    return [part.name for part in target if part.state is not PartState.CURRENT]
