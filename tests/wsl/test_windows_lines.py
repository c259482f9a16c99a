"""`windows.hook_command`: the lines that setup writes on Windows, read by a grammar of PowerShell.

No PowerShell runs here. Its words are decoded from the grammar's tree and compared with those that
are meant; typographic quotes, which PowerShell takes for quotes and the grammar does not, are
looked for by themselves.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.copilot.commandline import UnquotableError
from imprint.copilot.contract import CopilotContract
from imprint.copilot.hooks_file import hook_argv, render
from imprint.copilot.runtime import Runtime

tree_sitter = pytest.importorskip("tree_sitter", reason="needs tree-sitter")
grammar = pytest.importorskip(
    "tree_sitter_powershell", reason="needs tree-sitter-powershell to parse PowerShell"
)

CONTRACT = CopilotContract.for_version(None, "win32")
QUOTES = "'\u2018\u2019\u201a\u201b"
PLACES = [
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
]


def runtime(place: str) -> Runtime:
    """An installation in a folder of Windows."""
    return Runtime(
        Path(f"{place}\\Scripts\\python.exe"),
        Path(f"{place}\\Lib\\imprint\\hook_entry.py"),
        Path(f"{place}\\store"),
        version="1",
    )


def parse(line: str) -> Any:
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    return parser.parse(line.encode("utf-8")).root_node


def nodes(root: Any) -> Iterator[Any]:
    yield root
    for child in root.children:
        yield from nodes(child)


def is_one_plain_command(line: str) -> bool:
    """Whether the call operator runs one program, all words of it plain strings."""
    root = parse(line)
    kinds = [node.type for node in nodes(root)]
    allowed = {"verbatim_string_characters", "&", " ", "command_argument_sep"}
    leaves = {node.type for node in nodes(root) if not node.children}
    return (
        not root.has_error
        and kinds.count("command") == kinds.count("command_invokation_operator") == 1
        and leaves <= allowed
    )


def words(line: str) -> list[str]:
    """The words that PowerShell would make of the strings in the tree."""
    texts = [
        node.text.decode("utf-8")
        for node in nodes(parse(line))
        if node.type == "verbatim_string_characters"
    ]
    return [undoubled(text[1:-1]) for text in texts]


def undoubled(text: str) -> str:
    """The inside of a string; every quote in it, of whatever kind, must be there twice."""
    found, position = "", 0
    while position < len(text):
        character = text[position]
        if character in QUOTES:
            position += 1
            assert text[position : position + 1] in set(QUOTES), f"a string ends early: {text}"
            character = text[position]
        found += character
        position += 1
    return found


def written_lines(place: str) -> list[tuple[str, str]]:
    """Action and line, as they stand in the hooks file."""
    hooks = json.loads(render(runtime(place), CONTRACT))["hooks"]
    lines = [handler["powershell"] for handlers in hooks.values() for handler in handlers]
    return list(zip(("copilot-session-start", "stop"), lines, strict=True))


@pytest.mark.parametrize("place", PLACES)
def test_the_lines_in_the_hooks_file_are_one_command_with_the_words_that_are_meant(
    place: str,
) -> None:
    for action, line in written_lines(place):
        assert is_one_plain_command(line)
        assert words(line) == list(hook_argv(runtime(place), action))
        assert not set(line) & set('\n\r\0"')


folders = st.text(
    st.characters(exclude_characters='\n\r\0"\\/', exclude_categories=("Cs",)), min_size=1
)


@given(folders)
def test_any_folder_gives_one_command_or_a_refusal(folder: str) -> None:
    place = f"C:\\{folder}"
    (_, line), _ = written_lines(place)
    assert is_one_plain_command(line)
    assert words(line)[0] == f"{place}\\Scripts\\python.exe"


@pytest.mark.parametrize("place", ["C:\\a\nb", 'C:\\a"b', "relative"])
def test_what_powershell_would_garble_is_refused(place: str) -> None:
    with pytest.raises(UnquotableError):
        render(runtime(place), CONTRACT)


(_, GOOD), _ = written_lines("C:\\Users\\ada\\venv")


@pytest.mark.parametrize(
    "line",
    [
        GOOD.removeprefix("& "),
        GOOD.replace("ada", "O'Brien", 1),
        GOOD.removesuffix("'"),
        f"{GOOD}; & 'C:\\calc.exe'",
        f"{GOOD} | Out-Null",
        f"{GOOD} $HOME",
        f'{GOOD} "$(calc)"',
        f"{GOOD} (calc)",
        f"{GOOD} plain",
    ],
)
def test_the_grammar_finds_what_would_be_wrong(line: str) -> None:
    assert is_one_plain_command(GOOD)
    assert not is_one_plain_command(line)


def test_a_typographic_quote_that_is_not_doubled_is_found() -> None:
    with pytest.raises(AssertionError, match="ends early"):
        words(GOOD.replace("ada", "O\u2019Brien", 1))
