"""Judges: what a hook's answer stops, changes, or keeps going."""

from imprint.observe.hook_answers import others, tools
from imprint.observe.hook_answers.asked import Table, all_prompted, ran, was_asked
from imprint.observe.judged import (
    NOT_RUN,
    Judged,
    SessionsByName,
    agreed,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.scenario import PROMPT
from imprint.observe.sessions import Seen
from imprint.observe.shapes import CONTEXT_SHAPES


def deny_pre_tool(sessions: SessionsByName) -> Judged:
    """The call of each answer made its file, or not; calls that nothing denied made theirs."""
    seen = {spelling: sessions[name] for spelling, name in tools.NAMES.items()}
    value: Table = {
        f"{spelling}.{name}": "runs" if _made(one, tools.kept(f"deny.{name}")) else "denies"
        for spelling, one in seen.items()
        for name in tools.DENIALS
        if _was_tried(one, f"deny.{name}")
    }
    if not value:
        return unjudged(NOT_RUN)
    return Judged(
        value,
        dict(value),
        positive=all(map(_tools_work, seen.values())),
        negative=nothing_strange(*seen.values()),
    )


def deny_batch(sessions: SessionsByName) -> Judged:
    """Of three calls of one turn the second was denied; whether the others made their files."""
    seen = [sessions[name] for name in tools.NAMES.values()]
    tried = [one for one in seen if _was_tried(one, "batch", f"batch.{tools.DENIED_OF_BATCH}")]
    if not tried:
        return unjudged(NOT_RUN)
    others_made = [
        {
            _made(one, tools.kept(f"batch.{name}"))
            for name in tools.BATCH
            if name != tools.DENIED_OF_BATCH
        }
        for one in tried
    ]
    denied = all(not _made(one, tools.kept(f"batch.{tools.DENIED_OF_BATCH}")) for one in tried)
    answers = {True: "run", False: "denied"}
    return Judged(
        agreed(answers[min(made)] if len(made) == 1 else None for made in others_made),
        {"others": [sorted(made) for made in others_made]},
        positive=denied and all(map(_tools_work, tried)),
        negative=nothing_strange(*tried),
        reason="some-of-the-others",
    )


def modify_pre_tool(sessions: SessionsByName) -> Judged:
    """The call of each answer made the file that the hook named, or the one that it was to make."""
    seen = {spelling: sessions[name] for spelling, name in tools.NAMES.items()}
    value: Table = {
        f"{spelling}.{shape}": answer
        for spelling, one in seen.items()
        for shape in tools.MODIFICATIONS
        if (answer := _modified(one, f"modify.{shape}"))
    }
    if not value:
        return unjudged(NOT_RUN)
    return Judged(
        value,
        dict(value),
        positive=all(map(_tools_work, seen.values())),
        negative=nothing_strange(*seen.values()),
    )


def _modified(seen: Seen, step: str) -> str:
    """Yes, no, or nothing where the call made both files or none."""
    made = (_made(seen, tools.changed(step)), _made(seen, tools.kept(step)))
    answers = {(True, False): "yes", (False, True): "no"}
    return answers.get(made, "") if _was_tried(seen, step) else ""


def deny_user_prompt(sessions: SessionsByName) -> Judged:
    """The hook ran; whether the model was asked all the same, as it is where none denies."""
    seen = {name: sessions[session] for name, session in others.PROMPT_DENIALS.items()}
    value: Table = {
        name: "runs" if one.reached_model(PROMPT) else "blocks"
        for name, one in seen.items()
        if ran(one, others.PROMPTED, name) and not one.result.timed_out
    }
    if not value:
        return unjudged(NOT_RUN)
    return Judged(
        value,
        dict(value),
        positive=all_prompted(sessions["camel.top"]),
        negative=nothing_strange(*seen.values()),
    )


def continue_stop(sessions: SessionsByName) -> Judged:
    """The first Stop blocked; whether a second turn was asked for with the reason."""
    seen = sessions[others.CONTINUED]
    if not ran(seen, others.STOP, "block"):
        return unjudged(NOT_RUN)
    goes_on = was_asked(seen, 1) and seen.reached_model(seen.scene.word("reason"))
    value: Table = {"goes_on": yes_or_no(goes_on)}
    again = seen.runs_of(others.STOP)[1:]
    if goes_on and again:
        value["active_then"] = yes_or_no(again[0].payload.get("stop_hook_active") is True)
    return Judged(
        value,
        dict(value),
        positive=was_asked(seen, 0) and all_prompted(seen),
        negative=nothing_strange(seen),
    )


def _was_tried(seen: Seen, step: str, case: str = "") -> bool:
    """Whether the hook answered the call of a step, and the session went on to the next."""
    went_on = was_asked(seen, tools.STEPS.index(step) + 1)
    return went_on and ran(seen, tools.PRE, case or step)


def _tools_work(seen: Seen) -> bool:
    """The positive control: what nobody denied, or changed, was made."""
    return all(_made(seen, tools.kept(f"context.{shape}")) for shape in CONTEXT_SHAPES)


def _made(seen: Seen, file: str) -> bool:
    return (seen.scene.work / file).exists()
