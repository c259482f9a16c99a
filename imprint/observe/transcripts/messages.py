"""Judges: how messages that nobody typed are marked."""

import re
from collections.abc import Iterable

from imprint.observe.events import Event, read_events
from imprint.observe.hook_files.fires import subagent_ran
from imprint.observe.hook_inputs.scenes import SKILL, skill_word
from imprint.observe.judged import (
    Judged,
    SessionsByName,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.scenario import PROMPT
from imprint.observe.sessions import Seen
from imprint.observe.subagents import SUBAGENT_PROMPT, subagent_word
from imprint.observe.transcripts.scenes import CONTEXT_EVENTS, context_word

ABSENT = "absent"
NO_MESSAGE = "no-message"
"""It reached the model, and no message of the transcript holds it."""

Table = dict[str, str | int | float]


def user_source(sessions: SessionsByName) -> Judged:
    """The `source` of the message that holds the prompt, a context, a skill, a subagent's task."""
    plain, wide = sessions["transcripts.begun"], sessions["hook_inputs.camel"]
    typed = _source(plain, [PROMPT])
    found = {
        "typed": typed if typed != NO_MESSAGE else "",
        "context": _source(plain, [context_word(plain.scene, event) for event in CONTEXT_EVENTS]),
        "skill": _source(wide, [skill_word(wide.scene)]),
        "subagent": _source(wide, [SUBAGENT_PROMPT]) if subagent_ran(wide) else "",
    }
    value: Table = {where: source for where, source in found.items() if source}
    return Judged(
        value or None,
        dict(value),
        positive="typed" in value,
        negative=nothing_strange(plain, wide) and _source(plain, [plain.words.never]) == "",
        reason="no-messages",
    )


def _source(seen: Seen, texts: list[str]) -> str:
    """Of the first user's message with one of the texts; empty where none came to the model."""
    for event in _user_messages(seen):
        if any(text in event.text("content") for text in texts):
            return _without_ids(event.text("source")) or ABSENT
    return NO_MESSAGE if any(seen.reached_model(text) for text in texts) else ""


def _without_ids(source: str) -> str:
    named = source.replace(f"skill-{SKILL}", "skill-<name>")
    return re.sub(r"^agent-.+", "agent-<id>", named)


def _user_messages(seen: Seen) -> Iterable[Event]:
    return (event for event in read_events(seen) if event.type == "user.message")


def subagent_marks(sessions: SessionsByName) -> Judged:
    """Marks of what the subagent said; what the main agent said has none of them."""
    seen = sessions["hook_inputs.camel"]
    said = [event for event in read_events(seen) if event.type == "assistant.message"]
    theirs = _holding(said, subagent_word(seen.scene))
    own = _holding(said, seen.words.answer)
    if not theirs:
        return unjudged("nothing-of-the-subagent")
    value: Table = {
        "agentId": yes_or_no(all(event.agent for event in theirs)),
        "parentToolCallId": yes_or_no(all(event.text("parentToolCallId") for event in theirs)),
    }
    unmarked = not any(event.agent or event.text("parentToolCallId") for event in own)
    return Judged(
        value,
        dict(value),
        positive=bool(own) and subagent_ran(seen),
        negative=nothing_strange(seen) and unmarked,
    )


def _holding(events: list[Event], word: str) -> list[Event]:
    return [event for event in events if word in event.text("content")]


def autopilot_mark(sessions: SessionsByName) -> Judged:
    """Whether the user's messages that nobody typed say so; the typed one must not."""
    seen = sessions["transcripts.autopilot"]
    if not seen.answered:
        refused = "unknown option '--autopilot'" in seen.result.stderr
        value = "not-available" if refused else None
        return Judged(value, {"refused": refused}, refused, nothing_strange(seen), "not-begun")
    typed = [event for event in _user_messages(seen) if event.text("content") == PROMPT]
    others = [event for event in _user_messages(seen) if event.text("content") != PROMPT]
    if not others:
        return unjudged("no-continuation")
    marked = all(_is_marked(event) for event in others)
    return Judged(
        yes_or_no(marked),
        {"marked": marked, "sources": sorted({event.text("source") for event in others})},
        positive=bool(typed),
        negative=nothing_strange(seen) and not any(_is_marked(event) for event in typed),
    )


def _is_marked(event: Event) -> bool:
    return event.data.get("isAutopilotContinuation") is True
