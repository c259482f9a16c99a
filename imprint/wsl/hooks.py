"""`hooks/imprint.json` and the MCP entry as they are written into a distribution.

Both start the launcher, which lies beside them: its path is all that they need to know.
"""

import json
import shlex

import msgspec

from imprint.copilot.commandline import posix_line
from imprint.copilot.contract import CopilotContract
from imprint.copilot.hooks_file import SESSION_START_SECONDS, STOP_SECONDS
from imprint.copilot.mcp_entry import tools_value
from imprint.wsl.probe import LAUNCHER

_SESSION_START = {"top-level": "copilot-session-start", "nested": "session-start"}
_LINE_KEYS = ("bash", "command")
_TIMEOUT_KEYS = ("timeoutSec", "timeout", "timeoutSeconds")


class _Handlers(msgspec.Struct):
    hooks: dict[str, list[dict[str, object]]]


def entry(launcher: str, contract: CopilotContract) -> dict[str, object]:
    """The value of `mcpServers.imprint`.

    Without `env`: variables do not cross to Windows, the launcher carries the Imprint home.
    """
    value: dict[str, object] = {
        "type": contract.entry_type,
        "command": launcher,
        "args": ["mcp"],
        "tools": tools_value(contract),
    }
    return {key: given for key, given in value.items() if given is not None}


def hooks_text(launcher: str, contract: CopilotContract) -> bytes:
    """The whole hooks file, UTF-8 with a final newline."""
    start = _SESSION_START[contract.session_start_shape]
    return _render(launcher, contract.events, start, contract.command_key, contract.timeout_key)


def is_generated(data: bytes) -> bool:
    """Whether `data` is exactly what some Imprint wrote, for whatever launcher and contract."""
    try:
        hooks = msgspec.json.decode(data, type=_Handlers).hooks
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    handlers = [handler for listed in hooks.values() for handler in listed]
    if len(hooks) != 2 or len(handlers) != 2:
        return False
    line_key = next((key for key in _LINE_KEYS if key in handlers[0]), "")
    timeout_key = next((key for key in _TIMEOUT_KEYS if key in handlers[0]), "")
    words = _words(str(handlers[0].get(line_key, "")))
    if len(words) != 3 or not timeout_key or not words[0].startswith("/"):
        return False
    first, second = hooks
    return _render(words[0], (first, second), words[2], line_key, timeout_key) == data


def runs_launcher(data: bytes) -> bool:
    """Whether a hook in `data` starts a launcher of Imprint's, edited or not."""
    return f"/{LAUNCHER}".encode() in data and b" hook " in data


def hook_line(launcher: str, action: str) -> str:
    """`'<launcher>' hook ACTION`, quoted whether it needs it or not (ADR 0057).

    Raises UnquotableError for a launcher that no command line can carry.
    """
    posix_line((launcher, "hook", action))  # the check
    apostrophe = "'\"'\"'"
    return f"'{launcher.replace(chr(39), apostrophe)}' hook {action}"


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _render(
    launcher: str, events: tuple[str, str], start: str, line_key: str, timeout_key: str
) -> bytes:
    planned = zip(events, (start, "stop"), (SESSION_START_SECONDS, STOP_SECONDS), strict=True)
    hooks = {
        event: [
            {
                "type": "command",
                line_key: hook_line(launcher, action),
                timeout_key: seconds,
            }
        ]
        for event, action, seconds in planned
    }
    text = json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False)
    return f"{text}\n".encode()
