"""The work behind `imprint wsl setup` and `remove`: plan, carry out, learn."""

import argparse
import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from imprint.base.errors import ExitCode, UsageError
from imprint.base.paths import Environment, make_private
from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._learning import Learned, learn_all, learned_lines
from imprint.cli._plans import plan_result, planned
from imprint.copilot.contract import CopilotContract
from imprint.wsl.distributions import choose, list_distributions
from imprint.wsl.install import install, launcher_answers, repair, uninstall
from imprint.wsl.learning import session_states
from imprint.wsl.probe import probe
from imprint.wsl.profile import Profile
from imprint.wsl.remove import WslRemoval, plan_wsl_remove, registered
from imprint.wsl.run_wsl import RunWsl, WslExe, WslMissing
from imprint.wsl.seen import contract_of
from imprint.wsl.setup import WslSetup, plan_wsl_setup
from imprint.wsl.windows import WindowsSide, share_of


def setup(arguments: argparse.Namespace, context: Context) -> Result:
    """Plan and carry out, see that the launcher answers, then learn what is there already."""
    environment = context.environment
    run = WslExe.of(environment)
    context.say("looking into the distribution; one that does not run takes a while to start")
    plan = _plan(arguments, environment, run)
    source = plan.data()
    data = planned(environment, [source], [plan.plan], dry_run=arguments.dry_run)
    result = plan_result("wsl", data, [source])
    if arguments.dry_run or plan.protected:
        return result
    make_private(environment.imprint_home)
    install(environment, plan, run)
    messages, code = list(result.messages), result.exit_code
    if plan.profile.hooks and not launcher_answers(run, plan.profile):
        code = ExitCode.ATTENTION
        messages.append(
            f"{plan.profile.distribution} cannot start programs of Windows now, so nothing is"
            " learned when a turn ends: see [interop] in its /etc/wsl.conf, and `wsl --shutdown`"
        )
    if not plan.profile.hooks:
        code = ExitCode.ATTENTION
    messages += _told(environment, plan.profile)
    if not arguments.no_history:
        report = learn_all(environment, session_states(environment, plan.profile))
        messages += learned_lines(Learned.of(report))
    return Result("wsl", data, code, tuple(messages))


def _plan(arguments: argparse.Namespace, environment: Environment, run: RunWsl) -> WslSetup:
    name = choose(list_distributions(run), arguments.distribution).name
    found = probe(run, name, _home_of(arguments))
    share = share_of(environment)
    contract = CopilotContract.for_version(None, "linux")
    if found.exists:
        profile = Profile.of(name, found, share)
        contract = contract_of(Path(profile.local))
        if not arguments.dry_run:
            repair(environment, profile)
    return plan_wsl_setup(
        environment,
        name,
        found,
        contract,
        side=WindowsSide.of(environment),
        share=share,
        now=dt.datetime.now(dt.UTC),
        force=arguments.force,
    )


def _told(environment: Environment, profile: Profile) -> tuple[str, ...]:
    layout = environment.layout()
    return (
        f"What is said to Copilot in {profile.distribution} is kept in {layout.store}, on Windows.",
        f"To stop it: `imprint pause`, exclude in {layout.config}, or `imprint wsl remove`.",
    )


def remove(arguments: argparse.Namespace, context: Context) -> Result:
    """Every registered home of a distribution, or the one that is named."""
    environment = context.environment
    run = WslExe.of(environment)
    profiles = registered(environment.layout(), _registered_name(arguments, run))
    home = _home_of(arguments)
    chosen = [one for one in profiles if home in {None, one.home, one.real}]
    if not chosen:
        raise UsageError(
            f"{home} is not set up there; set up: {', '.join(p.home for p in profiles)}"
        )
    return remove_profiles(
        environment, run, chosen, dry_run=arguments.dry_run, force=arguments.force
    )


def remove_profiles(
    environment: Environment,
    run: RunWsl,
    profiles: Sequence[Profile],
    *,
    dry_run: bool,
    force: bool,
) -> Result:
    """Plan all, then carry out all; a distribution that is gone is only forgotten."""
    plans = removals(environment, run, profiles, dry_run=dry_run, force=force)
    sources = [plan.data() for plan in plans]
    data = planned(environment, sources, [plan.plan for plan in plans], dry_run=dry_run)
    if not dry_run:
        for plan in plans:
            uninstall(environment, plan, run)
    return plan_result("wsl", data, sources)


def removals(
    environment: Environment,
    run: RunWsl,
    profiles: Sequence[Profile],
    *,
    dry_run: bool,
    force: bool,
) -> list[WslRemoval]:
    """What is to be taken out of these homes; without any WSL all of them are gone."""
    try:
        names = {item.name.lower() for item in list_distributions(run)}
    except WslMissing:
        names = set()
    store, plans = WindowsSide.of(environment).store, []
    for profile in profiles:
        is_there = profile.distribution.lower() in names
        found = probe(run, profile.distribution, profile.real) if is_there else None
        if found is not None and found.exists and not dry_run:
            repair(environment, profile)
        plans.append(plan_wsl_remove(environment, profile, found, store=store, force=force))
    return plans


def _registered_name(arguments: argparse.Namespace, run: RunWsl) -> str:
    """The name that was given, of a distribution that may be gone; else the default one's."""
    if arguments.distribution:
        return str(arguments.distribution)
    return choose(list_distributions(run), None).name


def _home_of(arguments: argparse.Namespace) -> str | None:
    home = arguments.home
    if home is not None and not home.startswith("/"):
        raise UsageError(
            f"--home {home} is no absolute path of the distribution",
            fix="such as /home/me/.copilot",
        )
    return str(home) if home is not None else None
