"""`imprint import FILE`: read back what `imprint export` wrote."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._store import writing
from imprint.memory import Transferred


def configure(parser: argparse.ArgumentParser) -> None:
    """Where from."""
    parser.add_argument("file", help="an exported file; - for stdin")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """All of it or nothing; what the memory knows already stays as it is."""
    with writing(context.environment) as memory:
        if arguments.file == "-":
            transferred = memory.import_(sys.stdin.buffer)
        else:
            with Path(arguments.file).open("rb") as lines:
                transferred = memory.import_(lines)
    return Result("import", transferred)


def text(result: Result) -> Iterable[str]:
    """What came in."""
    data = result.data
    assert isinstance(data, Transferred)
    yield (
        f"{data.sessions} sessions, {data.turns} turns, {data.notes} notes added;"
        f" {data.known} entries were known"
    )
