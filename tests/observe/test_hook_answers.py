"""What a hook may answer: judged by what was done and what the model got, and by nothing less."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from imprint.compat import Outcome, shipped_catalogue
from imprint.observe import Seen, Sessions
from imprint.observe.hook_answers import JUDGES, others, tools
from imprint.observe.marks import Mark
from imprint.observe.scenarios import PROMPT_WORD, PROMPTED, SHAPES
from imprint.observe.scene import BOGUS_EVENT, Scene
from imprint.observe.shapes import CONTEXT_SHAPES, context
from tests.observe.made import Made, request
from tests.observe.whole import row, stand_in

TOP_ONLY = {
    f"{spelling}.{shape}": "yes" if shape in {"top", "both"} else "no"
    for spelling in ("camel", "pascal")
    for shape in CONTEXT_SHAPES
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    """Those of one that is whole; tests only look at them."""
    return stand_in(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Sessions that a test makes."""
    return Made(tmp_path)


def test_a_whole_copilot_answers_as_it_was_built(whole: Sessions) -> None:
    denies = {"permission_top": "denies", "exit2": "denies"}
    expected = {
        "hooks.context.user_prompt": TOP_ONLY,
        "hooks.context.pre_tool": TOP_ONLY,
        "hooks.context.post_tool": TOP_ONLY,
        # The stand-in knows the camelCase name alone.
        "hooks.context.subagent_start": {
            name: reached for name, reached in TOP_ONLY.items() if name.startswith("camel.")
        },
        "hooks.context.arrival": {
            "sessionStart": "none",
            "userPromptSubmitted": "user.message:other",
            "preToolUse": "user.message:system",
            "postToolUse": "tool.execution_complete",
            "subagentStart": "none",
        },
        "hooks.context.size": {"preToolUse": 60_000, "postToolUse": 9_000, "sessionStart": 60_000},
        "hooks.context.repeats": {"turns": "no", "subagent": "no"},
        "hooks.deny.pre_tool": {
            f"{spelling}.{name}": denies.get(name, "runs")
            for spelling in ("camel", "pascal")
            for name in tools.DENIALS
        },
        "hooks.deny.user_prompt": {"exit2": "runs", "decision_block": "blocks"},
        "hooks.deny.batch": "run",
        "hooks.modify.pre_tool": {
            f"{spelling}.{shape}": "yes" if shape == "modified_top" else "no"
            for spelling in ("camel", "pascal")
            for shape in tools.MODIFICATIONS
        },
        "hooks.continue.stop": {"goes_on": "yes", "active_then": "yes"},
    }
    rows = {claim: row(claim, whole) for claim in JUDGES}
    assert {claim: one.value for claim, one in rows.items()} == expected
    assert {one.outcome for one in rows.values()} == {Outcome.OBSERVED}
    for claim, one in rows.items():
        assert one.value is not None
        assert shipped_catalogue()[claim].objections(one.value) == ()


def test_where_no_hook_runs_nothing_is_known(tmp_path: Path) -> None:
    silent = stand_in(tmp_path, "no-events")
    rows = [row(claim, silent) for claim in JUDGES]
    assert {one.outcome for one in rows} == {Outcome.INCONCLUSIVE}
    assert {one.reason for one in rows} == {"hook-did-not-run", "no-context-arrived"}


def test_where_hooks_of_unknown_events_run_nothing_is_known(made: Made) -> None:
    files = tuple(f"modify.{shape}" for shape in tools.MODIFICATIONS)
    for claim in ("hooks.deny.pre_tool", "hooks.modify.pre_tool", "hooks.context.pre_tool"):
        for name in tools.NAMES.values():
            _give_tools(made, name, bogus=True, makes=files)
        assert (row(claim, made).outcome, row(claim, made).reason) == (
            Outcome.INCONCLUSIVE,
            "control-failed",
        )


@pytest.mark.parametrize(
    "claim", ["hooks.deny.pre_tool", "hooks.modify.pre_tool", "hooks.deny.batch"]
)
def test_where_tools_do_not_work_a_file_that_is_missing_proves_nothing(
    made: Made, claim: str
) -> None:
    for name in tools.NAMES.values():
        _give_tools(made, name, works=False)
    assert row(claim, made).outcome is Outcome.INCONCLUSIVE


def test_a_session_that_ended_at_a_denial_leaves_the_rest_unanswered(made: Made) -> None:
    last = tools.STEPS.index("deny.exit1")
    for name in tools.NAMES.values():
        _give_tools(made, name, turns=last + 1)
    value = row("hooks.deny.pre_tool", made).value
    assert isinstance(value, dict)
    assert {name.split(".")[1] for name in value} == set(tools.DENIALS) - {"exit1", "exit2"}


