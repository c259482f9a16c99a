"""`imprint sessions`: what was learned, and with `--skipped` what was not."""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._store import NOTHING_YET, reading
from imprint.learn import REASONS, SkippedSession, SkippedSessions
from imprint.memory import SessionRow


@dataclass(frozen=True, slots=True)
class Listed:
    """Sessions, latest first; under `--skipped` those that were not learned, and why."""

    sessions: tuple[SessionRow, ...] = ()
    skipped: tuple[SkippedSession, ...] = ()


def configure(parser: argparse.ArgumentParser) -> None:
    """Filters of the list."""
    parser.add_argument("--limit", type=int, default=20, help="at most so many (default 20)")
    parser.add_argument("--project", help="only this project (its name or directory)")
    parser.add_argument("--skipped", action="store_true", help="those not learned, and why")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """List them."""
    if arguments.skipped:
        skipped = tuple(SkippedSessions(context.environment.layout().skipped))
        messages = () if skipped else ("no session was skipped",)
        return Result("sessions", Listed(skipped=skipped), messages=messages)
    with reading(context.environment) as memory:
        if memory is None:
            return Result("sessions", Listed(), messages=(NOTHING_YET,))
        rows = memory.sessions(max(arguments.limit, 0), project=arguments.project)
    messages = () if rows else ("no sessions",)
    return Result("sessions", Listed(tuple(rows)), messages=messages)


def text(result: Result) -> Iterable[str]:
    """One line per session."""
    assert isinstance(result.data, Listed)
    for session in result.data.skipped:
        more = f": {session.detail}" if session.detail else ""
        yield f"{session.path}  {REASONS[session.reason]}{more}"
    for row in result.data.sessions:
        key = row.key.removeprefix("conversation/")
        day = row.started_at[:16].replace("T", " ") or "undated"
        yield f"{day}  {row.project or '-'}  {row.turns} turns  {key}  {row.title}"
