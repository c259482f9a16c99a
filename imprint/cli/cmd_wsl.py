"""`imprint wsl list|setup|remove|path`: Copilot inside distributions of WSL, from Windows."""

import argparse
import dataclasses
from collections.abc import Iterable
from pathlib import Path

from imprint.base.results import Result
from imprint.cli import _wsl, _wsl_path
from imprint.cli._context import Context
from imprint.cli._plans import Planned, decision_lines, plan_lines
from imprint.wsl.distributions import list_distributions
from imprint.wsl.listing import Row, RowState, rows_of
from imprint.wsl.profile import load_profiles
from imprint.wsl.run_wsl import WslExe

_STATES = {
    RowState.SET_UP: "set up",
    RowState.NOT_SET_UP: "not set up",
    RowState.GONE: "gone; `imprint wsl remove --distribution {}` forgets it",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Listed:
    """`data` of list."""

    distributions: tuple[Row, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Translated:
    """`data` of path: `to-windows` or `to-linux`."""

    direction: str
    path: str


def configure(parser: argparse.ArgumentParser) -> None:
    """Four actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="distributions, and what is set up in them")
    setup = actions.add_parser("setup", help="install Imprint for Copilot in a distribution")
    remove = actions.add_parser("remove", help="take it out again, byte for byte")
    path = actions.add_parser("path", help="a path of the other side, as wslpath translates it")
    for action in (listing, setup, remove, path):
        # The default must not override a --json before the action.
        action.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print the JSON envelope"
        )
        if action is not path:
            action.add_argument("--target", choices=("copilot",), default="copilot")
    for action in (setup, remove):
        action.add_argument("--distribution", metavar="NAME", help="default: WSL's own default")
        action.add_argument("--home", metavar="DIR", help="the Copilot home in the distribution")
        action.add_argument("--dry-run", action="store_true", help="show the diff, change nothing")
        action.add_argument(
            "--force",
            action="store_true",
            help="take over what another Imprint installed, replace a launcher that was edited",
        )
    setup.add_argument(
        "--no-history", action="store_true", help="leave the sessions that are there already"
    )
    _configure_path(path)


def _configure_path(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--distribution", metavar="NAME", help="default: WSL_DISTRO_NAME")
    parser.add_argument(
        "--automount-root", metavar="DIR", help="root= of [automount] in wsl.conf (default: /mnt/)"
    )
    parser.add_argument(
        "--mountinfo", metavar="FILE", type=Path, help="a copy of /proc/self/mountinfo"
    )
    parser.add_argument("--mixed", action="store_true", help="a Windows path with slashes")
    parser.add_argument("path", metavar="PATH", help="its form tells the direction")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Do what the action says."""
    match arguments.action:
        case "list":
            return _list(context)
        case "setup":
            return _wsl.setup(arguments, context)
        case "remove":
            return _wsl.remove(arguments, context)
        case _:
            return Result("wsl", Translated(*_wsl_path.translate(arguments, context.environment)))


def _list(context: Context) -> Result:
    environment = context.environment
    profiles = load_profiles(environment.layout())
    distributions = list_distributions(WslExe.of(environment))
    return Result("wsl", Listed(rows_of(distributions, profiles)))


def text(result: Result) -> Iterable[str]:
    """A row per distribution and client, a plan, or a path."""
    match result.data:
        case Listed(rows):
            yield from map(_row, rows)
        case Translated(path=path):
            yield path
        case Planned():
            yield from plan_lines(result)
            yield from decision_lines(result)
        case _:
            return


def _row(row: Row) -> str:
    mark = "*" if row.default else " "
    facts = ", ".join(filter(None, (row.running, row.home, row.user)))
    state = _STATES[row.state].format(row.distribution)
    return f"{mark} {row.distribution}  {row.client}: {state}{f'  ({facts})' if facts else ''}"
