"""Probes: what a hook may answer, and what comes of it."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("hooks.context.user_prompt")
def test_these_shapes_reach_the_model_from_a_prompt(answers: Answers) -> None:
    assert answers().row.claim == "hooks.context.user_prompt"


@pytest.mark.claim("hooks.context.pre_tool")
def test_these_shapes_reach_the_model_from_before_a_tool(answers: Answers) -> None:
    assert answers().row.claim == "hooks.context.pre_tool"


@pytest.mark.claim("hooks.context.post_tool")
def test_these_shapes_reach_the_model_from_after_a_tool(answers: Answers) -> None:
    assert answers().row.claim == "hooks.context.post_tool"


@pytest.mark.claim("hooks.context.subagent_start")
def test_these_shapes_reach_the_model_from_the_start_of_a_subagent(answers: Answers) -> None:
    assert answers().row.claim == "hooks.context.subagent_start"


@pytest.mark.claim("hooks.context.arrival")
def test_a_context_arrives_in_the_transcript_as_this(answers: Answers) -> None:
    assert answers().row.claim == "hooks.context.arrival"


@pytest.mark.claim("hooks.context.size")
def test_a_context_of_this_size_arrives_whole(answers: Answers) -> None:
    assert answers().row.claim == "hooks.context.size"


@pytest.mark.claim("hooks.context.repeats")
def test_a_context_is_sent_again_in_these_places(answers: Answers) -> None:
    assert answers().row.claim == "hooks.context.repeats"


@pytest.mark.claim("hooks.deny.pre_tool")
def test_these_answers_stop_a_tool(answers: Answers) -> None:
    assert answers().row.claim == "hooks.deny.pre_tool"


@pytest.mark.claim("hooks.deny.user_prompt")
def test_these_answers_stop_a_prompt(answers: Answers) -> None:
    assert answers().row.claim == "hooks.deny.user_prompt"


@pytest.mark.claim("hooks.deny.batch")
def test_the_other_calls_of_a_denied_one_fare_so(answers: Answers) -> None:
    assert answers().row.claim == "hooks.deny.batch"


@pytest.mark.claim("hooks.modify.pre_tool")
def test_these_answers_change_a_call(answers: Answers) -> None:
    assert answers().row.claim == "hooks.modify.pre_tool"


@pytest.mark.claim("hooks.continue.stop")
def test_a_block_on_stop_does_this(answers: Answers) -> None:
    assert answers().row.claim == "hooks.continue.stop"
