"""`imprint learn`: read what Copilot recorded into the memory."""

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from imprint.base.errors import ImprintError, RefusedError, UsageError
from imprint.base.log import note
from imprint.base.paths import Environment
from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._learning import (
    Learned,
    all_homes,
    collected,
    learn_all,
    learned_lines,
    state_of,
)
from imprint.copilot.homes import find_home
from imprint.learn import LearnReport, SessionState, drain_spool
from imprint.wsl.learning import announcing, session_states


def configure(parser: argparse.ArgumentParser) -> None:
    """Without arguments: every Copilot home that is found, in registered distributions too."""
    parser.add_argument("--home", metavar="DIR", action="append", default=[], help="a Copilot home")
    parser.add_argument(
        "--from",
        dest="folders",
        metavar="DIR",
        action="append",
        default=[],
        type=Path,
        help="a session-state folder, or a folder of collected sessions",
    )
    parser.add_argument(
        "--spool", action="store_true", help="only the turns that Stop hooks announced"
    )
    parser.add_argument("--store", metavar="DIR", help="the Imprint home (default: IMPRINT_HOME)")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Learn, and count what was not learned by its reason."""
    environment = context.environment
    if arguments.store:
        variables = {**environment.variables, "IMPRINT_HOME": arguments.store}
        environment = replace(environment, variables=variables)
    if arguments.spool:
        if arguments.home or arguments.folders:
            raise UsageError("--spool knows its transcripts; leave out --home and --from")
        return Result("learn", Learned.of(_drain(environment)))
    report = learn_all(environment, _states(arguments, environment))
    return Result("learn", Learned.of(report))


def _drain(environment: Environment) -> LearnReport:
    """Started by a hook, with nobody to read an error: what fails is logged."""
    try:
        return drain_spool(environment, elsewhere=announcing(environment))
    except (ImprintError, OSError) as error:
        code = error.code if isinstance(error, ImprintError) else f"errno {error.errno}"
        note(environment.layout().log, "learn", f"spool {type(error).__name__} {code}")
        raise


def _states(arguments: argparse.Namespace, environment: Environment) -> list[SessionState]:
    for folder in arguments.folders:
        if not folder.is_dir():
            raise RefusedError(f"{folder} is no folder", fix="give a session-state folder")
    if arguments.home or arguments.folders:
        homes = [find_home(environment, home) for home in arguments.home]
        return [*map(state_of, homes), *map(collected, arguments.folders)]
    native = [state_of(home) for home in all_homes(environment)]
    return [*native, *session_states(environment)]


def text(result: Result) -> Iterable[str]:
    """The counts in words."""
    assert isinstance(result.data, Learned)
    return learned_lines(result.data)
