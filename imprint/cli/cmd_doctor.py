"""`imprint doctor`: check everything, and say what to do."""

import argparse
import datetime as dt
from collections import Counter
from collections.abc import Iterable

from imprint.base.checks import CheckContext, Status
from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._target import add_target
from imprint.doctor import DoctorData, exit_code
from imprint.doctor import run as run_checks

_TITLES = {
    Status.BROKEN: "broken",
    Status.UNKNOWN: "unknown",
    Status.ATTENTION: "attention",
    Status.OK: "ok",
}
_INDENT = " " * 11


def configure(parser: argparse.ArgumentParser) -> None:
    """Which home, and how far."""
    add_target(parser, plans=False)
    parser.add_argument(
        "--live",
        action="store_true",
        help="also run your Copilot, offline in a scratch home, and the MCP server",
    )


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Run every check; changes no file in any home."""
    now = dt.datetime.now(dt.UTC)
    data = run_checks(
        CheckContext(context.environment, now, home=arguments.home, live=arguments.live)
    )
    return Result("doctor", data, exit_code=exit_code(data))


def text(result: Result) -> Iterable[str]:
    """What is wrong first, with what to do; then, one line each, what is fine; then the count."""
    data = result.data
    assert isinstance(data, DoctorData)
    width = max(len(check.id) for check in data.checks)
    for check in data.checks:
        yield f"{_TITLES[check.status]:<11}{check.id:<{width}}  {check.detail}"
        if check.fix:
            yield f"{_INDENT}{'':<{width}}  -> {check.fix}"
    counts = Counter(check.status for check in data.checks)
    yield ", ".join(f"{counts[status]} {title}" for status, title in _TITLES.items())
