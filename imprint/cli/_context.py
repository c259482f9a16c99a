"""The contract of a command's module: what it has, and what it gets beside its arguments."""

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from imprint.base.paths import Environment
from imprint.base.results import Result


@dataclass(frozen=True, slots=True)
class Context:
    """What a command gets beside its arguments.

    `say` shows a line at once in text mode (progress of long commands) and nothing under
    `--json`; `is_terminal` tells whether somebody could answer a question.
    """

    environment: Environment
    say: Callable[[str], None]
    is_terminal: bool

    @classmethod
    def current(cls, *, as_json: bool) -> "Context":
        """The context of this very process."""

        def say(line: str) -> None:
            if not as_json:
                sys.stdout.write(line + "\n")
                sys.stdout.flush()

        return cls(Environment.current(), say, sys.stdin is not None and sys.stdin.isatty())


class CommandModule(Protocol):
    """The functions of an `imprint.cli.cmd_*` module."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""
        ...

    def run(self, arguments: argparse.Namespace, context: Context) -> Result | None:
        """Do it. None: the command spoke a protocol of its own and there's nothing to render."""
        ...

    def text(self, result: Result) -> Iterable[str]:
        """The result's data as lines for people."""
        ...
