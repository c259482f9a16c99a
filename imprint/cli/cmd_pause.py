"""`imprint pause`: learn nothing of what is said from now on; `--off` goes on."""

import argparse
import time
from collections.abc import Iterable
from dataclasses import dataclass

from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.learn.policy import pause, unpause


@dataclass(frozen=True, slots=True)
class Paused:
    """Whether learning is paused now, and whether this command changed it."""

    paused: bool
    changed: bool


def configure(parser: argparse.ArgumentParser) -> None:
    """Begin or end."""
    parser.add_argument("--off", action="store_true", help="go on learning")


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """What was said during the pause is not learned later either."""
    act = unpause if arguments.off else pause
    changed = act(context.environment, time.time())
    return Result("pause", Paused(paused=not arguments.off, changed=changed))


def text(result: Result) -> Iterable[str]:
    """How it stands now."""
    assert isinstance(result.data, Paused)
    already = "" if result.data.changed else "already "
    if result.data.paused:
        yield f"learning is {already}paused; `imprint pause --off` goes on"
    else:
        yield f"learning is {already}on"
