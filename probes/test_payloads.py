"""Probes: what a hook is given."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]
Holds = Callable[[Asked], Asked]


@pytest.mark.claim("hooks.payload.pascal_style")
def test_pascal_case_registration_gives_this_dialect(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.pascal_style"


@pytest.mark.claim("hooks.payload.camel_style")
def test_camel_case_registration_gives_this_dialect(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.camel_style"


@pytest.mark.claim("hooks.payload.event_name_field")
def test_the_payload_names_its_event(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.event_name_field"


@pytest.mark.claim("hooks.payload.stop_transcript")
def test_stop_carries_the_transcript_under_this_key(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.stop_transcript"


@pytest.mark.claim("hooks.payload.stop_hook_active")
def test_stop_says_whether_a_stop_hook_is_active(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.stop_hook_active"


@pytest.mark.claim("hooks.payload.tool_name")
def test_the_shell_tool_has_this_name(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.tool_name"


@pytest.mark.claim("hooks.payload.tool_args")
def test_arguments_of_tools_are_of_this_type(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.tool_args"


@pytest.mark.claim("hooks.payload.timestamp")
def test_timestamps_are_of_this_type(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.timestamp"


@pytest.mark.claim("hooks.payload.transcript_flushed")
def test_the_transcript_is_complete_when_stop_starts(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.transcript_flushed"


@pytest.mark.claim("hooks.payload.keys")
def test_payloads_have_these_keys(answers: Answers, holds: Holds) -> None:
    assert holds(answers()).row.claim == "hooks.payload.keys"


@pytest.mark.claim("hooks.payload.record_equals_stdin")
def test_the_record_of_a_hook_is_what_it_got(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.record_equals_stdin"


@pytest.mark.claim("hooks.payload.stdin_eof")
def test_the_input_of_a_hook_ends(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.stdin_eof"


@pytest.mark.claim("hooks.env")
def test_hooks_get_these_variables(answers: Answers) -> None:
    assert answers().row.claim == "hooks.env"


@pytest.mark.claim("hooks.payload.stop_transcript_resumed")
def test_stop_of_a_resumed_session_carries_the_transcript(answers: Answers) -> None:
    assert answers().row.claim == "hooks.payload.stop_transcript_resumed"
