"""`imprint compat show|diff`: what is known about Copilot's releases, and what differs."""

import argparse
import platform as machine
from collections.abc import Iterable
from dataclasses import dataclass

from imprint.base.errors import ExitCode
from imprint.base.paths import Environment
from imprint.base.results import ErrorItem, Result
from imprint.cli._commands import Context
from imprint.compat import Matrix, UnreadableMatrix, Value, shipped_catalogue, shipped_matrix
from imprint.compat.cells import Cell, Difference, cells, differences, selected
from imprint.compat.versions import line_of
from imprint.sandbox.releases import platform_package


@dataclass(frozen=True, slots=True)
class Shown:
    """The cells asked for."""

    cells: tuple[Cell, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """`show` and `diff`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="what is known, and how")
    show.add_argument("claim", nargs="?", default="", help="id, id[entry], or a pattern: 'mcp.*'")
    show.add_argument(
        "--version", help="of this release (default: with a claim every one, else the newest)"
    )
    diff = actions.add_parser("diff", help="what two releases are known to answer differently")
    diff.add_argument("before", metavar="A", help="a release, such as 1.0.80")
    diff.add_argument("after", metavar="B", help="another")
    for action in (show, diff):
        # The default must not override a --json before the action.
        action.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print the JSON envelope"
        )
        action.add_argument("--platform", help="such as linux-x64 (default: this one)")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Look it up in the data that Imprint ships."""
    matrix = shipped_matrix()
    platform = arguments.platform or _this_platform(context.environment)
    if arguments.action == "diff":
        return _diff(matrix, arguments.before, arguments.after, platform)
    return _show(matrix, arguments.claim, arguments.version, platform)


def text(result: Result) -> Iterable[str]:
    """One line per cell or change."""
    match result.data:
        case Shown(found):
            for cell in found:
                yield f"{cell.claim}  {cell.version}  {_said(cell)}"
        case Difference(changes):
            for change in changes:
                yield f"{change.claim}  {_said(change.before)} -> {_said(change.after)}"
        case _:
            return


def _show(
    matrix: Matrix | UnreadableMatrix, claim: str, version: str | None, platform: str
) -> Result:
    catalogue = shipped_catalogue()
    questions = selected(catalogue, claim)
    if version is not None:
        versions: tuple[str, ...] = (version,)
    else:
        listed = matrix.releases if isinstance(matrix, Matrix) else ()
        versions = listed if claim else listed[-1:]
    found = cells(catalogue, matrix, questions, versions, platform)
    unknown = sum(cell.value is None for cell in found)
    messages = (f"{len(found)} answers on {platform}, {unknown} of them unknown",)
    return _result(matrix, Shown(found), messages)


def _diff(matrix: Matrix | UnreadableMatrix, before: str, after: str, platform: str) -> Result:
    if isinstance(matrix, Matrix):
        for version in (before, after):
            line_of(matrix.releases).place(version)
    found = differences(shipped_catalogue(), matrix, before, after, platform)
    known = f"{len(found.changes)} known differences on {platform}"
    unknown = f"{found.unknown} questions are unknown for one of the two"
    return _result(matrix, found, (f"{known}; {unknown}",))


def _result(
    matrix: Matrix | UnreadableMatrix, data: Shown | Difference, messages: tuple[str, ...]
) -> Result:
    if isinstance(matrix, Matrix):
        return Result("compat", data, messages=messages)
    error = ErrorItem(
        "unreadable-matrix",
        f"the compat matrix cannot be read, so everything is unknown: {matrix.why}",
        "install Imprint again",
    )
    return Result("compat", data, ExitCode.UNDETERMINED, messages, (error,))


def _said(cell: Cell) -> str:
    if cell.value is None:
        return f"unknown: {cell.reason.meaning if cell.reason else ''}"
    seen = f" in {', '.join(cell.observed_in)}" if cell.version not in cell.observed_in else ""
    return f"{_plain(cell.value)} ({cell.basis}{seen})"


def _plain(value: Value) -> str:
    match value:
        case dict():
            return ", ".join(f"{name}: {entry}" for name, entry in value.items())
        case list():
            return ", ".join(value)
        case _:
            return str(value)


def _this_platform(environment: Environment) -> str:
    return platform_package(environment.platform, machine.machine(), machine.libc_ver()[0])
