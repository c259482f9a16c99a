"""What `wsl.exe` says is understood in every encoding and language, and its silence too."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.wsl.distributions import (
    Distribution,
    NoSuchDistribution,
    UnreadableList,
    choose,
    list_distributions,
    list_running,
    parse_list,
)
from imprint.wsl.run_wsl import Answer, WslExe, WslFailed, WslHangs, WslMissing, text_of
from tests.capabilities import needs_scripts

ENGLISH = (
    "  NAME                   STATE           VERSION\n"
    "* Ubuntu-22.04           Running         2\n"
    "  Debian                 Stopped         1\n"
    "  docker-desktop         Running         2\n"
    "  docker-desktop-data    Stopped         2\n"
)
GERMAN = (
    "  NAME            STATUS           VERSION\n"
    "* Ubuntu-22.04    Wird ausgeführt  2\n"
    "  Debian          Wird installiert 1\n"
)
JAPANESE = "  名前            状態            バージョン\n* Ubuntu-22.04    実行中          2\n"
ENCODINGS = {
    "UTF-16LE, as it comes": lambda text: text.replace("\n", "\r\n").encode("utf-16-le"),
    "UTF-16LE with a BOM": lambda text: (
        b"\xff\xfe" + text.replace("\n", "\r\n").encode("utf-16-le")
    ),
    "UTF-16LE of older builds": lambda text: text.replace("\n", "\r\r\n").encode("utf-16-le"),
    "WSL_UTF8": lambda text: text.replace("\n", "\r\n").encode(),
    "WSL_UTF8 with a BOM": lambda text: text.replace("\n", "\r\r\n").encode("utf-8-sig"),
}


class StandIn:
    """A `wsl.exe` that answers what it was told to, and remembers what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, arguments: Sequence[str], *, seconds: float) -> Answer:
        self.asked.append(tuple(arguments))
        return self.answers.pop(0)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("table", [ENGLISH, GERMAN, JAPANESE], ids=["en", "de", "ja"])
def test_a_list_is_read_in_every_encoding_and_language(table: str, encoding: str) -> None:
    rows = parse_list(ENCODINGS[encoding](table))
    assert [row.name for row in rows[:2]] == ["Ubuntu-22.04", "Debian"][: table.count("\n") - 1]
    assert [row.is_default for row in rows] == [True] + [False] * (len(rows) - 1)
    assert rows[0].version == 2


def test_the_states_are_kept_as_windows_says_them() -> None:
    assert [row.state for row in parse_list(GERMAN.encode())] == [
        "Wird ausgeführt",
        "Wird installiert",
    ]


def test_distributions_of_programs_are_left_out() -> None:
    run = StandIn(Answer(0, ENGLISH.encode("utf-16-le")))
    assert [row.name for row in list_distributions(run)] == ["Ubuntu-22.04", "Debian"]
    assert run.asked == [("--list", "--verbose")]


def test_a_line_that_is_no_row_is_an_error_that_quotes_it() -> None:
    with pytest.raises(UnreadableList, match="kaboom"):
        parse_list(b"  NAME  STATE  VERSION\nkaboom\n")


def test_the_exit_code_decides_and_the_localized_reason_is_quoted() -> None:
    message = "Für das Windows-Subsystem für Linux sind keine Distributionen installiert.\r\n"
    run = StandIn(Answer(4294967295, message.encode("utf-16-le")))
    with pytest.raises(WslFailed, match=r"4294967295.*keine Distributionen"):
        list_distributions(run)


def test_the_running_ones_are_names_in_lower_case_and_none_where_wsl_fails() -> None:
    run = StandIn(Answer(0, "Ubuntu\r\nDebian\r\n".encode("utf-16-le")), Answer(4294967295, b""))
    assert list_running(run) == {"ubuntu", "debian"}
    assert list_running(run) == frozenset()


def test_a_distribution_is_chosen_by_its_name_in_any_case_else_the_default() -> None:
    rows = parse_list(ENGLISH.encode())
    assert choose(rows, None) == Distribution("Ubuntu-22.04", "Running", 2, is_default=True)
    assert choose(rows, "debian").name == "Debian"
    with pytest.raises(NoSuchDistribution, match=r"Arch; there are: Ubuntu-22\.04, Debian"):
        choose(rows[:2], "Arch")
    with pytest.raises(NoSuchDistribution, match="there are: none"):
        choose((), None)


@pytest.mark.parametrize("data", [b"", b"\xff", b"a\0b", "日本".encode("utf-16-le") + b"\x0a\0"])
def test_any_output_is_text(data: bytes) -> None:
    assert "\0" not in text_of(data)


# --- the program itself ----------------------------------------------------------------------


def stand_in_program(folder: Path, body: str) -> Environment:
    """A world whose wsl.exe is a script of ours."""
    program = folder / "wsl.exe"
    program.write_text(f"#!{sys.executable} -I\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    return Environment.scratch(folder, {"IMPRINT_WSL_EXE": str(program), "PATH": "/usr/bin"})


@needs_scripts
def test_the_program_gets_the_arguments_utf8_and_an_empty_stdin(tmp_path: Path) -> None:
    body = "import os,sys\nprint(sys.argv[1:], os.environ['WSL_UTF8'], sys.stdin.read() == '')"
    run = WslExe.of(stand_in_program(tmp_path, body))
    answer = run(("-d", "Ubuntu", "two words"), seconds=20)
    assert answer == Answer(0, b"['-d', 'Ubuntu', 'two words'] 1 True\n", b"")


@needs_scripts
def test_a_program_that_hangs_is_ended(tmp_path: Path) -> None:
    run = WslExe.of(stand_in_program(tmp_path, "import signal; signal.pause()"))
    with pytest.raises(WslHangs, match="did not answer"):
        run((), seconds=0.5)


def test_a_program_that_is_missing_is_named(tmp_path: Path) -> None:
    world = Environment.scratch(tmp_path, {"IMPRINT_WSL_EXE": str(tmp_path / "nowhere.exe")})
    with pytest.raises(WslMissing, match=r"nowhere.exe.*cannot be started"):
        WslExe.of(world)((), seconds=1)


def test_elsewhere_than_on_windows_there_is_no_wsl_exe(tmp_path: Path) -> None:
    with pytest.raises(WslMissing, match="not Windows"):
        WslExe.of(replace(Environment.scratch(tmp_path), platform="linux"))
