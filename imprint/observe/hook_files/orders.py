"""Judges: in which order hooks run."""

from imprint.observe.hook_files.scenes import FILES_WRITTEN, ORDERED_EVENTS
from imprint.observe.judged import (
    NOT_RUN,
    Judged,
    SessionsByName,
    agreed,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.sessions import Seen

_PROMPT = {"pascal": "UserPromptSubmit", "camel": "userPromptSubmitted"}
_START = {"pascal": "SessionStart", "camel": "sessionStart"}


def start_before_prompt(sessions: SessionsByName) -> Judged:
    """Which of the two began first, in a session of each spelling whose events fired."""
    seen = {spelling: sessions[f"{spelling}.top"] for spelling in _START}
    firsts = {spelling: _is_first(one, spelling) for spelling, one in seen.items()}
    known = {spelling: first for spelling, first in firsts.items() if first}
    if not known:
        return unjudged(NOT_RUN)
    return Judged(
        agreed(known.values()),
        known,
        positive=True,
        negative=nothing_strange(*seen.values()),
        reason="sessions-differ",
    )


def _is_first(seen: Seen, spelling: str) -> str | None:
    starts, prompts = seen.runs_of(_START[spelling]), seen.runs_of(_PROMPT[spelling])
    if not (starts and prompts):
        return None
    return yes_or_no(starts[0].began_ns < prompts[0].began_ns)


def files(sessions: SessionsByName) -> Judged:
    """The order in which six files' hooks began, on each of three events."""
    seen = sessions["hook_files.order"]
    orders = {event: _order(seen, event) for event in ORDERED_EVENTS}
    if not all(len(order) == len(FILES_WRITTEN) for order in orders.values()):
        return unjudged(NOT_RUN)
    names = {event: _name(order) for event, order in orders.items()}
    return Judged(
        agreed(names.values()) or "undefined",
        names,
        positive=True,
        negative=nothing_strange(seen),
    )


def _order(seen: Seen, event: str) -> str:
    runs = (mark.label.partition("-") for mark in seen.marks)
    return "".join(name for label, _, name in runs if label == event)


def _name(order: str) -> str:
    ordered = "".join(sorted(order))
    if order == ordered:
        return "alphabetical"
    return "reverse" if order == ordered[::-1] else "undefined"
