"""`imprint disconnect`: take Imprint out again, byte for byte."""

import argparse
import shutil
from collections.abc import Iterable

from imprint.base.errors import UsageError
from imprint.base.paths import Environment
from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._plans import (
    carry_out,
    plan_lines,
    plan_result,
    planned,
    repair,
)
from imprint.cli._target import add_target
from imprint.cli._wsl import removals
from imprint.copilot.disconnect import DisconnectPlan, plan_disconnect
from imprint.copilot.homes import CopilotHome, find_home
from imprint.copilot.receipts import installed_homes
from imprint.copilot.runtime import Runtime
from imprint.edit.plan import Plan
from imprint.wsl.install import uninstall
from imprint.wsl.profile import load_profiles
from imprint.wsl.remove import WslRemoval
from imprint.wsl.run_wsl import WslExe


def configure(parser: argparse.ArgumentParser) -> None:
    """Which homes, and what becomes of the memory."""
    add_target(parser)
    parser.add_argument("--all", action="store_true", help="every home that was ever set up")
    parser.add_argument("--purge", action="store_true", help="delete the memory as well")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Configuration first, programs and memory last."""
    environment = context.environment
    if arguments.all and arguments.home:
        raise UsageError("--all and --home exclude each other")
    if arguments.purge and not arguments.all and not arguments.dry_run:
        raise UsageError("--purge needs --all: homes that stay connected use the memory")
    runtime = Runtime.current(environment)

    def plan_for(home: CopilotHome) -> DisconnectPlan:
        return plan_disconnect(environment, home, runtime=runtime, force=arguments.force)

    homes = _homes(arguments, context)
    if not arguments.dry_run:
        for home in homes:
            repair(environment, Plan(home.path, ()))
    plans: list[DisconnectPlan | WslRemoval] = [plan_for(home) for home in homes]
    elsewhere = _in_distributions(arguments, environment)
    plans += elsewhere
    sources = [plan.data() for plan in plans]
    data = planned(environment, sources, [plan.plan for plan in plans], dry_run=arguments.dry_run)
    if not arguments.dry_run:
        for removal in elsewhere:
            uninstall(environment, removal, WslExe.of(environment))
        for plan in plans[: len(homes)]:
            carry_out(environment, plan.plan)
    result = plan_result("disconnect", data, sources)
    if arguments.purge and not arguments.dry_run and not any(plan.protected for plan in plans):
        shutil.rmtree(environment.imprint_home, ignore_errors=False)
        gone = f"deleted {environment.imprint_home}; `pip uninstall imprint-copilot` does the rest"
        return Result("disconnect", data, result.exit_code, (*result.messages, gone))
    return result


def _in_distributions(arguments: argparse.Namespace, environment: Environment) -> list[WslRemoval]:
    """With `--all` also what is set up in distributions of WSL."""
    profiles = load_profiles(environment.layout()) if arguments.all else ()
    if not profiles:
        return []
    run = WslExe.of(environment)
    dry_run, force = arguments.dry_run, arguments.force
    return removals(environment, run, profiles, dry_run=dry_run, force=force)


def _homes(arguments: argparse.Namespace, context: Context) -> tuple[CopilotHome, ...]:
    environment = context.environment
    if arguments.all:
        return installed_homes(environment.layout())
    return (find_home(environment, arguments.home),)


def text(result: Result) -> Iterable[str]:
    """The plan."""
    return plan_lines(result)
