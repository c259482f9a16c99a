"""How a hook is run: matchers, faults and limits, judged by marks and by what was done."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from imprint.compat import Outcome, shipped_catalogue
from imprint.observe import Seen, Sessions
from imprint.observe.hook_answers import tools
from imprint.observe.hook_runs import JUDGES, faults, limits, matchers
from imprint.observe.marks import Mark, read_marks
from imprint.observe.scene import BOGUS_EVENT
from imprint.sandbox.model import AnsweredBy
from tests.observe.made import Made, request
from tests.observe.whole import row, stand_in

SECOND = 1_000_000_000


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    """Those of one that is whole; tests only look at them."""
    return stand_in(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Sessions that a test makes."""
    return Made(tmp_path)


def test_a_whole_copilot_answers_as_it_was_built(whole: Sessions) -> None:
    events = (
        "sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "agentStop",
        "subagentStart",
    )  # fmt: skip
    expected = {
        "hooks.fail.missing_program": dict.fromkeys(events, "open"),
        "hooks.timeout.effect": dict.fromkeys(events, "open"),
        "hooks.timeout.default": 10,
        "hooks.exec.matcher": {"camel": "camel-name", "pascal": "either-name"},
        "hooks.exec.serial": "yes",
    }
    rows = {claim: row(claim, whole) for claim in JUDGES}
    assert {claim: one.value for claim, one in rows.items()} == expected
    for claim, one in rows.items():
        assert one.value is not None
        assert shipped_catalogue()[claim].objections(one.value) == ()


def test_where_no_hook_runs_nothing_is_known(tmp_path: Path) -> None:
    silent = stand_in(tmp_path, "no-events")
    rows = [row(claim, silent) for claim in JUDGES]
    assert {(one.outcome, one.reason) for one in rows} == {
        (Outcome.INCONCLUSIVE, "hook-did-not-run")
    }


@pytest.mark.parametrize(
    ("ran", "answer"),
    [
        (("none", "camel-name", "pascal-name", "stranger"), "ignored"),
        (("none", "camel-name"), "camel-name"),
        (("none", "pascal-name"), "pascal-name"),
        (("none", "camel-name", "pascal-name"), "either-name"),
    ],
)
def test_a_matcher_is_judged_by_the_hooks_that_ran(
    made: Made, ran: tuple[str, ...], answer: str
) -> None:
    scene = made.scene(matchers.NAME)
    made.give(matchers.NAME, scene, request(), ran=[f"camel-{name}" for name in ran])
    assert row("hooks.exec.matcher", made).value == {"camel": answer}


@pytest.mark.parametrize(
    ("ran", "reason"),
    [
        (("camel-camel-name",), "hook-did-not-run"),
        (("camel-none",), "no-matcher-matches"),
        (("camel-none", "camel-stranger"), "no-matcher-matches"),
        (("camel-none", "camel-camel-name", BOGUS_EVENT), "control-failed"),
    ],
)
def test_a_matcher_without_its_controls_is_no_answer(
    made: Made, ran: tuple[str, ...], reason: str
) -> None:
    made.give(matchers.NAME, made.scene(matchers.NAME), request(), ran=ran)
    found = row("hooks.exec.matcher", made)
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, reason)


@pytest.mark.parametrize(("starts", "answer"), [((0, 1, 2), "yes"), ((0, 0.5, 2), "no")])
def test_hooks_overlap_where_one_begins_before_another_ends(
    made: Made, starts: tuple[float, ...], answer: str
) -> None:
    name = tools.NAMES["camel"]
    runs = [
        _run(tools.PRE, f"batch.{call}", start, 0.8)
        for call, start in zip(tools.BATCH, starts, strict=True)
    ]
    made.give(name, made.scene(name), request(), ran=runs)
    assert row("hooks.exec.serial", made).value == answer


def test_hooks_that_were_stopped_or_are_missing_say_nothing_of_order(made: Made) -> None:
    name = tools.NAMES["camel"]
    runs = [_run(tools.PRE, f"batch.{call}", 0, 0.8) for call in tools.BATCH]
    stopped = [*runs[:2], msgspec.structs.replace(runs[2], ended=False)]
    made.give(name, made.scene(name), request(), ran=stopped)
    assert row("hooks.exec.serial", made).outcome is Outcome.INCONCLUSIVE
    made.give(name, made.scene(name), request(), ran=runs[:2])
    assert row("hooks.exec.serial", made).reason == "hook-did-not-run"


