"""`imprint remember TEXT`: pin a note."""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

from imprint.base.errors import UsageError
from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._store import writing


@dataclass(frozen=True, slots=True)
class Remembered:
    """The note's id, which `forget --note` takes."""

    id: str


def configure(parser: argparse.ArgumentParser) -> None:
    """The words of the note may be given unquoted."""
    parser.add_argument("text", nargs="+", help="what to remember")
    parser.add_argument("--project", help="only for this project (its name or directory)")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Keep it, and put it into what SessionStart gives."""
    words = " ".join(arguments.text).strip()
    if not words:
        raise UsageError("there is nothing to remember")
    with writing(context.environment) as memory:
        note = memory.remember(words, arguments.project)
    return Result("remember", Remembered(note))


def text(result: Result) -> Iterable[str]:
    """How to undo it."""
    assert isinstance(result.data, Remembered)
    yield f"remembered; `imprint forget --note {result.data.id}` takes it back"
