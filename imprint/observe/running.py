"""Judges: how a hook is run, and what its answer does."""

from pathlib import PurePath

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
from imprint.observe.scenarios import SHAPES, START, STOP, TIMEOUT_KEYS

_WAYS = ("command", "bash", "powershell", "exec")

Table = dict[str, str | int | float]


def context_of_session_start(sessions: SessionsByName) -> Judged:
    """Each shape had a session of its own; one whose hook did not run answers nothing."""
    seen = {shape.name: sessions[shape.name] for shape in SHAPES}
    spellings = {shape.name: shape.spelling for shape in SHAPES}
    value: Table = {
        name: yes_or_no(one.reached_model(one.words.context))
        for name, one in seen.items()
        if one.runs_of(START[spellings[name]])
    }
    if not value:
        return unjudged(NOT_RUN)
    return Judged(
        value,
        dict(value),
        positive=all(one.reached_model(PROMPT) for one in seen.values()),
        negative=nothing_strange(*seen.values()),
    )


def several_contexts(sessions: SessionsByName) -> Judged:
    """Both hooks ran; which of their words the model got."""
    seen = sessions["ways"]
    if not (seen.runs_of("context-1") and seen.runs_of("context-2")):
        return unjudged(NOT_RUN)
    reached = (seen.reached_model(seen.words.context), seen.reached_model(seen.words.second))
    answers = {(True, True): "all", (True, False): "first", (False, True): "last"}
    return Judged(
        answers.get(reached),
        {"reached": reached},
        positive=any(reached),
        negative=nothing_strange(seen),
        reason="no-context-arrived",
    )


def timeout_key(sessions: SessionsByName) -> Judged:
    """A hook that sleeps longer than its limit gets to its end only where the limit is ignored."""
    seen = sessions["limits"]
    without = seen.runs_of("no-key")
    value: Table = {
        key: "ignored" if seen.runs_of(key)[0].ended else "honoured"
        for key in TIMEOUT_KEYS
        if seen.runs_of(key)
    }
    if not value:
        return unjudged(NOT_RUN)
    return Judged(
        value,
        dict(value),
        positive=bool(without) and all(run.ended for run in without),
        negative=nothing_strange(seen),
    )


def exec_keys(sessions: SessionsByName) -> Judged:
    """Which of the keys, each alone in a hook of a file of its own, ran the program."""
    seen = sessions["ways"]
    value: Table = {way: yes_or_no(bool(seen.runs_of(way))) for way in _WAYS}
    return Judged(
        value,
        dict(value),
        positive="yes" in value.values(),
        negative=nothing_strange(seen),
    )


def exec_shell(sessions: SessionsByName) -> Judged:
    """What `$0` is in a hook's `command`."""
    seen = sessions["ways"]
    runs = seen.runs_of("command")
    if not runs:
        return unjudged(NOT_RUN)
    shell = agreed(PurePath(word).name for run in runs for word in run.words[-1:])
    return Judged(
        shell if shell in {"bash", "sh"} else None,
        {"shell": shell},
        positive=True,
        negative=nothing_strange(seen),
        reason="another-shell",
    )


def exec_cwd(sessions: SessionsByName) -> Judged:
    """The directory that every hook of a session reports, among three that differ."""
    seen = sessions["camel.top"]
    places = {
        str(seen.scene.work): "session-cwd",
        str(seen.scene.scratch.home): "home",
        str(seen.scene.hooks): "hooks-dir",
    }
    if not seen.marks:
        return unjudged(NOT_RUN)
    where = agreed(places.get(mark.cwd) for mark in seen.marks)
    return Judged(
        where,
        {"where": where},
        positive=bool(seen.runs_of(STOP["camel"])),
        negative=nothing_strange(seen),
        reason="another-directory",
    )


def both_spellings(sessions: SessionsByName) -> Judged:
    """Two events with the same hook under both names, each of which occurs once."""
    seen = sessions["ways"]
    counts = (len(seen.runs_of("twice")), len(seen.runs_of("twice-tool")))
    answers = {(1, 1): "once", (2, 2): "twice"}
    return Judged(
        answers.get(counts),
        {"counts": counts},
        positive=all(counts),
        negative=nothing_strange(seen),
        reason="events-differ",
    )
