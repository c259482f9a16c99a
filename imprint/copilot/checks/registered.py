"""Hooks as they are registered, in whichever file and spelling."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from imprint.copilot.checks.documents import Document

LINE_KEYS = {"win32": ("powershell", "command")}
_POSIX_KEYS = ("bash", "command")

_SHELLS = ("bash", "powershell", "command", "exec")
_ACTIONS = "copilot-session-start|session-start|stop"
_ACTION = re.compile(
    rf"(?P<first>{_ACTIONS})['\"]?\s+['\"]?--store\b|\bhook['\"]?\s+['\"]?(?P<second>{_ACTIONS})\b"
)
_OURS = (
    re.compile(r"hook_entry(?:\.py)?\b.*--store\b", re.DOTALL),
    # The command itself, and the launcher of a WSL distribution.
    re.compile(r"\bimprint(?:-wsl)?(?:\.exe)?['\"]?\s+hook\s"),
)


@dataclass(frozen=True, slots=True)
class Registered:
    """One handler: the file, the event as it is spelled there, and its line per key."""

    file: Path
    event: str
    lines: Mapping[str, str]

    @property
    def text(self) -> str:
        """All of its lines together."""
        return "\n".join(self.lines.values())

    @property
    def is_ours(self) -> bool:
        """Whether it runs some Imprint's hook program."""
        return any(pattern.search(self.text) for pattern in _OURS)

    @property
    def is_session_start(self) -> bool:
        """In either spelling."""
        return self.event.lower() == "sessionstart"

    @property
    def action(self) -> str:
        """What our program is asked to do; empty where it does not say."""
        match = _ACTION.search(self.text)
        return (match["first"] or match["second"]) if match else ""

    def line(self, platform: str) -> str:
        """The line for the shell of a platform; empty where there is none."""
        keys = LINE_KEYS.get(platform, _POSIX_KEYS)
        return next((self.lines[key] for key in keys if key in self.lines), "")


def registered_in(file: Document) -> Iterator[Registered]:
    """The handlers below `hooks` of a file, also those in Claude Code's nested groups."""
    for event, handlers in file.members("hooks").items():
        for handler in _handlers(handlers):
            lines = {key: _line(value) for key, value in handler.items() if key in _SHELLS}
            yield Registered(file.path, event, {key: line for key, line in lines.items() if line})


def _handlers(value: object) -> Iterator[Mapping[str, object]]:
    for handler in value if isinstance(value, list) else []:
        if not isinstance(handler, dict):
            continue
        if isinstance(handler.get("hooks"), list):
            yield from _handlers(handler["hooks"])
        else:
            yield handler


def _line(value: object) -> str:
    return value if isinstance(value, str) else ""
