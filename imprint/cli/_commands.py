"""The commands: name and summary, and where the module of each is.

Modules are imported when their command is asked for, because a user who wants `recall` should
not wait for what `try` needs.
"""

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from imprint.cli._context import CommandModule

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


def load(name: str) -> "CommandModule":
    """The module of a command in `SUMMARIES`."""
    return cast("CommandModule", importlib.import_module(f"imprint.cli.cmd_{name}"))
