"""`imprint try`: the whole loop on a real Copilot in a scratch home."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.trial import Options, Step, Trial, run_trial

_MARKS = {"proven": "ok", "not-offered": "--", "failed": "FAILED", "unjudged": "??"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Which Copilot, and what to keep."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--copilot", metavar="VERSION", help="this release (default: the newest)")
    which.add_argument("--binary", metavar="PATH", type=Path, help="this executable, no npm needed")
    parser.add_argument("--keep", action="store_true", help="keep the scratch home, say where")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Show each step as it ends."""
    options = Options(version=arguments.copilot, binary=arguments.binary, keep=arguments.keep)
    trial = run_trial(context.environment, options, lambda step: context.say(line(step)))
    return Result("try", trial, exit_code=trial.exit_code)


def line(step: Step) -> str:
    """One step: how it ended, which, how long it took, and the proof."""
    return f"{_MARKS[step.status]:>6}  {step.id:<16} {step.ms:>6} ms  {step.proof}"


def text(result: Result) -> Iterable[str]:
    """The verdict, and where things are."""
    trial = result.data
    assert isinstance(trial, Trial)
    good = sum(step.ok for step in trial.steps)
    yield ""
    yield f"{good} of {len(trial.steps)} steps hold on Copilot {trial.copilot} ({trial.isolation})"
    if trial.home:
        yield f"kept: {trial.home}"
