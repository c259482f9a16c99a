"""What judges of a session's state answer, and what takes each answer away."""

import json
from pathlib import Path

import pytest

from imprint.observe.hook_inputs.scenes import CREATED, EDITED, SKILL, skill_word
from imprint.observe.scenario import PROMPT
from imprint.observe.subagents import SUBAGENT_PROMPT, subagent_word
from imprint.observe.transcripts.records import event_shapes
from imprint.observe.transcripts.scenes import RESUMED_PROMPT, chosen_id, context_word
from tests.observe.pretend import SUBAGENT, Pretend, event, request, start, strange, value

Line = dict[str, object]


@pytest.fixture
def made(tmp_path: Path) -> Pretend:
    return Pretend(tmp_path)


def said(content: str, agent: str = "", **more: object) -> Line:
    return event("assistant.message", agent, content=content, **more)


def asked(content: str, agent: str = "", **more: object) -> Line:
    return event("user.message", agent, content=content, **more)


def test_the_flag_chooses_the_id_where_the_folder_has_it(made: Pretend) -> None:
    identity = chosen_id(made.scene("transcripts.chosen"))
    made.useless("hosts.sdk")
    made.give("transcripts.chosen", events=[], requests=[request()], session=identity)
    assert value("state.caller_chosen_id", made) == {"flag": "yes"}
    made.give("transcripts.chosen", events=[], requests=[request()])
    assert value("state.caller_chosen_id", made) == {"flag": "no"}
    made.give("transcripts.chosen", exit_code=1, stderr="Not logged in")
    assert value("state.caller_chosen_id", made) == "control-failed"


@pytest.mark.parametrize(("taken", "answer"), [(True, "yes"), (False, "no")])
def test_a_release_without_the_flag_is_asked_to_resume_an_id_of_ours(
    made: Pretend, taken: bool, answer: str
) -> None:
    made.useless("hosts.sdk")
    made.give("transcripts.chosen", exit_code=1, stderr="error: unknown option '--session-id'")
    name = "transcripts.chosen_by_resume"
    if taken:
        identity = chosen_id(made.scene(name))
        made.give(name, events=[], requests=[request()], session=identity)
    else:
        made.give(name, exit_code=1, stderr="Error: No session matched that id")
    assert value("state.caller_chosen_id", made) == {"flag": answer}


def resumed(made: Pretend, *lines: Line, shown: bool = True) -> None:
    """A session that was begun and resumed; `lines` are of both, in one file."""
    scene = made.scene("transcripts.begun")
    events = [start(context={"cwd": str(scene.work)}), *lines]
    begun = made.give("transcripts.begun", events=events)
    history = [request(begun.words.answer if shown else "nothing")]
    made.give("transcripts.resumed", events=events, requests=history)


def test_the_working_directory_is_where_it_is_stated(made: Pretend) -> None:
    scene = made.scene("transcripts.begun")
    resumed(made, event("session.resume", context={"cwd": "/elsewhere"}))
    folder = made["transcripts.begun"].result.session_folder
    assert folder is not None
    (folder / "workspace.yaml").write_text(f"id: x\ncwd: {scene.work}\n", encoding="utf-8")
    expected = {"session.start": "yes", "session.resume": "no", "workspace.yaml": "yes"}
    assert value("state.cwd", made) == expected
    assert strange("state.cwd", made)
    resumed(made, event("session.context_changed", cwd=str(scene.work)))
    found = value("state.cwd", made)
    assert isinstance(found, dict)
    assert found["context_changed"] == "yes"
    resumed(made, shown=False)
    assert value("state.cwd", made) == "control-failed"


def test_a_resumed_session_appends_where_one_file_has_both_prompts(made: Pretend) -> None:
    resumed(made, asked(PROMPT), asked(RESUMED_PROMPT))
    assert value("state.resume_appends", made) == "yes"
    events = [start(), asked(RESUMED_PROMPT)]
    history = [request(made["transcripts.begun"].words.answer)]
    made.give("transcripts.resumed", events=events, requests=history, session="another")
    assert value("state.resume_appends", made) == "no"
    resumed(made, asked(PROMPT), asked(RESUMED_PROMPT), shown=False)
    assert value("state.resume_appends", made) == "control-failed"


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        (b'{"type": "user.message"}\n', "whole"),
        (b'{"type": "user.message"}\n{"type": "assis', "partial"),
        (b'{"type": "user.message"}', "partial"),
        (b"", "missing"),
        (None, "missing"),
    ],
)
def test_a_killed_session_is_judged_by_its_last_line(
    made: Pretend, raw: bytes | None, answer: str
) -> None:
    made.give("transcripts.killed", "kill", raw=raw, requests=[request()], exit_code=-9)
    assert value("state.killed", made) == answer
    assert strange("state.killed", made)


