"""Whether a hook's `matcher` is honoured, and against which name of the tool."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.judged import NOT_RUN, Judged, SessionsByName, nothing_strange, unjudged
from imprint.observe.scenario import Scenario
from imprint.observe.scene import BOGUS_EVENT, Entry, Scene
from imprint.sandbox.script import SHELL, CallTool, Say, Turn

NAME = "hook_runs.matchers"

_EVENTS = {"camel": "preToolUse", "pascal": "PreToolUse"}

_MATCHERS: Mapping[str, str] = MappingProxyType(
    {"camel-name": "bash", "pascal-name": "Bash", "stranger": "imprint_no_such_tool"}
)
"""The two names of the shell tool, and one that no tool has."""

_ANSWERS = {
    frozenset({"camel-name"}): "camel-name",
    frozenset({"pascal-name"}): "pascal-name",
    frozenset({"camel-name", "pascal-name"}): "either-name",
    frozenset(_MATCHERS): "ignored",
}


def _label(spelling: str, matcher: str) -> str:
    return f"{spelling}-{matcher}"


def _arrange(scene: Scene) -> None:
    """One hook per spelling and matcher, and one without; they only record.

    A file per spelling: early releases take one of two spellings in the same file.
    """
    for spelling, event in _EVENTS.items():
        with_matcher: list[Entry] = [
            {**scene.hook(_label(spelling, name)), "matcher": matcher}
            for name, matcher in _MATCHERS.items()
        ]
        without = scene.hook(_label(spelling, "none"))
        scene.write_hooks(f"hooks/{spelling}.json", {event: [without, *with_matcher]})
    scene.write_hooks("hooks/bogus.json", {BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]})


def _turns(scene: Scene) -> tuple[Turn, ...]:
    shell = CallTool(SHELL, {"command": "echo fine", "description": "Say fine"})
    return (shell, Say(f"Done: {scene.words.answer}"))


def matcher(sessions: SessionsByName) -> Judged:
    """Which matchers a hook ran with; one without shows that hooks of the spelling run."""
    seen = sessions[NAME]
    ran = {
        spelling: frozenset(name for name in _MATCHERS if seen.runs_of(_label(spelling, name)))
        for spelling in _EVENTS
        if seen.runs_of(_label(spelling, "none"))
    }
    if not ran:
        return unjudged(NOT_RUN)
    value: dict[str, str | int | float] = {
        spelling: _ANSWERS[names] for spelling, names in ran.items() if names in _ANSWERS
    }
    facts = {spelling: sorted(names) for spelling, names in ran.items()}
    if not value:
        return unjudged("no-matcher-matches", facts)
    return Judged(value, facts, positive=True, negative=nothing_strange(seen))


SCENARIO = Scenario(NAME, _arrange, _turns)