def test_a_denial_whose_case_did_not_fit_is_no_answer(made: Made) -> None:
    for name in tools.NAMES.values():
        _give_tools(made, name, cases=("context.top", "deny.exit2"))
    value = row("hooks.deny.pre_tool", made).value
    assert value == {"camel.exit2": "denies", "pascal.exit2": "denies"}


def test_a_batch_of_which_some_are_made_is_neither_run_nor_denied(made: Made) -> None:
    for name in tools.NAMES.values():
        _give_tools(made, name, makes=("batch.one",))
    assert row("hooks.deny.batch", made).reason == "some-of-the-others"


def test_a_batch_in_which_the_denied_call_runs_proves_nothing(made: Made) -> None:
    for name in tools.NAMES.values():
        _give_tools(made, name, makes=tuple(f"batch.{one}" for one in tools.BATCH))
    found = row("hooks.deny.batch", made)
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, "control-failed")


def test_the_others_of_a_denied_batch_can_be_denied_too(made: Made) -> None:
    for name in tools.NAMES.values():
        _give_tools(made, name)
    assert row("hooks.deny.batch", made).value == "denied"


def test_a_call_that_made_both_files_or_none_says_nothing_of_changes(made: Made) -> None:
    for name in tools.NAMES.values():
        scene = _give_tools(made, name, makes=("modify.modified_top",)).scene
        (scene.work / tools.changed("modify.modified_top")).touch()
    assert row("hooks.modify.pre_tool", made).reason == "hook-did-not-run"


def test_a_prompt_that_the_model_never_gets_was_blocked_only_if_the_hook_ran(made: Made) -> None:
    shown = made.scene("camel.top")
    made.give("camel.top", shown, request())
    for name, session in others.PROMPT_DENIALS.items():
        made.give(session, made.scene(session), ran=[_ran(others.PROMPTED, name)], exit_code=1)
    assert row("hooks.deny.user_prompt", made).value == {
        "exit2": "blocks",
        "decision_block": "blocks",
    }
    for session in others.PROMPT_DENIALS.values():
        made.give(session, made.scene(session), exit_code=1)
    assert row("hooks.deny.user_prompt", made).reason == "hook-did-not-run"


def test_without_a_session_in_which_prompts_arrive_none_is_known_to_be_blocked(made: Made) -> None:
    made.give("camel.top", made.scene("camel.top"))
    for name, session in others.PROMPT_DENIALS.items():
        made.give(session, made.scene(session), ran=[_ran(others.PROMPTED, name)], exit_code=1)
    assert row("hooks.deny.user_prompt", made).outcome is Outcome.INCONCLUSIVE


def test_a_stop_that_does_not_go_on_has_no_second_payload_to_look_at(made: Made) -> None:
    scene = made.scene(others.CONTINUED)
    made.give(others.CONTINUED, scene, request(), ran=[_ran(others.STOP, "block")])
    assert row("hooks.continue.stop", made).value == {"goes_on": "no"}


def test_a_second_stop_says_whether_it_was_made_to_go_on(made: Made) -> None:
    scene = made.scene(others.CONTINUED)
    again = replace(request(scene.word("reason")), turn=1)
    ran = [_ran(others.STOP, "block"), _ran(others.STOP, "")]
    made.give(others.CONTINUED, scene, request(), again, ran=ran)
    assert row("hooks.continue.stop", made).value == {"goes_on": "yes", "active_then": "no"}
    active = msgspec.structs.replace(ran[1], stdin='{"stop_hook_active":true}')
    made.give(others.CONTINUED, scene, request(), again, ran=[ran[0], active])
    assert row("hooks.continue.stop", made).value == {"goes_on": "yes", "active_then": "yes"}


def test_a_context_that_is_cut_is_not_whole_and_smaller_ones_are_asked_for(made: Made) -> None:
    _give_start(made, context_arrives=True)
    for size, name in others.SIZED.items():
        scene = made.scene(name)
        text = others.text_of(scene.words.context, size)
        made.give(name, scene, request(text if size <= 9_000 else text[:10_000]))
    assert row("hooks.context.size", made).value == {"sessionStart": 9_000}


def test_where_no_context_arrives_its_size_is_not_asked(made: Made) -> None:
    _give_start(made, context_arrives=False)
    first = others.SIZED[others.SIZES[0]]
    made.give(first, made.scene(first), request())
    assert row("hooks.context.size", made).reason == "no-context-arrived"