def test_a_session_that_was_not_killed_in_the_middle_says_nothing(made: Pretend) -> None:
    made.give("transcripts.killed", "kill", raw=b"", requests=[request()])
    assert value("state.killed", made) == "not-killed"
    made.give("transcripts.killed", raw=b"", requests=[request()], exit_code=-9)
    assert value("state.killed", made) == "not-killed"
    words = made.scene("transcripts.killed").words
    done = [said(f"Done: {words.answer}")]
    made.give("transcripts.killed", "kill", events=done, requests=[request()], exit_code=-9)
    assert value("state.killed", made) == "control-failed"


def sources(made: Pretend, plain: list[Line], wide: list[Line]) -> None:
    one, other = made.scene("transcripts.begun"), made.scene("hook_inputs.camel")
    context, skill = context_word(one, "postToolUse"), skill_word(other)
    made.give("transcripts.begun", events=plain, requests=[request(PROMPT, context)])
    made.give("hook_inputs.camel", events=wide, requests=[*SUBAGENT, request(skill)])


def test_sources_are_those_of_the_messages_without_their_ids(made: Pretend) -> None:
    context = context_word(made.scene("transcripts.begun"), "preToolUse")
    skill = skill_word(made.scene("hook_inputs.camel"))
    sources(
        made,
        [start(), asked(PROMPT), asked(f"<c>{context}", source="system")],
        [
            asked(f"The skill says {skill}", source=f"skill-{SKILL}"),
            asked(SUBAGENT_PROMPT, "an-agent", source="agent-8f2c"),
        ],
    )
    assert value("state.user_source", made) == {
        "typed": "absent",
        "context": "system",
        "skill": "skill-<name>",
        "subagent": "agent-<id>",
    }
    assert strange("state.user_source", made)


def test_what_reached_the_model_without_a_message_has_none(made: Pretend) -> None:
    sources(made, [start(), asked(PROMPT, source="user")], [])
    expected = {"typed": "user", "context": "no-message", "skill": "no-message"}
    made.give("hook_inputs.camel", requests=made["hook_inputs.camel"].result.model_requests[2:])
    assert value("state.user_source", made) == expected
    sources(made, [start()], [])
    assert value("state.user_source", made) == "control-failed"


@pytest.mark.parametrize(
    ("agent", "call", "answer"),
    [
        ("an-agent", "call_1", {"agentId": "yes", "parentToolCallId": "yes"}),
        ("", "call_1", {"agentId": "no", "parentToolCallId": "yes"}),
        ("", "", {"agentId": "no", "parentToolCallId": "no"}),
    ],
)
def test_a_subagents_messages_are_marked_and_the_main_agents_are_not(
    made: Pretend, agent: str, call: str, answer: dict[str, str]
) -> None:
    scene = made.scene("hook_inputs.camel")
    theirs = said(subagent_word(scene), agent, parentToolCallId=call)
    own = said(scene.words.answer)
    made.give("hook_inputs.camel", events=[theirs, own], requests=SUBAGENT)
    assert value("state.subagent_marks", made) == answer
    marked = said(scene.words.answer, "an-agent")
    made.give("hook_inputs.camel", events=[theirs, marked], requests=SUBAGENT)
    assert value("state.subagent_marks", made) == "control-failed"
    made.give("hook_inputs.camel", events=[own], requests=SUBAGENT)
    assert value("state.subagent_marks", made) == "nothing-of-the-subagent"


CONTINUED = asked("", isAutopilotContinuation=True, source="autopilot")


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        ([asked(PROMPT), CONTINUED], "yes"),
        ([asked(PROMPT), asked("")], "no"),
        ([asked(PROMPT)], "no-continuation"),
        ([CONTINUED], "control-failed"),
        ([asked(PROMPT, isAutopilotContinuation=True), CONTINUED], "control-failed"),
    ],
)
def test_a_continuation_of_autopilot_is_one_that_nobody_typed(
    made: Pretend, events: list[Line], answer: str
) -> None:
    made.give("transcripts.autopilot", events=[start(), *events], requests=[request()])
    assert value("state.autopilot_mark", made) == answer


def test_autopilot_is_not_there_where_its_flag_is_refused_and_unknown_else(made: Pretend) -> None:
    refusal = "error: unknown option '--autopilot'"
    made.give("transcripts.autopilot", exit_code=1, stderr=refusal)
    assert value("state.autopilot_mark", made) == "not-available"
    made.give("transcripts.autopilot", exit_code=1, stderr="Not logged in")
    assert value("state.autopilot_mark", made) == "not-begun"


