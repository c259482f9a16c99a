"""`hooks/imprint.json` in a Copilot home: owned whole, so it is written and removed whole."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from imprint.copilot.commandline import posix_line, powershell_line, split_line
from imprint.copilot.contract import CopilotContract
from imprint.copilot.runtime import Runtime

SESSION_START_SECONDS = 10
STOP_SECONDS = 120
"""Limits of ADR 0057; the hook itself ends long before either."""

SESSION_START_ACTION = "copilot-session-start"
STOP_ACTION = "stop"

# A script that is gone makes Python exit with 2 and a complaint, and Copilot shows both to the user
# (1.0.40 and 1.0.102: a line at every start and stop). So the interpreter is given this program,
# which answers `{}` where the script is gone. It imports rather than runs the script: that uses
# the compiled file, a quarter less time per hook. The script's folder comes last on the path, so
# that nothing in it can hide the standard library. No double quotes: PowerShell garbles them.
_START = (
    "import os,sys;del sys.argv[0];p=sys.argv[0];sys.path.append(os.path.dirname(p));"
    "__import__('hook_entry').main()if os.path.exists(p)else print('{}')"
)

_LINE_KEYS = ("bash", "powershell", "command")
_TIMEOUT_KEYS = ("timeoutSec", "timeout", "timeoutSeconds", "timeoutMs")


@dataclass(frozen=True, slots=True)
class HookLine:
    """One registered hook: the event's spelling, the action, its limit, and the line itself."""

    event: str
    action: str
    seconds: int
    line: str


class _Handlers(msgspec.Struct):
    hooks: dict[str, list[dict[str, object]]]


def hook_argv(runtime: Runtime, action: str) -> tuple[str, ...]:
    """The words of a hook's command line."""
    return (
        str(runtime.python),
        "-I",
        "-S",
        "-c",
        _START,
        str(runtime.hook_entry),
        action,
        "--store",
        str(runtime.imprint_home),
    )


def hook_lines(
    runtime: Runtime, contract: CopilotContract, platform: str
) -> tuple[HookLine, HookLine]:
    """The two hooks that setup registers, for the shell that runs them on `platform`."""
    quote = powershell_line if platform == "win32" else posix_line
    return (
        HookLine(
            contract.session_start_event,
            SESSION_START_ACTION,
            SESSION_START_SECONDS,
            quote(hook_argv(runtime, SESSION_START_ACTION)),
        ),
        HookLine(
            contract.stop_event,
            STOP_ACTION,
            STOP_SECONDS,
            quote(hook_argv(runtime, STOP_ACTION)),
        ),
    )


def render(runtime: Runtime, contract: CopilotContract, platform: str) -> bytes:
    """The whole file, UTF-8 with a final newline."""
    return _render(
        hook_lines(runtime, contract, platform),
        line_key=contract.command_key(platform),
        timeout_key=contract.timeout_key,
    )


def is_generated(data: bytes) -> bool:
    """Whether `data` is exactly what some Imprint wrote, of whatever installation and contract."""
    found = _first_handler(data)
    if found is None:
        return False
    events, handler = found
    line_key = next((key for key in _LINE_KEYS if key in handler), None)
    timeout_key = next((key for key in _TIMEOUT_KEYS if key in handler), None)
    if line_key is None or timeout_key is None or len(events) != 2:
        return False
    line = handler[line_key]
    words = split_line(line) if isinstance(line, str) else None
    if words is None or len(words) < 5:
        return False
    program, _, _, store = words[-4:]
    runtime = Runtime(Path(words[0]), Path(program), Path(store), version="")
    contract = replace(
        CopilotContract.for_version(None), session_start_event=events[0], stop_event=events[1]
    )
    platform = "win32" if str(line).startswith("& ") else "linux"
    lines = hook_lines(runtime, contract, platform)
    return _render(lines, line_key=line_key, timeout_key=timeout_key) == data


def mentions_imprint(data: bytes) -> bool:
    """Whether a hook in `data` runs an Imprint's hook program, edited or not."""
    return b"hook_entry.py" in data and b"--store" in data


def _render(lines: Sequence[HookLine], *, line_key: str, timeout_key: str) -> bytes:
    hooks = {
        hook.event: [{"type": "command", line_key: hook.line, timeout_key: hook.seconds}]
        for hook in lines
    }
    text = json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False)
    return f"{text}\n".encode()


def _first_handler(data: bytes) -> tuple[list[str], dict[str, object]] | None:
    try:
        hooks = msgspec.json.decode(data, type=_Handlers).hooks
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    first = next(iter(hooks.values()), [])
    return (list(hooks), first[0]) if first else None
