"""What proves a step, and what must never pass for a proof."""

from dataclasses import replace

import pytest

from imprint.copilot.instructions import BODY
from imprint.memory.digest import DIGEST_MARKER
from imprint.sandbox._transcript import TranscriptFacts
from imprint.sandbox.isolation import Isolation, IsolationKind
from imprint.sandbox.model import AnsweredBy, ModelRequest
from imprint.sandbox.session import SessionResult
from imprint.trial import judges
from imprint.trial.controls import HookAbility
from imprint.trial.scenario import Scenario
from imprint.trial.steps import Status

SCENARIO = Scenario(fact="bazoki-temalu", never_said="gufidebaq")


def request(
    *messages: tuple[str, str],
    answered_by: AnsweredBy = AnsweredBy.TURN,
    missing: tuple[str, ...] = (),
) -> ModelRequest:
    body = {
        "model": "m",
        "messages": [{"role": role, "content": text} for role, text in messages],
    }
    return ModelRequest(
        "POST", "/v1/chat/completions", body, 0, answered_by, 0, 0, ("bash",), missing
    )


def session(*requests: ModelRequest) -> SessionResult:
    return SessionResult(
        exit_code=0,
        stdout="",
        stderr="",
        timed_out=False,
        duration_ms=1,
        isolation=Isolation(IsolationKind.NONE),
        model_requests=requests,
        session_folder=None,
        facts=TranscriptFacts(),
    )


BARE = session(request(("user", "hello")))
CONTEXT = f"{DIGEST_MARKER}\nthe database is {SCENARIO.fact}"
CAN = HookAbility(("pascal.top",), ("pascal",), 4)
CANNOT = HookAbility((), ("pascal",), 4)
NOTHING_RAN = HookAbility((), (), 0)


def test_context_with_marker_and_fact_is_a_proof() -> None:
    verdict = judges.judge_context(SCENARIO, session(request(("user", CONTEXT))), BARE, None)
    assert verdict.status is Status.PROVEN


@pytest.mark.parametrize(
    ("context", "ability", "status"),
    [
        ("nothing", None, Status.UNJUDGED),
        ("nothing", NOTHING_RAN, Status.UNJUDGED),
        ("nothing", CAN, Status.FAILED),
        ("nothing", CANNOT, Status.NOT_OFFERED),
        (SCENARIO.fact, CAN, Status.FAILED),
        (DIGEST_MARKER, CAN, Status.FAILED),
        (f"{CONTEXT} {SCENARIO.never_said}", CAN, Status.FAILED),
    ],
)
def test_missing_context_is_judged_by_what_a_plain_hook_can_do(
    context: str, ability: HookAbility | None, status: Status
) -> None:
    asking = session(request(("user", context)))
    assert judges.judge_context(SCENARIO, asking, BARE, ability).status is status


def test_a_control_that_shows_the_context_too_judges_nothing() -> None:
    shown = session(request(("user", CONTEXT)))
    assert judges.judge_context(SCENARIO, shown, shown, None).status is Status.UNJUDGED


def test_a_copilot_that_never_asked_is_unjudged_and_says_how_it_ended() -> None:
    silent = replace(session(), exit_code=3, stderr="boom\nlogin needed\n")
    for verdict in (
        judges.judge_context(SCENARIO, silent, BARE, None),
        judges.judge_mcp(SCENARIO, silent),
    ):
        assert verdict.status is Status.UNJUDGED
        assert "exited with 3: login needed" in verdict.proof
    hung = replace(session(), timed_out=True, duration_ms=90_000)
    assert "hung" in judges.judge_mcp(SCENARIO, hung).proof
    assert judges.judge_bare(silent) is not None
    assert judges.judge_bare(BARE) is None


@pytest.mark.parametrize(
    ("requests", "status"),
    [
        ([request(("tool", SCENARIO.fact))], Status.PROVEN),
        ([request(("user", SCENARIO.fact))], Status.FAILED),
        ([request(("tool", "Nothing in the memory fits."))], Status.FAILED),
        ([request(("tool", f"{SCENARIO.fact} {SCENARIO.never_said}"))], Status.FAILED),
        ([request(("user", "hello"), missing=("*recall",))], Status.FAILED),
    ],
)
def test_only_the_tools_own_answer_with_the_fact_proves_mcp(
    requests: list[ModelRequest], status: Status
) -> None:
    assert judges.judge_mcp(SCENARIO, session(*requests)).status is status


def test_the_whole_block_must_be_there_and_in_no_control() -> None:
    whole = session(request(("system", f"before\n{BODY}\nafter")))
    cut = session(request(("system", BODY.splitlines()[0])))
    side = session(request(("system", BODY), answered_by=AnsweredBy.SIDE))
    assert judges.judge_instructions([whole], BARE).status is Status.PROVEN
    assert judges.judge_instructions([cut], BARE).status is Status.FAILED
    assert judges.judge_instructions([side], BARE).status is Status.UNJUDGED
    assert judges.judge_instructions([whole], whole).status is Status.UNJUDGED
