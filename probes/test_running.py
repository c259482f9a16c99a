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