def printed(*kinds: str) -> str:
    return "\n".join(["No JSON", *(json.dumps({"type": one, "ephemeral": True}) for one in kinds)])


def test_ephemeral_events_are_looked_for_where_some_were_printed(made: Pretend) -> None:
    claim = "state.ephemeral_on_disk"
    made.give("transcripts.begun", events=[start()], stdout=printed("assistant.message_delta"))
    assert value(claim, made) == "no"
    assert strange(claim, made)
    delta = {**event("assistant.message_delta"), "ephemeral": True}
    made.give("transcripts.begun", events=[start(), delta], stdout=printed("session.idle"))
    assert value(claim, made) == "yes"
    made.give("transcripts.begun", events=[start()], stdout="Done")
    assert value(claim, made) == "control-failed"


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        ([said("", outputTokens=3)], "assistant.message"),
        (
            [said(""), event("session.shutdown", models=[{"usage": {"inputTokens": 5}}])],
            "session.shutdown",
        ),
        ([said("", outputTokens=0), event("other", contextTokens=9)], "none"),
        ([event("other", inputTokens=9)], "control-failed"),
    ],
)
def test_tokens_are_recorded_by_events_that_count_those_of_a_request(
    made: Pretend, events: list[Line], answer: str
) -> None:
    made.give("camel.top", events=events)
    assert value("state.usage_on_disk", made) == answer


def shutdown(*files: Path) -> Line:
    return event("session.shutdown", codeChanges={"filesModified": [str(file) for file in files]})


def test_files_that_the_shutdown_lists_are_those_that_were_changed(made: Pretend) -> None:
    claim = "state.shutdown_files"
    work = made.scene("hook_inputs.camel").work
    made.give("hook_inputs.camel", events=[shutdown(work / EDITED)])
    assert value(claim, made) == "control-failed"
    (work / CREATED).write_text("one\n", encoding="utf-8")
    (work / EDITED).write_text("three\n", encoding="utf-8")
    made.give("hook_inputs.camel", events=[shutdown(work / EDITED)])
    assert value(claim, made) == {"created": "no", "edited": "yes"}
    assert strange(claim, made)
    made.give("hook_inputs.camel", events=[start()])
    assert value(claim, made) == "no-shutdown-event"


def call(tool: str, success: object) -> tuple[Line, Line]:
    identity = f"call_{tool}"
    return (
        event("tool.execution_start", toolCallId=identity, toolName=tool),
        event("tool.execution_complete", toolCallId=identity, success=success),
    )


@pytest.mark.parametrize(
    ("failed", "fine", "answer"),
    [
        (False, True, "yes"),
        (None, True, "no"),
        (True, True, "no"),
        (False, False, "control-failed"),
        (False, None, "control-failed"),
    ],
)
def test_a_failed_tool_says_so_where_another_says_that_it_did_not(
    made: Pretend, failed: object, fine: object, answer: str
) -> None:
    made.give("camel.top", events=[*call("bash", fine), *call("view", failed)])
    assert value("state.failed_tool", made) == answer
    made.give("camel.top", events=[*call("bash", True)])
    assert value("state.failed_tool", made) == "no-failed-call"


def shaped(made: Pretend, *lines: Line) -> None:
    for name in ("camel.top", "hook_inputs.camel", "transcripts.continued"):
        made.give(name, events=[start(context={"cwd": "/w"}), *lines])


def test_shapes_of_events_are_keys_and_types_without_values(tmp_path: Path) -> None:
    one, same, other = (Pretend(tmp_path / name) for name in ("one", "same", "other"))
    shaped(one, asked("Hello", "agent-1"), asked("Hello"))
    shaped(same, asked("Other words", "agent-2"), asked(""))
    shaped(other, asked("Hello"))
    claim = "state.event_shapes"
    assert value(claim, one) == value(claim, same) != value(claim, other)
    shapes = event_shapes(one)
    assert shapes["user.message"] == {
        "agentId?": "string", "data.content": "string", "type": "string",
    }  # fmt: skip
    assert shapes["session.start"]["data.context.cwd"] == "string"
    assert strange(claim, one)


def test_transcripts_without_a_beginning_have_no_shapes(made: Pretend) -> None:
    for name in ("camel.top", "hook_inputs.camel", "transcripts.continued"):
        made.give(name, events=[asked("Hello")])
    assert value("state.event_shapes", made) == "control-failed"
    for name in ("camel.top", "hook_inputs.camel", "transcripts.continued"):
        made.give(name)
    assert value("state.event_shapes", made) == "no-events"
