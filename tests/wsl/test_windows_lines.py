"""`windows.hook_command`: what setup writes on Windows, read by a grammar of PowerShell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.copilot.commandline import UnquotableError
from imprint.copilot.hooks_file import hook_argv, render
from probes.powershell import (
    CONTRACT,
    PLACES,
    StringEndsEarly,
    hook_command,
    is_one_plain_command,
    runtime,
    words,
    written_lines,
)


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
    with pytest.raises(StringEndsEarly, match="ends early"):
        words(GOOD.replace("ada", "O\u2019Brien", 1))


def test_the_claim_is_answered_with_both_controls() -> None:
    judged = hook_command()
    assert (judged.value, judged.positive, judged.negative) == ("yes", True, True)
