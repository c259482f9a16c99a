"""`imprint setup`: install Imprint into the Copilot home, and learn what is there already."""

import argparse
import datetime as dt
from collections.abc import Iterable

from imprint.base.paths import Environment, make_private
from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._learning import Learned, learn_all, learned_lines, state_of
from imprint.cli._plans import (
    carry_out,
    decision_lines,
    plan_lines,
    plan_result,
    planned,
    repair,
)
from imprint.cli._target import add_target
from imprint.copilot.clients import find_clients
from imprint.copilot.copilots import contract_for, copilots_of
from imprint.copilot.homes import CopilotHome, find_home
from imprint.copilot.runtime import Runtime
from imprint.copilot.setup import SetupPlan, plan_setup
from imprint.edit.plan import Plan


def configure(parser: argparse.ArgumentParser) -> None:
    """Which home, and whether to learn what Copilot recorded before."""
    add_target(parser)
    parser.add_argument(
        "--no-history", action="store_true", help="leave the sessions that are there already"
    )


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Plan, apply, then learn; a second run plans nothing, and says so."""
    environment = context.environment
    home = find_home(environment, arguments.home)
    if not arguments.dry_run:
        repair(environment, Plan(home.path, ()))
    plan = _plan(environment, home, force=arguments.force)
    source = plan.data()
    data = planned(environment, [source], [plan.plan], dry_run=arguments.dry_run)
    result = plan_result("setup", data, [source])
    if arguments.dry_run or plan.protected:
        return result
    make_private(environment.imprint_home)
    carry_out(environment, plan.plan)
    messages = (*result.messages, *_told(environment))
    if not arguments.no_history:
        report = learn_all(environment, [state_of(home)])
        messages = (*messages, *learned_lines(Learned.of(report)))
    return Result("setup", data, result.exit_code, messages)


def _plan(environment: Environment, home: CopilotHome, *, force: bool) -> SetupPlan:
    copilots = copilots_of(environment, home, find_clients(environment))
    return plan_setup(
        environment,
        home,
        contract_for(environment, copilots),
        runtime=Runtime.current(environment),
        now=dt.datetime.now(dt.UTC),
        force=force,
    )


def _told(environment: Environment) -> tuple[str, ...]:
    """What is recorded, where, and how to stop it."""
    layout = environment.layout()
    kept = f"Your prompts and Copilot's answers are kept in {layout.store}, on this computer only."
    ways = f"`imprint pause`, exclude = [...] in {layout.config}, or `imprint disconnect`"
    return kept, f"To stop it: {ways}."


def text(result: Result) -> Iterable[str]:
    """The plan, and what the compat matrix made of it."""
    yield from plan_lines(result)
    yield from decision_lines(result)
