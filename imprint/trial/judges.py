"""What a run must show for each promise of the trial; pure functions over what was recorded."""

from collections.abc import Sequence

from imprint.copilot.instructions import BODY
from imprint.memory.digest import DIGEST_MARKER
from imprint.sandbox.model import AnsweredBy, ModelRequest
from imprint.sandbox.session import SessionResult
from imprint.trial.controls import HookAbility
from imprint.trial.scenario import Scenario
from imprint.trial.steps import Verdict, failed, not_offered, proven, unjudged


def answered(result: SessionResult) -> list[ModelRequest]:
    """The requests that a turn of the script answered: the main conversation."""
    return [r for r in result.model_requests if r.answered_by is AnsweredBy.TURN]


def why_silent(result: SessionResult) -> str:
    """In one line, how a Copilot that never asked the model ended."""
    if result.timed_out:
        return f"it hung and was ended after {result.duration_ms / 1000:.0f} s"
    said = (result.stderr.strip() or result.stdout.strip()).splitlines()
    return f"it exited with {result.exit_code}" + (f": {said[-1][:200]}" if said else "")


def judge_context(
    scenario: Scenario, session: SessionResult, bare: SessionResult, ability: HookAbility | None
) -> Verdict:
    """SessionStart's context, made from what was learned, must be in what the model received."""
    requests = answered(session)
    if not requests:
        return unjudged(f"Copilot did not ask the model: {why_silent(session)}")
    if any(request.contains(DIGEST_MARKER) for request in bare.model_requests):
        return unjudged("the control run without Imprint shows Imprint's context too")
    for role, text in requests[0].messages:
        if DIGEST_MARKER in text and scenario.fact in text:
            if scenario.never_said in text:
                return failed("the context holds a word that nobody said")
            return proven(f"the model's first request holds “{scenario.fact}” ({role} message)")
    if ability is None or not ability.runs:
        return unjudged("no context arrived, and no control run could be judged")
    if ability.context:
        return failed(f"no context arrived, but a plain hook's does: {', '.join(ability.context)}")
    return not_offered(f"no hook's context reaches the model here ({ability.runs} control runs)")


def judge_mcp(scenario: Scenario, session: SessionResult) -> Verdict:
    """The model's call of `recall` must come back to it with the fact."""
    requests = answered(session)
    if not requests:
        return unjudged(f"Copilot did not ask the model: {why_silent(session)}")
    missing = sorted({name for r in session.model_requests for name in r.missing_tools})
    if missing:
        offered = len(requests[0].tools) if requests else 0
        return failed(f"Copilot offered {offered} tools, none of them {' or '.join(missing)}")
    answers = [text for r in requests for role, text in r.messages if role == "tool"]
    if any(scenario.never_said in answer for answer in answers):
        return failed("recall answered with a word that nobody said")
    if any(scenario.fact in answer for answer in answers):
        return proven(f"the tool's answer with “{scenario.fact}” came back to the model")
    if answers:
        return failed(f"recall answered without the fact: {_short(answers[-1])}")
    return failed("the model called recall, and no answer came back")


def judge_instructions(sessions: Sequence[SessionResult], bare: SessionResult) -> Verdict:
    """The whole block must be in what the model received, and in no run without Imprint."""
    lines = [line for line in BODY.splitlines() if line.strip()]
    requests = [request for session in sessions for request in answered(session)]
    if not requests:
        return unjudged("no request to look at")
    if any(request.contains(lines[0]) for request in bare.model_requests):
        return unjudged("the control run without Imprint shows the block too")
    for role, text in requests[-1].messages:
        if all(line in text for line in lines):
            return proven(f"all {len(lines)} lines of the block are in a {role} message")
    return failed("the block is not in what the model received")


def judge_bare(bare: SessionResult) -> Verdict | None:
    """None if the control run without Imprint can be compared with."""
    if bare.model_requests:
        return None
    return unjudged(f"the control run did not ask the model: {why_silent(bare)}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:119]}…"
