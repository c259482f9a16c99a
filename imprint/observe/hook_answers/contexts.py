"""Judges: which context reaches the model, how large, how often, and as what."""

import msgspec

from imprint.observe.events import Event, read_events
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
from imprint.observe.scenarios import PROMPT_WORD, PROMPTED, SHAPES
from imprint.observe.sessions import Seen
from imprint.observe.shapes import CONTEXT_SHAPES

NO_CONTEXT = "no-context-arrived"

_ARRIVALS = (
    "user.message:system",
    "user.message:other",
    "system.message",
    "tool.execution_complete",
)


def of_user_prompt(sessions: SessionsByName) -> Judged:
    """Each shape had a session of its own, beside the same shape from SessionStart."""
    seen = {shape.name: sessions[shape.name] for shape in SHAPES}
    spellings = {shape.name: shape.spelling for shape in SHAPES}
    value: Table = {
        name: yes_or_no(one.reached_model(one.scene.word(PROMPT_WORD)))
        for name, one in seen.items()
        if one.runs_of(PROMPTED[spellings[name]])
    }
    return _reached(value, *seen.values())


def of_pre_tool(sessions: SessionsByName) -> Judged:
    """Each shape was the answer to a call of its own."""
    return _of_tool(sessions, tools.PRE, "pre")


def of_post_tool(sessions: SessionsByName) -> Judged:
    """The same, after the call."""
    return _of_tool(sessions, tools.POST, "post")


def of_subagent_start(sessions: SessionsByName) -> Judged:
    """Each shape was the answer to the start of a subagent of its own, which asked the model."""
    seen = {spelling: sessions[name] for spelling, name in others.SUBAGENTS.items()}
    value: Table = {
        f"{spelling}.{shape}": yes_or_no(one.reached_model(one.scene.word(shape)))
        for spelling, one in seen.items()
        for number, shape in enumerate(CONTEXT_SHAPES)
        if ran(one, others.SUBAGENT, shape) and was_asked(one, 0, number + 1)
    }
    return _reached(value, *seen.values())


def _of_tool(sessions: SessionsByName, event: str, key: str) -> Judged:
    seen = {spelling: sessions[name] for spelling, name in tools.NAMES.items()}
    value: Table = {
        f"{spelling}.{shape}": yes_or_no(one.reached_model(one.scene.word(f"{key}.{shape}")))
        for spelling, one in seen.items()
        for shape in CONTEXT_SHAPES
        if ran(one, event, f"context.{shape}")
        and was_asked(one, tools.STEPS.index(f"context.{shape}") + 1)
    }
    return _reached(value, *seen.values())


def _reached(value: Table, *sessions: Seen) -> Judged:
    if not value:
        return unjudged(NOT_RUN)
    return Judged(
        value,
        dict(value),
        positive=all_prompted(*sessions),
        negative=nothing_strange(*sessions),
    )


def arrival(sessions: SessionsByName) -> Judged:
    """The events of the transcript that hold the words which reached the model, hooks' own apart.

    An event whose context does not reach the model, or arrives as several things, has no entry.
    """
    shown, called = sessions["camel.top"], sessions[tools.NAMES["camel"]]
    started = sessions[others.SUBAGENTS["camel"]]
    given = {
        "sessionStart": (shown, shown.words.context),
        "userPromptSubmitted": (shown, shown.scene.word(PROMPT_WORD)),
        tools.PRE: (called, called.scene.word("pre.top")),
        tools.POST: (called, called.scene.word("post.top")),
        others.SUBAGENT: (started, started.scene.word("top")),
    }
    found = {
        event: _kinds(seen, word)
        for event, (seen, word) in given.items()
        if seen.reached_model(word)
    }
    value: Table = {event: kind for event, kinds in found.items() if (kind := agreed(kinds))}
    if not value:
        return unjudged(NO_CONTEXT, found)
    seen = (shown, called, started)
    return Judged(
        value, found, positive=all(map(_has_prompt, seen)), negative=nothing_strange(*seen)
    )


def _kinds(seen: Seen, word: str) -> list[str]:
    events = [one for one in read_events(seen) if not one.type.startswith("hook.")]
    return sorted({_kind(one) for one in events if _holds(one, word)}) or ["none"]


def _kind(event: Event) -> str:
    if event.type != "user.message":
        return event.type
    return f"user.message:{'system' if event.text('source') == 'system' else 'other'}"


def _holds(event: Event, word: str) -> bool:
    return word in msgspec.json.encode(event.data).decode("utf-8")


def _has_prompt(seen: Seen) -> bool:
    """The positive control of what a transcript holds."""
    return any(_kind(one) == "user.message:other" for one in read_events(seen))


def size(sessions: SessionsByName) -> Judged:
    """The largest text that is whole in a request; an event that no text came from has no entry."""
    first = sessions[others.SIZED[others.SIZES[0]]]
    seen = [first]
    value: Table = {
        event: largest
        for event in (others.PRE, others.POST)
        if (largest := _largest_from_tool(first, event))
    }
    if _is_context_taken(sessions):
        for number in others.SIZES:
            seen.append(sessions[others.SIZED[number]])
            if _is_whole(seen[-1], seen[-1].words.context, number):
                value[others.START] = number
                break
    if not value:
        return unjudged(NO_CONTEXT)
    return Judged(value, dict(value), positive=all_prompted(*seen), negative=nothing_strange(*seen))


def _is_context_taken(sessions: SessionsByName) -> bool:
    shown = sessions["camel.top"]
    return shown.reached_model(shown.words.context)


def _largest_from_tool(seen: Seen, event: str) -> int:
    whole = (
        number
        for number in others.SIZES
        if ran(seen, event, str(number))
        and _is_whole(seen, seen.scene.word(f"{event}.{number}"), number)
    )
    return max(whole, default=0)


def _is_whole(seen: Seen, word: str, number: int) -> bool:
    return seen.reached_model(others.text_of(word, number))


def repeats(sessions: SessionsByName) -> Judged:
    """Copies of SessionStart's word: in later requests of a conversation, and in a subagent's.

    A conversation has turns in which tools are called; one more begins where Stop makes it go on.
    """
    called, continued = sessions[tools.NAMES["camel"]], sessions[others.CONTINUED]
    started = sessions[others.SUBAGENTS["camel"]]
    value: Table = {}
    if called.reached_model(called.words.context) and continued.reached_model(
        continued.words.context
    ):
        most = max(_most_copies(called), _most_copies(continued))
        value["turns"] = yes_or_no(most > 1)
    subagents = [one for one in started.answered if one.script]
    if subagents and started.reached_model(started.words.context):
        word = started.words.context
        value["subagent"] = yes_or_no(any(one.contains(word) for one in subagents))
    if not value:
        return unjudged(NO_CONTEXT)
    seen = (called, continued, started)
    return Judged(value, dict(value), positive=all_prompted(*seen), negative=nothing_strange(*seen))


def _most_copies(seen: Seen) -> int:
    word = seen.words.context
    counts = (sum(said.count(word) for _, said in one.messages) for one in seen.answered)
    return max(counts, default=0)
