"""What judges of a hook's input answer, and what takes each answer away."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.observe import Seen
from imprint.observe.hook_inputs.payloads import payload_shapes
from imprint.observe.hook_inputs.scenes import began
from imprint.observe.keys import shape_of
from tests.observe.pretend import SESSION, Pretend, event, mark, start, strange, value


@pytest.fixture
def made(tmp_path: Path) -> Pretend:
    return Pretend(tmp_path)


NAMES = ("camel.top", "hook_inputs.camel", "pascal.top", "hook_inputs.pascal")


def wide(made: Pretend, **payload: object) -> None:
    """Four sessions, in each of which one hook ran that got this."""
    for name in NAMES:
        stop = "agentStop" if "camel" in name else "Stop"
        given = {"cwd": str(made.scene(name).work), **payload}
        made.give(name, (stop, given), events=[start()])


def test_keys_are_the_same_whatever_the_values_are(tmp_path: Path) -> None:
    first, second, other = (Pretend(tmp_path / name) for name in ("one", "two", "three"))
    wide(first, sessionId="a", timestamp=1)
    wide(second, sessionId="b", timestamp=2)
    wide(other, sessionId="b", timestamp="2026-01-01")
    claim = "hooks.payload.keys"
    assert str(value(claim, first)).startswith("sha256:")
    assert value(claim, first) == value(claim, second) != value(claim, other)
    assert payload_shapes(first)["pascal"] == {
        "Stop": {"cwd": "string", "sessionId": "string", "timestamp": "number"}
    }
    assert strange(claim, first)


def test_payloads_of_another_place_answer_nothing(made: Pretend) -> None:
    wide(made, cwd="/elsewhere")
    assert value("hooks.payload.keys", made) == "control-failed"
    for name in NAMES:
        made.give(name)
    assert value("hooks.payload.keys", made) == "hook-did-not-run"


def record(kind: str, given: object) -> dict[str, object]:
    return event("hook.start", hookType=kind, input=given)


START = {"sessionId": SESSION, "source": "new"}
TOOL = {"sessionId": SESSION, "toolName": "bash", "toolArgs": "{}"}


@pytest.mark.parametrize(
    ("recorded", "answer"),
    [
        ([record("sessionStart", START), record("preToolUse", TOOL)], "yes"),
        ([record("sessionStart", START), record("preToolUse", {"toolCalls": []})], "no"),
        ([record("sessionStart", START)], "yes"),
        ([record("sessionStart", {"sessionId": "another"})], "control-failed"),
        ([], "no-records"),
        ([record("preToolUse", TOOL), record("preToolUse", TOOL)], "no-records"),
    ],
)
def test_the_record_is_compared_with_what_the_hook_got(
    made: Pretend, recorded: list[dict[str, object]], answer: str
) -> None:
    ran = (("sessionStart", START), ("preToolUse", TOOL))
    made.give("camel.top", *ran, events=[start(), *recorded])
    assert value("hooks.payload.record_equals_stdin", made) == answer


def test_input_that_does_not_end_is_known_by_a_hook_that_began(made: Pretend) -> None:
    made.give("camel.top", "sessionStart")
    scene = made.scene("hook_inputs.camel")
    for label in ("agentStop", "sessionEnd"):
        (scene.marks / began(label)).touch()
    made.give("hook_inputs.camel", "agentStop")
    expected = {"sessionStart": "yes", "agentStop": "yes", "sessionEnd": "no"}
    assert value("hooks.payload.stdin_eof", made) == expected
    assert strange("hooks.payload.stdin_eof", made)


def test_hooks_that_never_began_say_nothing_of_their_input(made: Pretend) -> None:
    made.give("camel.top")
    made.give("hook_inputs.camel")
    assert value("hooks.payload.stdin_eof", made) == "hook-did-not-run"
    (made.scene("hook_inputs.camel").marks / began("agentStop")).touch()
    assert value("hooks.payload.stdin_eof", made) == "control-failed"


@pytest.mark.parametrize(
    ("path", "answer"),
    [("yes", "yes"), ("", "empty"), (None, "no"), ("/elsewhere", "payloads-differ")],
)
def test_stop_of_a_resumed_session_is_asked_for_its_path(
    made: Pretend, path: str | None, answer: str
) -> None:
    made.give("transcripts.begun")
    transcript = made.scene("transcripts.begun").scratch.sessions / SESSION / "events.jsonl"
    given = {"transcriptPath": str(transcript) if path == "yes" else path}
    payload = {"sessionId": SESSION, **({} if path is None else given)}
    made.give("transcripts.resumed", ("agentStop", payload), events=[start()])
    claim = "hooks.payload.stop_transcript_resumed"
    assert value(claim, made) == answer
    made.give("transcripts.resumed", ("agentStop", given), events=[start()])
    assert value(claim, made) != answer or answer == "payloads-differ"
    made.give("transcripts.resumed", events=[start()])
    assert value(claim, made) == "hook-did-not-run"


def environments(made: Pretend, *environments: tuple[str, ...]) -> None:
    seen = made.give("camel.top")
    marks = tuple(mark("agentStop", 1, *names) for names in environments)
    made.seen["camel.top"] = Seen(seen.scene, seen.result, marks, seen.log)


def test_variables_are_those_that_every_hook_has_and_copilot_was_not_given(made: Pretend) -> None:
    given = ("HOME", "COPILOT_HOME", "PATH", "COPILOT_MODEL", "PWD", "SHLVL")
    environments(made, (*given, "COPILOT_CLI", "ONE"), (*given, "COPILOT_CLI", "OTHER"))
    assert value("hooks.env", made) == ["COPILOT_CLI"]
    environments(made, ("COPILOT_CLI",))
    assert value("hooks.env", made) == "control-failed"
    environments(made)
    assert value("hooks.env", made) == "hook-did-not-run"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=4), max_size=4)


@given(OBJECTS, st.randoms(use_true_random=False))
def test_a_shape_does_not_depend_on_the_order_of_objects_and_survives_json(
    objects: list[dict[str, object]], random: object
) -> None:
    shuffled = list(objects)
    random.shuffle(shuffled)
    again = msgspec.json.decode(msgspec.json.encode(objects))
    assert shape_of(objects) == shape_of(shuffled) == shape_of(again)


@given(OBJECTS)
def test_a_shape_names_every_key_and_marks_those_that_some_lack(
    objects: list[dict[str, object]],
) -> None:
    shape = shape_of(objects)
    for key in {key for one in objects for key in one}:
        everywhere = all(key in one for one in objects)
        assert (key if everywhere else f"{key}?") in shape
    assert all(kind for kind in shape.values())