@pytest.mark.parametrize(
    ("lived", "ended", "value", "reason"),
    [
        (29.6, False, 30, ""),
        (60.2, False, 60, ""),
        (75.0, True, None, "no-limit-was-reached"),
        (0.4, False, None, "too-short-to-tell"),
    ],
)
def test_a_limit_is_how_long_a_hook_lived_that_did_not_end(
    made: Made, lived: float, ended: bool, value: int | None, reason: str
) -> None:
    run = msgspec.structs.replace(_run("sessionStart", "slow", 0, lived), ended=ended)
    made.give(limits.NO_LIMIT, made.scene(limits.NO_LIMIT), request(), ran=[run])
    found = row("hooks.timeout.default", made)
    assert (found.value, found.reason) == (value, reason)


def test_a_limit_in_a_session_that_did_not_go_on_is_no_answer(made: Made) -> None:
    run = msgspec.structs.replace(_run("sessionStart", "slow", 0, 30), ended=False)
    made.give(limits.NO_LIMIT, made.scene(limits.NO_LIMIT), ran=[run])
    assert row("hooks.timeout.default", made).outcome is Outcome.INCONCLUSIVE


def test_an_action_is_closed_where_what_it_announced_was_not_done(made: Made) -> None:
    events = ("preToolUse", "permissionRequest", "preMcpToolCall", "subagentStart")
    _give_faults(made, faults.MISSING, *events)
    assert row("hooks.fail.missing_program", made).value == dict.fromkeys(events, "closed")


def test_an_action_is_open_where_it_was_done(made: Made) -> None:
    events = ("preToolUse", "permissionRequest", "preMcpToolCall", "subagentStart", "agentStop")
    seen = _give_faults(made, faults.MISSING, *events)
    for name in ("pre", "permission"):
        (seen.scene.work / faults.made(name)).touch()
    (seen.scene.marks / "probe.called").touch()
    subagent = replace(request(), script=1)
    made.give(faults.MISSING, seen.scene, request(), subagent, ran=seen.marks)
    assert row("hooks.fail.missing_program", made).value == dict.fromkeys(events, "open")


def test_an_agent_that_is_made_to_go_on_did_not_stop(made: Made) -> None:
    seen = _give_faults(made, faults.MISSING, "agentStop")
    more = replace(request(), turn=6, answered_by=AnsweredBy.EXHAUSTED)
    made.give(faults.MISSING, seen.scene, request(), more, ran=seen.marks)
    assert row("hooks.fail.missing_program", made).value == {"agentStop": "closed"}


def test_a_hook_that_was_not_stopped_says_nothing_of_time_limits(made: Made) -> None:
    _give_faults(made, faults.TOO_SLOW, "sessionStart", ended=True)
    assert row("hooks.timeout.effect", made).reason == "hook-did-not-run"
    _give_faults(made, faults.TOO_SLOW, "sessionStart", ended=False)
    assert row("hooks.timeout.effect", made).value == {"sessionStart": "open"}


def test_where_what_is_not_at_fault_fails_too_a_fault_proves_nothing(made: Made) -> None:
    _give_faults(made, faults.MISSING, "preToolUse", works=False)
    found = row("hooks.fail.missing_program", made)
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, "control-failed")


def test_a_mark_says_when_its_hook_was_last_alive(tmp_path: Path) -> None:
    mark = msgspec.json.encode(_run("one", "case", 1, 0))
    for name, ends in {"ended": ("done", "alive"), "killed": ("alive",), "brief": ()}.items():
        (tmp_path / f"{name}.json").write_bytes(mark)
        for number, end in enumerate(ends):
            time = (5 - number) * SECOND
            (tmp_path / f"{name}.{end}").write_text(str(time), encoding="utf-8")
    found = sorted((one.ended, one.last_ns // SECOND) for one in read_marks(tmp_path))
    assert found == [(False, 1), (False, 5), (True, 5)]


def _run(label: str, case: str, start: float, seconds: float) -> Mark:
    began, last = round(start * SECOND), round((start + seconds) * SECOND)
    return Mark(label, began, "{}", "/", (), (), 0, case=case, ended=True, last_ns=last)


def _give_faults(
    made: Made, name: str, *events: str, ended: bool = False, works: bool = True
) -> Seen:
    scene = made.scene(name)
    if works:
        (scene.work / faults.made("post")).touch()
    runs = [
        msgspec.structs.replace(_run(event, faults.FAULTY, 0, 1), ended=ended) for event in events
    ]
    return made.give(name, scene, request(), ran=runs)
