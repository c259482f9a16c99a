"""`imprint forget`: remove a session, a note or a project with all that came from it."""

import argparse
from collections.abc import Iterable

from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._store import reading
from imprint.memory import Forgotten, UnknownItem


def configure(parser: argparse.ArgumentParser) -> None:
    """Exactly one thing at a time."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--session", metavar="ID", help="as `imprint sessions` shows it")
    what.add_argument("--note", metavar="ID", help="as `imprint remember` printed it")
    what.add_argument("--project", help="all sessions and notes of a project")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Remove it, and take it out of what SessionStart gives."""
    session = arguments.session
    if session and "/" not in session:
        session = f"conversation/{session}"
    with reading(context.environment) as memory:
        if memory is None:
            raise UnknownItem("the memory is empty")
        forgotten = memory.forget(session=session, note=arguments.note, project=arguments.project)
    return Result("forget", forgotten)


def text(result: Result) -> Iterable[str]:
    """What went."""
    assert isinstance(result.data, Forgotten)
    gone = result.data
    yield f"forgot {gone.sessions} sessions, {gone.turns} turns, {gone.notes} notes"
