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


@pytest.mark.claim("hooks.file.repo_dir")
def test_hooks_of_a_repository_fire_then(answers: Answers) -> None:
    assert answers().row.claim == "hooks.file.repo_dir"


@pytest.mark.claim("hooks.file.settings_inline")
def test_hooks_of_the_settings_fire_so_often(answers: Answers) -> None:
    assert answers().row.claim == "hooks.file.settings_inline"


@pytest.mark.claim("hooks.file.disable_all")
def test_the_setting_that_disables_hooks_silences_these(answers: Answers) -> None:
    assert answers().row.claim == "hooks.file.disable_all"


@pytest.mark.claim("hooks.file.version_required")
def test_a_file_of_another_version_is_taken_or_not(answers: Answers) -> None:
    assert answers().row.claim == "hooks.file.version_required"


@pytest.mark.claim("hooks.file.tolerance")
def test_files_that_are_not_plain_are_taken_so(answers: Answers) -> None:
    assert answers().row.claim == "hooks.file.tolerance"


@pytest.mark.claim("hooks.file.nested_groups")
def test_nested_groups_are_taken_or_not(answers: Answers) -> None:
    assert answers().row.claim == "hooks.file.nested_groups"


@pytest.mark.claim("hooks.names.enum")
def test_the_shipped_schema_names_these_events(answers: Answers) -> None:
    assert answers().row.claim == "hooks.names.enum"


@pytest.mark.claim("hooks.fires.resume")
def test_session_start_fires_on_resume_with_this_source(answers: Answers) -> None:
    assert answers().row.claim == "hooks.fires.resume"


@pytest.mark.claim("hooks.fires.subagent_stop")
def test_stop_fires_for_a_subagent_so(answers: Answers) -> None:
    assert answers().row.claim == "hooks.fires.subagent_stop"


@pytest.mark.claim("hooks.fires.session_end")
def test_session_end_fires_so_often(answers: Answers) -> None:
    assert answers().row.claim == "hooks.fires.session_end"


@pytest.mark.claim("hooks.order.start_before_prompt")
def test_session_start_runs_before_the_prompt_or_after(answers: Answers) -> None:
    assert answers().row.claim == "hooks.order.start_before_prompt"


@pytest.mark.claim("hooks.order.files")
def test_hooks_of_several_files_run_in_this_order(answers: Answers) -> None:
    assert answers().row.claim == "hooks.order.files"
