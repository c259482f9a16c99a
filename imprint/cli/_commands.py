"""The commands: name, summary, and the contract of a command's module.

Modules are imported when their command is asked for, because a user who wants `recall` should
not wait for what `try` needs.
"""

import argparse
import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, cast

from imprint.base.paths import Environment
from imprint.base.results import Result

SUMMARIES = {
    "setup": "install Imprint into the Copilot home",
    "disconnect": "take Imprint out again, byte for byte",
    "status": "which Copilot homes exist, and which are connected",
    "doctor": "check everything, and say what to do",
    "learn": "learn from the conversations that Copilot recorded",
    "pause": "stop learning for a while, or go on",
    "recall": "search the memory",
    "remember": "pin a note",
    "forget": "remove a session, a note or a project from the memory",
    "sessions": "list what was learned",
    "export": "write the memory as JSON lines",
    "import": "read such a file back",
    "try": "run the whole loop on a real Copilot in a scratch home",
    "wsl": "Copilot inside distributions of WSL, set up from Windows",
    "compat": "what is known about Copilot's releases",
    "hook": "what Copilot runs (SessionStart, Stop)",
    "mcp": "serve the memory over MCP on stdin and stdout",
}


@dataclass(frozen=True, slots=True)
class Context:
    """What a command gets beside its arguments.

    `say` shows a line at once in text mode (progress of long commands) and nothing under
    `--json`; `is_terminal` tells whether somebody could answer a question.
    """

    environment: Environment
    say: Callable[[str], None]
    is_terminal: bool


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


def load(name: str) -> CommandModule:
    """The module of a command in `SUMMARIES`."""
    return cast(CommandModule, importlib.import_module(f"imprint.cli.cmd_{name}"))
