"""Probes: what a session leaves on disk."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]
Holds = Callable[[Asked], Asked]


@pytest.mark.claim("state.caller_chosen_id")
def test_the_caller_chooses_the_id_or_not(answers: Answers) -> None:
    assert answers().row.claim == "state.caller_chosen_id"


@pytest.mark.claim("state.cwd")
def test_the_working_directory_is_recorded_here(answers: Answers) -> None:
    assert answers().row.claim == "state.cwd"


@pytest.mark.claim("state.user_source")
def test_messages_that_nobody_typed_have_this_source(answers: Answers) -> None:
    assert answers().row.claim == "state.user_source"


@pytest.mark.claim("state.subagent_marks")
def test_what_a_subagent_says_is_marked_so(answers: Answers) -> None:
    assert answers().row.claim == "state.subagent_marks"


@pytest.mark.claim("state.autopilot_mark")
def test_a_continuation_of_autopilot_is_marked_or_not(answers: Answers) -> None:
    assert answers().row.claim == "state.autopilot_mark"


@pytest.mark.claim("state.ephemeral_on_disk")
def test_ephemeral_events_are_on_disk_or_not(answers: Answers) -> None:
    assert answers().row.claim == "state.ephemeral_on_disk"


@pytest.mark.claim("state.usage_on_disk")
def test_tokens_are_recorded_by_these_events(answers: Answers) -> None:
    assert answers().row.claim == "state.usage_on_disk"


@pytest.mark.claim("state.shutdown_files")
def test_the_shutdown_event_lists_modified_files_or_not(answers: Answers) -> None:
    assert answers().row.claim == "state.shutdown_files"


@pytest.mark.claim("state.failed_tool")
def test_a_failed_tool_says_so_or_not(answers: Answers) -> None:
    assert answers().row.claim == "state.failed_tool"


@pytest.mark.claim("state.killed")
def test_a_killed_session_ends_in_such_a_line(answers: Answers) -> None:
    assert answers().row.claim == "state.killed"


@pytest.mark.claim("state.event_shapes")
def test_events_have_these_shapes(answers: Answers, holds: Holds) -> None:
    assert holds(answers()).row.claim == "state.event_shapes"


@pytest.mark.claim("state.resume_appends")
def test_a_resumed_session_appends_or_not(answers: Answers) -> None:
    assert answers().row.claim == "state.resume_appends"
