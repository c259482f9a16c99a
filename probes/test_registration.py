"""Probes: which hooks files and event names are taken, and which events fire."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("hooks.file.home_dir")
def test_every_file_of_the_hooks_folder_is_read(answers: Answers) -> None:
    assert answers().row.claim == "hooks.file.home_dir"


@pytest.mark.claim("hooks.file.unknown_event_reported")
def test_an_unknown_event_is_reported_in_the_log(answers: Answers) -> None:
    assert answers().row.claim == "hooks.file.unknown_event_reported"


@pytest.mark.claim("hooks.names.pascal")
def test_these_pascal_case_names_are_accepted(answers: Answers) -> None:
    assert answers().row.claim == "hooks.names.pascal"


@pytest.mark.claim("hooks.names.camel")
def test_these_camel_case_names_are_accepted(answers: Answers) -> None:
    assert answers().row.claim == "hooks.names.camel"


@pytest.mark.claim("hooks.fires.prompt_mode")
def test_these_events_fire_in_prompt_mode(answers: Answers) -> None:
    assert answers().row.claim == "hooks.fires.prompt_mode"


@pytest.mark.claim("hooks.fires.twice_both_spellings")
def test_a_hook_in_both_spellings_fires_so_often(answers: Answers) -> None:
    assert answers().row.claim == "hooks.fires.twice_both_spellings"
