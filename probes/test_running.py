"""Probes: how a hook is run, and what its answer does."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("hooks.context.session_start")
def test_these_shapes_of_context_reach_the_model(answers: Answers) -> None:
    assert answers().row.claim == "hooks.context.session_start"


@pytest.mark.claim("hooks.context.several")
def test_of_several_contexts_these_reach_the_model(answers: Answers) -> None:
    assert answers().row.claim == "hooks.context.several"


@pytest.mark.claim("hooks.timeout.key")
def test_these_keys_set_the_time_limit(answers: Answers) -> None:
    assert answers().row.claim == "hooks.timeout.key"


@pytest.mark.claim("hooks.exec.keys")
def test_these_keys_name_a_program(answers: Answers) -> None:
    assert answers().row.claim == "hooks.exec.keys"


@pytest.mark.claim("hooks.exec.shell")
def test_this_shell_runs_a_command(answers: Answers) -> None:
    assert answers().row.claim == "hooks.exec.shell"


@pytest.mark.claim("hooks.exec.cwd")
def test_a_hook_runs_in_this_directory(answers: Answers) -> None:
    assert answers().row.claim == "hooks.exec.cwd"


@pytest.mark.claim("hooks.exec.matcher")
def test_a_matcher_is_held_against_this_name(answers: Answers) -> None:
    assert answers().row.claim == "hooks.exec.matcher"


@pytest.mark.claim("hooks.exec.serial")
def test_hooks_of_parallel_calls_wait_for_each_other_or_not(answers: Answers) -> None:
    assert answers().row.claim == "hooks.exec.serial"


@pytest.mark.claim("hooks.fail.missing_program")
def test_without_the_hooks_program_these_actions_go_on(answers: Answers) -> None:
    assert answers().row.claim == "hooks.fail.missing_program"


@pytest.mark.claim("hooks.timeout.effect")
def test_after_the_time_limit_these_actions_go_on(answers: Answers) -> None:
    assert answers().row.claim == "hooks.timeout.effect"


@pytest.mark.claim("hooks.timeout.default")
def test_a_hook_without_a_limit_has_this_one(answers: Answers) -> None:
    assert answers().row.claim == "hooks.timeout.default"


@pytest.mark.claim("windows.hook_command")
def test_the_lines_for_powershell_are_one_command_with_the_words_that_are_meant(
    answers: Answers,
) -> None:
    assert answers().row.claim == "windows.hook_command"
