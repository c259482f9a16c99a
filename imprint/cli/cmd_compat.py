"""`imprint compat show|diff|bisect|sweep|report`: what is known about Copilot's releases."""

import argparse
import platform as machine
from collections.abc import Iterable
from pathlib import Path

from imprint.base.errors import ExitCode
from imprint.base.paths import Environment
from imprint.base.results import ErrorItem, Result
from imprint.cli._context import Context
from imprint.cli.compat import asking
from imprint.cli.compat import diff as differing
from imprint.cli.compat import report as reporting
from imprint.cli.compat import show as showing
from imprint.cli.compat.bisect import Bisected, conclusion
from imprint.cli.compat.sweep import Swept
from imprint.cli.compat.sweep import lines as swept_lines
from imprint.compat import Matrix, UnreadableMatrix, shipped_catalogue, shipped_matrix
from imprint.compat.cells import Difference
from imprint.sandbox.releases import platform_package

_COMMAND = "compat"


def configure(parser: argparse.ArgumentParser) -> None:
    """The actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="what is known, and how")
    show.add_argument(
        "claim", nargs="?", default="", help="id, id[entry], or a pattern of either: 'mcp.*'"
    )
    show.add_argument(
        "--version", help="of this release (default: every one; of all claims, the newest)"
    )
    diff = actions.add_parser("diff", help="what two releases are known to answer differently")
    diff.add_argument("before", metavar="A", help="a release, such as 1.0.80")
    diff.add_argument("after", metavar="B", help="another")
    for action in (show, diff):
        _with_platform(action)
    bisect = actions.add_parser("bisect", help="find the release that changed an answer")
    bisect.add_argument("claim", metavar="CLAIM", help="id, or id[entry] of a table")
    bisect.add_argument("range", metavar="A..B", help="two releases, the older one first")
    sweep = actions.add_parser("sweep", help="ask every release, and record the answers")
    sweep.add_argument("--range", metavar="A..B", help="only these (default: every release)")
    sweep.add_argument("--jobs", type=_jobs, default=1, metavar="N", help="so many at a time")
    report = actions.add_parser("report", help="the whole matrix as pages for people")
    report.add_argument("--out", metavar="DIR", type=Path, required=True, help="where to write it")
    for action in actions.choices.values():
        # The default must not override a --json before the action.
        action.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print the JSON envelope"
        )


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Do it on the data that Imprint ships."""
    match arguments.action:
        case "report":
            return _report(arguments.out)
        case "bisect":
            return asking.run_bisect(arguments.claim, arguments.range, context)
        case "sweep":
            is_quiet = getattr(arguments, "json", False)
            return asking.run_sweep(arguments.range, arguments.jobs, context, is_quiet=is_quiet)
        case "diff":
            return _diff(arguments, context.environment)
        case _:
            return _show(arguments, context.environment)


def text(result: Result) -> Iterable[str]:
    """The action's own lines."""
    match result.data:
        case showing.Shown() as shown:
            yield from showing.lines(shown, shipped_catalogue())
        case Difference() as found:
            yield from differing.lines(found, shipped_catalogue())
        case Bisected() as bisected:
            yield from conclusion(bisected)
        case Swept() as swept:
            yield from swept_lines(swept)
        case reporting.Written() as written:
            yield from reporting.lines(written)
        case _:
            return


def _jobs(text: str) -> int:
    jobs = int(text)
    if jobs < 1:
        raise argparse.ArgumentTypeError("one at least")
    return jobs


def _with_platform(action: argparse.ArgumentParser) -> None:
    action.add_argument("--platform", help="such as linux-x64 (default: this one)")


def _report(out: Path) -> Result:
    written = reporting.write(out)
    changed = len(written.changed)
    return Result(_COMMAND, written, messages=(f"{len(written.files)} files, {changed} changed",))


def _show(arguments: argparse.Namespace, environment: Environment) -> Result:
    matrix = shipped_matrix()
    platform = _platform(arguments, environment)
    found = showing.show(shipped_catalogue(), matrix, arguments.claim, arguments.version, platform)
    unknown = sum(cell.value is None for cell in found.cells)
    said = f"{len(found.cells)} answers on {platform}, {unknown} of them unknown"
    return _result(matrix, found, () if found.spans else (said,))


def _diff(arguments: argparse.Namespace, environment: Environment) -> Result:
    matrix = shipped_matrix()
    platform = _platform(arguments, environment)
    found = differing.diff(shipped_catalogue(), matrix, arguments.before, arguments.after, platform)
    known = f"{len(found.changes)} known differences on {platform}"
    unknown = f"{found.unknown} questions are unknown for one of the two"
    return _result(matrix, found, (f"{known}; {unknown}",))


def _result(matrix: Matrix | UnreadableMatrix, data: object, messages: tuple[str, ...]) -> Result:
    if isinstance(matrix, Matrix):
        return Result(_COMMAND, data, messages=messages)
    error = ErrorItem(
        "unreadable-matrix",
        f"the compat matrix cannot be read, so everything is unknown: {matrix.why}",
        "install Imprint again",
    )
    return Result(_COMMAND, data, ExitCode.UNDETERMINED, messages, (error,))


def _platform(arguments: argparse.Namespace, environment: Environment) -> str:
    here = platform_package(environment.platform, machine.machine(), machine.libc_ver()[0])
    return str(arguments.platform or here)
