"""`hooks/imprint.json` in a Copilot home: owned whole, so it is written and removed whole."""

import json
from dataclasses import dataclass
from pathlib import Path

import msgspec

from imprint.copilot.commandline import posix_line, powershell_line, split_line
from imprint.copilot.contract import CopilotContract
from imprint.copilot.runtime import Runtime

SESSION_START_SECONDS = 10
STOP_SECONDS = 120
"""Limits of ADR 0057; the hook itself ends long before either."""

STOP_ACTION = "stop"

_SESSION_START_ACTIONS = {"top-level": "copilot-session-start", "nested": "session-start"}

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


@dataclass(frozen=True, slots=True)
class _Form:
    """What differs from one hooks file of Imprint's to the next, the paths aside."""

    events: tuple[str, str]
    actions: tuple[str, str]
    line_key: str
    timeout_key: str


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


def hook_lines(runtime: Runtime, contract: CopilotContract) -> tuple[HookLine, HookLine]:
    """The two hooks that setup registers, for the shell that runs them."""
    return _lines(runtime, _form(contract), contract.system)


def render(runtime: Runtime, contract: CopilotContract) -> bytes:
    """The whole file, UTF-8 with a final newline."""
    return _render(runtime, _form(contract), contract.system)


def is_generated(data: bytes) -> bool:
    """Whether `data` is exactly what some Imprint wrote, of whatever installation and contract."""
    events, handlers = _registered(data)
    if len(events) != 2:
        return False
    line_key = next((key for key in _LINE_KEYS if key in handlers[0]), None)
    timeout_key = next((key for key in _TIMEOUT_KEYS if key in handlers[0]), None)
    if line_key is None or timeout_key is None:
        return False
    lines = [handler.get(line_key) for handler in handlers]
    words = [split_line(line) for line in lines if isinstance(line, str)]
    if len(words) != 2 or words[0] is None or words[1] is None or len(words[0]) < 5:
        return False
    program, _, _, store = words[0][-4:]
    runtime = Runtime(Path(words[0][0]), Path(program), Path(store), version="")
    actions = (words[0][-3], words[1][-3])
    if actions[0] not in _SESSION_START_ACTIONS.values() or actions[1] != STOP_ACTION:
        return False
    form = _Form((events[0], events[1]), actions, line_key, timeout_key)
    system = "win32" if str(lines[0]).startswith("& ") else "linux"
    return _render(runtime, form, system) == data


def mentions_imprint(data: bytes) -> bool:
    """Whether a hook in `data` runs an Imprint's hook program, edited or not."""
    return b"hook_entry.py" in data and b"--store" in data


def _form(contract: CopilotContract) -> _Form:
    start = _SESSION_START_ACTIONS[contract.session_start_shape]
    actions = (start, STOP_ACTION)
    return _Form(contract.events, actions, contract.command_key, contract.timeout_key)


def _lines(runtime: Runtime, form: _Form, system: str) -> tuple[HookLine, HookLine]:
    quote = powershell_line if system == "win32" else posix_line

    def line(place: int, seconds: int) -> HookLine:
        action = form.actions[place]
        return HookLine(form.events[place], action, seconds, quote(hook_argv(runtime, action)))

    return line(0, SESSION_START_SECONDS), line(1, STOP_SECONDS)


def _render(runtime: Runtime, form: _Form, system: str) -> bytes:
    hooks = {
        hook.event: [{"type": "command", form.line_key: hook.line, form.timeout_key: hook.seconds}]
        for hook in _lines(runtime, form, system)
    }
    text = json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False)
    return f"{text}\n".encode()


def _registered(data: bytes) -> tuple[list[str], list[dict[str, object]]]:
    """The events and the one handler of each; nothing where there are none, or several."""
    try:
        hooks = msgspec.json.decode(data, type=_Handlers).hooks
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [], []
    if any(len(handlers) != 1 for handlers in hooks.values()):
        return [], []
    return list(hooks), [handlers[0] for handlers in hooks.values()]
