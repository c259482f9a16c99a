"""Command lines survive the shells that Copilot runs hooks in."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.copilot.commandline import (
    UnquotableError,
    posix_line,
    powershell_line,
    split_line,
)

NASTY = (
    "plain",
    "two words",
    "O'Brien",
    "cost $HOME ${x} $(id)",
    "a & b && c || d ; e | f > g < h",
    "[abc]*?{x,y}",
    "back`tick`",
    "%PATH% %1",
    'say "hi"',
    "-n leading dash",
    "~tilde",
    "Jörg Müller",
    "日本語 名前",
    "back\\slash\\",
    "hash # bang !",
    "caret ^ at @ paren ( )",
    "\u2018typographic\u2019 \u201aquotes\u201b",
    "tab\there",
    "",
)

WINDOWS_PROGRAM = "C:\\Users\\O'Brien & Söhne [x] $y `z` 100%\\venv\\Scripts\\python.exe"

# No double quote: Windows has no such file name, and Windows PowerShell does not pass it on.
windows_words = st.text(
    st.characters(exclude_characters='\n\r\0"', exclude_categories=("Cs",)), min_size=1
).filter(lambda word: not (word.endswith("\\") and any(map(str.isspace, word))))
posix_words = st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=("Cs",)))


def read_powershell(line: str) -> list[str]:
    """The words of `& 'a' 'b'`, read by PowerShell's rule: a doubled quote is that quote."""
    quotes = "'\u2018\u2019\u201a\u201b"
    assert line.startswith("& ")
    words, position = [], 2
    while position < len(line):
        assert line[position] in quotes, f"a word that is no string at {position}: {line}"
        position += 1
        word = ""
        while True:
            character = line[position]
            if character in quotes:
                if line[position + 1 : position + 2] not in tuple(quotes):
                    break
                position += 1
                character = line[position]
            word += character
            position += 1
        words.append(word)
        position += 1
        assert line[position : position + 1] in {"", " "}
        position += 1
    return words


def run_in(shell: str, line: str, folder: Path) -> list[str]:
    """What a program is given when `shell` runs `line`."""
    done = subprocess.run(
        [shell, "-c", line], capture_output=True, check=True, cwd=folder, timeout=20
    )
    return json.loads(done.stdout)


def show_arguments(folder: Path) -> Path:
    """A program in `folder` that prints its own name and arguments as JSON."""
    program = folder / "show"
    program.write_text(
        f"#!{sys.executable} -IS\nimport json, sys\njson.dump(sys.argv, sys.stdout)\n",
        encoding="utf-8",
    )
    program.chmod(0o700)
    return program


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("name", [name for name in NASTY if name])
def test_a_program_below_any_folder_name_runs_in_a_posix_shell(
    shell: str, name: str, tmp_path: Path
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    program = show_arguments(folder)
    argv = [str(program), "-I", *NASTY]
    assert run_in(shell, posix_line(argv), tmp_path) == argv


@given(st.lists(posix_words, max_size=5))
def test_posix_words_come_back_from_the_line(words: list[str]) -> None:
    argv = ("/usr/bin/python3", *words)
    assert split_line(posix_line(argv)) == argv


@given(st.lists(windows_words, max_size=5))
def test_powershell_words_come_back_from_the_line(words: list[str]) -> None:
    argv = (WINDOWS_PROGRAM, *words)
    line = powershell_line(argv)
    assert tuple(read_powershell(line)) == argv
    assert split_line(line) == argv


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["C:\\py\\python.exe", "-I"], r"& 'C:\py\python.exe' '-I'"),
        (["C:\\Jo's $x [1] & `t` 5%\\p.exe"], r"& 'C:\Jo''s $x [1] & `t` 5%\p.exe'"),
        (["C:\\a\u2019b\\p.exe"], "& 'C:\\a\u2019\u2019b\\p.exe'"),
        (["C:\\日本 ü\\p.exe", "stop"], r"& 'C:\日本 ü\p.exe' 'stop'"),
        ([r"\\server\share\p.exe"], r"& '\\server\share\p.exe'"),
    ],
)
def test_powershell_lines_use_the_call_operator_and_single_quotes(
    argv: Sequence[str], line: str
) -> None:
    assert powershell_line(argv) == line


def test_a_powershell_line_parses_as_one_command_of_plain_strings() -> None:
    grammar = pytest.importorskip(
        "tree_sitter_powershell", reason="needs tree-sitter-powershell to parse PowerShell"
    )
    tree_sitter = pytest.importorskip("tree_sitter", reason="needs tree-sitter")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    words = [word for word in NASTY if word and '"' not in word and not word.endswith("\\")]
    argv = [WINDOWS_PROGRAM, *words]
    tree = parser.parse(powershell_line(argv).encode("utf-8"))
    assert not tree.root_node.has_error
    kinds: dict[str, int] = {}
    nodes = [tree.root_node]
    while nodes:
        node = nodes.pop()
        kinds[node.type] = kinds.get(node.type, 0) + 1
        nodes.extend(node.children)
    assert kinds["command"] == 1
    assert kinds["verbatim_string_characters"] == len(argv)
    assert not {"variable", "sub_expression", "expandable_string_literal"} & set(kinds)


@pytest.mark.parametrize("quote", [posix_line, powershell_line])
@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["python", "-I"],
        ["bin/python"],
        ["~/bin/python"],
        ["%USERPROFILE%\\python.exe"],
        ["/usr/bin/python\n", "x"],
        ["C:\\p.exe\r"],
        ["/bin/a\0b"],
    ],
)
def test_what_no_line_can_carry_is_refused(quote, argv: Sequence[str]) -> None:
    with pytest.raises(UnquotableError):
        quote(argv)


def test_a_name_that_is_no_text_is_refused_with_what_to_do() -> None:
    with pytest.raises(UnquotableError) as caught:
        posix_line(["/home/\udcff/python"])
    assert "UTF-8" in caught.value.fix


@pytest.mark.parametrize("word", ["", 'a"b', "\\\\server\\my share\\"])
def test_what_windows_powershell_garbles_is_refused(word: str) -> None:
    with pytest.raises(UnquotableError):
        powershell_line(["C:\\p.exe", word])


@pytest.mark.parametrize(
    "line", ["", "echo hi", "& python", "/bin/a $HOME", "/bin/a 'x", "& 'a' b"]
)
def test_a_line_of_somebody_else_is_not_split(line: str) -> None:
    assert split_line(line) is None
