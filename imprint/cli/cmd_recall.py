"""`imprint recall QUERY`: search the memory."""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._store import NOTHING_YET, reading
from imprint.memory import TALK_KINDS, Hit, Kind

FILE_KINDS: tuple[Kind, ...] = ("read", "write", "modified")
COMMAND_KINDS: tuple[Kind, ...] = ("command", "failure")


@dataclass(frozen=True, slots=True)
class Recalled:
    """Hits, best first."""

    hits: tuple[Hit, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """The query's words may be given unquoted; operators and quotes in them are just text."""
    parser.add_argument("query", nargs="+", help="what to look for")
    parser.add_argument("--limit", type=int, default=10, help="at most so many (default 10)")
    parser.add_argument("--project", help="only this project (its name or directory)")
    parser.add_argument("--role", choices=("user", "assistant", "summary", "note"))
    parser.add_argument("--since", metavar="TIME", help="only from this ISO date or time on")
    parser.add_argument("--until", metavar="TIME", help="only up to this ISO date or time")
    parser.add_argument("--files", action="store_true", help="also files read and written")
    parser.add_argument("--commands", action="store_true", help="also commands and failures")
    parser.add_argument(
        "--exact", action="store_true", help="no stemming: `failed` does not find `failing`"
    )


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Search; the current directory's project is preferred, not required."""
    kinds = TALK_KINDS
    kinds += FILE_KINDS if arguments.files else ()
    kinds += COMMAND_KINDS if arguments.commands else ()
    with reading(context.environment) as memory:
        if memory is None:
            return Result("recall", Recalled(()), messages=(NOTHING_YET,))
        hits = memory.search(
            " ".join(arguments.query),
            limit=max(arguments.limit, 0),
            project=arguments.project,
            role=arguments.role,
            since=arguments.since,
            until=arguments.until,
            kinds=kinds,
            prefer=_current_project(),
            stemming=not arguments.exact,
        )
    return Result("recall", Recalled(tuple(hits)), messages=() if hits else ("nothing found",))


def _current_project() -> str | None:
    """The name of the current directory; None where it was deleted under our feet."""
    try:
        return Path.cwd().name or None
    except OSError:
        return None


def text(result: Result) -> Iterable[str]:
    """Two lines per hit: where it is from, and what matched."""
    assert isinstance(result.data, Recalled)
    for hit in result.data.hits:
        day = hit.timestamp[:10] or "undated"
        where = hit.session.removeprefix("conversation/") or hit.note
        yield f"{day}  {hit.project or '-'}  {hit.role}  {where}"
        yield f"    {hit.snippet}"
