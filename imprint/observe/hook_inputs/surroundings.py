"""Judges: the end of a hook's input, and its environment."""

from imprint.base.paths import Environment
from imprint.observe.hook_inputs.scenes import began
from imprint.observe.judged import (
    NOT_RUN,
    Judged,
    SessionsByName,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.scenarios import CAMEL_EVENTS
from imprint.observe.sessions import Seen
from imprint.sandbox.isolation import model_environment, sealed_environment

_OF_THE_SHELL = frozenset({"PWD", "OLDPWD", "SHLVL", "_"})
"""What a hook's own bash adds."""

Table = dict[str, str | int | float]


def stdin_eof(sessions: SessionsByName) -> Judged:
    """A recorder reads to the end before it leaves a mark; that it began is marked before."""
    wide, seen = sessions["camel.top"], sessions["hook_inputs.camel"]
    value: Table = {}
    for event in CAMEL_EVENTS:
        ended = bool(wide.runs_of(event) or seen.runs_of(event))
        if ended or seen.scene.has_mark(began(event)):
            value[event] = yes_or_no(ended)
    if not value:
        return unjudged(NOT_RUN)
    return Judged(
        value,
        dict(value),
        positive="yes" in value.values(),
        negative=nothing_strange(wide, seen),
    )


def env(sessions: SessionsByName) -> Judged:
    """What every hook has beside the variables that Copilot was given, and those of its shell."""
    seen = sessions["camel.top"]
    if not seen.marks:
        return unjudged(NOT_RUN)
    given = _given(seen)
    common = set.intersection(*(set(mark.variables) for mark in seen.marks))
    added = sorted(common - given - _OF_THE_SHELL)
    return Judged(
        added,
        {"added": added},
        positive={"HOME", "COPILOT_HOME"} <= common,
        negative=nothing_strange(seen),
    )


def _given(seen: Seen) -> frozenset[str]:
    """The names of what the session's Copilot got."""
    scratch = seen.scene.scratch
    host = Environment.scratch(scratch.root, {})
    return frozenset({*sealed_environment(host, scratch, {}), *model_environment("", "")})