def test_copies_of_a_context_are_counted_in_one_request(made: Made) -> None:
    for name in (tools.NAMES["camel"], others.CONTINUED, others.SUBAGENTS["camel"]):
        scene = made.scene(name)
        word = scene.words.context
        subagent = replace(request(word), script=1)
        made.give(name, scene, request(word), replace(request(word, word), turn=1), subagent)
    assert row("hooks.context.repeats", made).value == {"turns": "yes", "subagent": "yes"}


def test_a_context_that_is_noted_as_two_things_has_no_answer(made: Made) -> None:
    scenes = {
        name: made.scene(name)
        for name in ("camel.top", tools.NAMES["camel"], others.SUBAGENTS["camel"])
    }
    shown = scenes["camel.top"]
    words = (shown.words.context, shown.word(PROMPT_WORD))
    events: list[dict[str, object]] = [
        {"type": "user.message", "data": {"content": "the prompt"}},
        {"type": "hook.end", "data": {"output": words[0]}},
        {"type": "system.message", "data": {"content": words[0]}},
        {"type": "system.message", "data": {"content": words[1]}},
        {"type": "user.message", "data": {"content": words[1], "source": "system"}},
    ]
    for name, scene in scenes.items():
        _write_events(scene, events)
        made.give(name, scene, request(*(words if scene is shown else ())))
    assert row("hooks.context.arrival", made).value == {"sessionStart": "system.message"}


def test_a_transcript_without_the_prompt_shows_nothing_of_arrivals(made: Made) -> None:
    for name in ("camel.top", tools.NAMES["camel"], others.SUBAGENTS["camel"]):
        scene = made.scene(name)
        made.give(name, scene, request(scene.words.context), kept=False)
    assert row("hooks.context.arrival", made).outcome is Outcome.INCONCLUSIVE


def test_a_subagent_that_never_asked_the_model_says_nothing_of_its_context(made: Made) -> None:
    for name in others.SUBAGENTS.values():
        scene = made.scene(name)
        ran = [_ran(others.SUBAGENT, shape) for shape in CONTEXT_SHAPES]
        asked = replace(request(("user", scene.word("top"))), script=1)
        made.give(name, scene, request(), asked, ran=ran)
    assert row("hooks.context.subagent_start", made).value == {
        "camel.top": "yes",
        "pascal.top": "yes",
    }


def test_a_prompt_that_did_not_reach_the_model_is_no_control(made: Made) -> None:
    for shape in SHAPES:
        scene = made.scene(shape.name)
        made.give(shape.name, scene, ran=[_ran(PROMPTED[shape.spelling], "")])
    found = row("hooks.context.user_prompt", made)
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, "control-failed")


@pytest.mark.parametrize("size", others.SIZES)
def test_a_text_of_a_size_has_that_size(size: int) -> None:
    text = others.text_of("zq0123456789abcdef", size)
    assert len(text.encode("utf-8")) == size
    assert text == text.strip()


def test_a_nested_context_is_not_at_the_top() -> None:
    assert context("SessionStart", "nested", "word") == (
        '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "word"}}'
    )


def _give_tools(
    made: Made,
    name: str,
    *,
    works: bool = True,
    bogus: bool = False,
    turns: int = len(tools.STEPS) + 1,
    cases: Iterable[str] | None = None,
    makes: tuple[str, ...] = (),
) -> Seen:
    """A session of tools in which hooks ran with these cases, and these files were made."""
    scene = made.scene(name)
    files = (*(f"context.{shape}" for shape in CONTEXT_SHAPES), *makes) if works else makes
    for file in files:
        (scene.work / tools.kept(file)).touch()
    known = [*tools.STEPS, *(f"batch.{one}" for one in tools.BATCH)]
    ran = [_ran(tools.PRE, case) for case in (known if cases is None else cases)]
    asked = [replace(request(), turn=turn) for turn in range(turns)]
    return made.give(name, scene, *asked, ran=[*ran, *([BOGUS_EVENT] if bogus else [])])


def _give_start(made: Made, *, context_arrives: bool) -> None:
    scene = made.scene("camel.top")
    made.give("camel.top", scene, request(*([scene.words.context] if context_arrives else [])))


def _ran(label: str, case: str) -> Mark:
    return Mark(label, 0, "{}", "/", (), (), 0, case=case, ended=True)


def _write_events(scene: Scene, events: list[dict[str, object]]) -> None:
    folder = scene.scratch.sessions / "one"
    folder.mkdir(parents=True)
    lines = b"\n".join(msgspec.json.encode(event) for event in events)
    (folder / "events.jsonl").write_bytes(lines)
