"""`windows.hook_command`: the lines that setup writes on Windows, read by a grammar of PowerShell.

No PowerShell runs here. The words of a line are decoded from the grammar's tree; typographic
quotes, which PowerShell takes for quotes and the grammar does not, are looked for by themselves.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import tree_sitter
import tree_sitter_powershell

from imprint.copilot.contract import CopilotContract
from imprint.copilot.hooks_file import hook_argv, render
from imprint.copilot.runtime import Runtime
from imprint.observe.judged import Judged, yes_or_no

CONTRACT = CopilotContract.for_version(None, "win32")

PLACES = (
    "C:\\Users\\ada\\venv",
    "C:\\Program Files (x86)\\Imprint & Co",
    "C:\\Users\\O'Brien\\venv",
    "C:\\Users\\''\\'x'",
    "C:\\$HOME $(calc) ${x} `n `",
    "C:\\a;b|c&&d||e",
    "C:\\[x]{y}(z)@#!~^",
    "C:\\100% %PATH% %1",
    "C:\\-n --help /?",
    "C:\\#comment <# block #>",
    "C:\\Jörg\\日本語\\😀",
    "C:\\typo \u2018a\u2019 \u201ab\u201b \u2019\u2019",
    "\\\\server\\share$\\venv",
    "D:\\x.y,z=1+2",
)
"""Folders that Imprint may be installed in, each nasty in its own way."""

_QUOTES = "'\u2018\u2019\u201a\u201b"
_PLAIN = frozenset({"verbatim_string_characters", "&", " ", "command_argument_sep"})


class StringEndsEarly(ValueError):
    """A quote inside a string is not doubled."""


def runtime(place: str) -> Runtime:
    """An installation in a folder of Windows."""
    return Runtime(
        Path(f"{place}\\Scripts\\python.exe"),
        Path(f"{place}\\Lib\\imprint\\hook_entry.py"),
        Path(f"{place}\\store"),
        version="1",
    )


def written_lines(place: str) -> list[tuple[str, str]]:
    """Action and line, as they stand in the hooks file."""
    hooks = json.loads(render(runtime(place), CONTRACT))["hooks"]
    lines = [handler["powershell"] for handlers in hooks.values() for handler in handlers]
    return list(zip(("copilot-session-start", "stop"), lines, strict=True))


def is_one_plain_command(line: str) -> bool:
    """Whether the call operator runs one program, all words of it plain strings."""
    root = _parse(line)
    kinds = [node.type for node in _nodes(root)]
    leaves = {node.type for node in _nodes(root) if not node.children}
    return (
        not root.has_error
        and kinds.count("command") == kinds.count("command_invokation_operator") == 1
        and leaves <= _PLAIN
    )


def words(line: str) -> list[str]:
    """The words that PowerShell would make of the strings in the tree; `StringEndsEarly`."""
    texts = [
        (node.text or b"").decode("utf-8")
        for node in _nodes(_parse(line))
        if node.type == "verbatim_string_characters"
    ]
    return [_undoubled(text[1:-1]) for text in texts]


def hook_command() -> Judged:
    """The lines for every folder are one command with the words that are meant.

    It is asked of Imprint, not of Copilot: every release gets the same lines.
    """
    good = written_lines(PLACES[0])[0][1]
    broken = (good.removeprefix("& "), good.removesuffix("'"), f"{good}; & 'C:\\calc.exe'")
    found = {place: _is_meant(place) for place in PLACES}
    return Judged(
        yes_or_no(all(found.values())),
        found,
        positive=is_one_plain_command(good),
        negative=not any(is_one_plain_command(line) for line in broken),
    )


def _is_meant(place: str) -> bool:
    try:
        return all(
            is_one_plain_command(line) and words(line) == list(hook_argv(runtime(place), action))
            for action, line in written_lines(place)
        )
    except StringEndsEarly:
        return False


def _parse(line: str) -> tree_sitter.Node:
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
    return parser.parse(line.encode("utf-8")).root_node


def _nodes(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    yield root
    for child in root.children:
        yield from _nodes(child)


def _undoubled(text: str) -> str:
    """The inside of a string; every quote in it, of whatever kind, must be there twice."""
    found, position = "", 0
    while position < len(text):
        character = text[position]
        if character in _QUOTES:
            position += 1
            if text[position : position + 1] not in set(_QUOTES):
                raise StringEndsEarly(f"a string ends early: {text}")
            character = text[position]
        found += character
        position += 1
    return found
