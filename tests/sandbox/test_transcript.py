"""The facts of a transcript, whatever state it is in."""

import json

from hypothesis import given
from hypothesis import strategies as st

from imprint.sandbox._transcript import TranscriptFacts, read_facts

START = {"type": "session.start", "data": {"copilotVersion": "1.0.9", "sessionId": "abc"}}
HOOK = {"hookType": "agentStop", "hookInvocationId": "7"}
EVENTS = (
    START,
    {"type": "hook.start", "data": HOOK, "timestamp": "2026-01-01T00:00:00Z"},
    {"type": "hook.end", "data": {**HOOK, "success": False}},
)
LINES = [json.dumps(event).encode("utf-8") for event in EVENTS]


def facts(tmp_path, data: bytes) -> TranscriptFacts:
    path = tmp_path / "events.jsonl"
    path.write_bytes(data)
    return read_facts(path)


def test_version_session_and_hooks_are_read(tmp_path):
    found = facts(tmp_path, b"\n".join(LINES))
    assert (found.copilot_version, found.session_id) == ("1.0.9", "abc")
    assert found.event_types == ("session.start", "hook.start", "hook.end")
    start, end = found.hook_records
    assert (start.phase, start.hook, start.invocation, start.success) == (
        "start",
        "agentStop",
        "7",
        None,
    )
    assert (end.phase, end.success, end.data["success"]) == ("end", False, False)


def test_a_transcript_that_is_missing_says_nothing(tmp_path):
    assert read_facts(tmp_path / "events.jsonl") == TranscriptFacts()


def test_facts_of_the_wrong_type_are_passed_over(tmp_path):
    events = [
        {"type": "session.start", "data": {"copilotVersion": 1}},
        {"type": "hook.end", "data": {"success": "yes"}},
        {"type": "hook.start", "data": []},
        {"type": 3},
    ]
    found = facts(tmp_path, "\n".join(map(json.dumps, events)).encode("utf-8"))
    assert found.copilot_version == ""
    assert [hook.success for hook in found.hook_records] == [None]


@given(rubbish=st.lists(st.binary().filter(lambda data: b"\n" not in data), max_size=4))
def test_lines_that_cannot_be_read_hide_nothing_else(tmp_path_factory, rubbish):
    data = b"\n".join([*rubbish, *LINES, LINES[0][:20]])
    found = facts(tmp_path_factory.mktemp("transcript"), data)
    assert found.copilot_version == "1.0.9"
    assert len(found.hook_records) == 2
