"""Tool calls as work records: files read and written, commands run, what failed."""

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from imprint.learn.events import (
    ToolArguments,
    ToolComplete,
    ToolError,
    ToolFailed,
    ToolResult,
    ToolStart,
)
from imprint.memory import WorkKind

OWN_SERVER = "imprint"
_OWN_TOOLS = f"{OWN_SERVER}-", f"{OWN_SERVER}_"
"""Imprint's MCP server as setup registers it; what it answered is never learned back."""

DETAIL_CHARACTERS = 2000
EDIT_CHARACTERS = 400
SUBJECT_CHARACTERS = 4000

# By the tool's name without its namespace: the CLI's own tools, then VS Code's.
_COMMANDS = frozenset(("bash", "powershell", "shell", "local_shell", "run_in_terminal"))
_READS = frozenset(("view", "read", "read_file", "cat"))
_WRITES = frozenset(
    (
        "create",
        "edit",
        "write",
        "insert",
        "str_replace",
        "write_file",
        "create_file",
        "edit_file",
        "insert_edit_into_file",
        "replace_string_in_file",
    )
)
_PATCHES = frozenset(("apply_patch",))
_EDITOR = "str_replace_editor"
_OF_INTEREST = _COMMANDS | _READS | _WRITES | _PATCHES | {_EDITOR}
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


class Work(NamedTuple):
    """What a tool call did, without the event that it came from."""

    kind: WorkKind
    subject: str
    detail: str = ""


class Started(NamedTuple):
    """What a call does, in the event's place."""

    time: str
    works: Sequence[Work]


def is_command(event: ToolStart) -> bool:
    """Whether a shell runs, whose exit code tells more than the tool's own success."""
    return _name(event) in _COMMANDS


def is_own(event: ToolStart) -> bool:
    """Whether Imprint's own MCP server was called."""
    data = event.data
    return data.mcp_server_name == OWN_SERVER or data.tool_name.startswith(_OWN_TOOLS)


def started_work(event: ToolStart) -> Sequence[Work]:
    """The files and commands of a call as it started; a call without an end is kept too."""
    name = _name(event)
    if name not in _OF_INTEREST or is_own(event):
        return ()
    arguments = _arguments(event)
    if name in _COMMANDS:
        command = _text(arguments.command)
        return (Work("command", command[:SUBJECT_CHARACTERS]),) if command else ()
    if name in _PATCHES:
        patch = _text(arguments.input) or _text(arguments.patch)
        return [Work("write", path.strip()) for path in dict.fromkeys(_PATCHED.findall(patch))]
    path = _path(arguments)
    if not path:
        return ()
    if name in _READS or (name == _EDITOR and arguments.command == "view"):
        return (Work("read", path),)
    return (Work("write", path, _edit(arguments)),)


def failed_work(event: ToolFailed) -> Work | None:
    """A failure with what was tried, and the words of the error that a later search looks for."""
    started = event.started
    if started is not None and is_own(started):
        return None
    name = event.completed.data.tool_name if started is None else started.data.tool_name
    tried = "" if started is None else _tried(_arguments(started))
    subject = f"{name or 'a tool'}: {tried}" if tried else name or "a tool"
    return Work("failure", subject[:SUBJECT_CHARACTERS], _reason(event.completed))


def _name(event: ToolStart) -> str:
    return _plain_name(event.data.tool_name)


@functools.lru_cache(256)
def _plain_name(name: str) -> str:
    """Without a namespace (`functions.bash`) and in one spelling; there are few of them."""
    return name.rpartition(".")[2].lower()


def _arguments(event: ToolStart) -> ToolArguments:
    """The arguments under either name; a string may hold them as JSON, or be a patch."""
    found = event.data.arguments if event.data.arguments is not None else event.data.args
    if isinstance(found, str):
        try:
            return msgspec.json.decode(found, type=ToolArguments)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return ToolArguments(input=found, command=found)
    return found or ToolArguments()


def _path(arguments: ToolArguments) -> str:
    for value in (arguments.path, arguments.file_path, arguments.snake_file_path):
        if path := _text(value):
            return path[:SUBJECT_CHARACTERS]
    return ""


def _edit(arguments: ToolArguments) -> str:
    """The replaced text and its replacement: nothing else keeps what was there before."""
    old, new = _text(arguments.old_str), _text(arguments.new_str)
    if not old and not new:
        return ""
    return f"- {old[:EDIT_CHARACTERS]}\n+ {new[:EDIT_CHARACTERS]}"


def _tried(arguments: ToolArguments) -> str:
    command = _text(arguments.command)
    path = _path(arguments)
    return path if path and command in {"", "view", "create", "str_replace", "insert"} else command


def _reason(event: ToolComplete) -> str:
    """The error's message; of a command's output the end, where the error is."""
    error, result = event.data.error, event.data.result
    message = error.message if isinstance(error, ToolError) else error
    if text := _text(message):
        return text[:DETAIL_CHARACTERS]
    content = result.content if isinstance(result, ToolResult) else result
    return _text(content).strip()[-DETAIL_CHARACTERS:]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
