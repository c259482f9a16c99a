"""Judges: which files and event names are taken, and which events fire."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from re import findall
from typing import Any

import msgspec

from imprint.observe.judged import Judged, SessionsByName, nothing_strange, unjudged, yes_or_no
from imprint.observe.scenario import Useless
from imprint.observe.scenarios import CAMEL_EVENTS, LOADER, PASCAL_EVENTS
from imprint.observe.scene import BOGUS_EVENT
from imprint.observe.sessions import Seen, SessionUseless


def home_dir(sessions: SessionsByName) -> Judged:
    """Two files of the folder must run; one beside the folder must not.

    Where no hook runs at all nothing is proven: hooks may be what does not work.
    """
    seen = sessions["camel.top"]
    first, second = bool(seen.runs_of("agentStop")), bool(seen.runs_of("second-file"))
    beside = bool(seen.runs_of("elsewhere"))
    return Judged(
        yes_or_no(first and second),
        {"first": first, "second": second, "beside": beside},
        positive=first or second,
        negative=nothing_strange(seen) and not beside,
    )


def unknown_event_reported(sessions: SessionsByName) -> Judged:
    """The canary must be named in the log, and no event that fires may be."""
    seen = sessions["camel.top"]
    reported = reported_unknown(seen.log)
    return Judged(
        yes_or_no(BOGUS_EVENT in reported),
        {"canary": BOGUS_EVENT in reported},
        positive=_is_talkative(seen.log) and bool(seen.runs_of("agentStop")),
        negative=nothing_strange(seen) and not reported & _ran(seen),
    )


def camel_names(sessions: SessionsByName) -> Judged:
    """Every name that the log does not call unknown, in a log that does so with the canary."""
    return _names(_loaded(sessions, "camel.top"), CAMEL_EVENTS)


def pascal_names(sessions: SessionsByName) -> Judged:
    """The same for the aliases."""
    return _names(_loaded(sessions, "pascal.top"), PASCAL_EVENTS)


def fires_in_prompt_mode(sessions: SessionsByName) -> Judged:
    """Of the events whose cause is seen to have occurred, those whose hook ran."""
    seen = sessions["camel.top"]
    value = {event: yes_or_no(bool(seen.runs_of(event))) for event in _caused(seen)}
    return Judged(
        dict(value),
        value,
        positive=bool(seen.answered) and "yes" in value.values(),
        negative=nothing_strange(seen),
    )


def reported_unknown(log: Iterable[str]) -> frozenset[str]:
    """The event names that a log calls unknown, on one line or on one each."""
    asked = {*CAMEL_EVENTS, *PASCAL_EVENTS, BOGUS_EVENT}
    lines = (line for line in log if "unknown hook event" in line.lower())
    return frozenset(word for line in lines for word in findall(r"\w+", line) if word in asked)


def _loaded(sessions: SessionsByName, name: str) -> Seen:
    """A session; of a release that never asks the model, what its loader says."""
    try:
        return sessions[name]
    except SessionUseless as error:
        if error.reason != Useless.MODEL_NOT_ASKED:
            raise
        return sessions[LOADER.name]


def _names(seen: Seen, events: tuple[str, ...]) -> Judged:
    reported = reported_unknown(seen.log)
    if BOGUS_EVENT not in reported:
        return unjudged("canary-not-reported")
    value = {event: yes_or_no(event not in reported) for event in events}
    return Judged(
        dict(value),
        value,
        positive=True,
        negative=nothing_strange(seen) and not reported & _ran(seen),
    )


def _ran(seen: Seen) -> frozenset[str]:
    return frozenset(mark.label for mark in seen.marks)


def _is_talkative(log: tuple[str, ...]) -> bool:
    """Whether it is written at the level at which unknown events are reported."""
    return any("[DEBUG]" in line for line in log)


def _caused(seen: Seen) -> tuple[str, ...]:
    succeeded = _tool_results(seen.result.transcript)
    causes: Mapping[str, bool] = {
        "sessionStart": True,
        "userPromptSubmitted": True,
        "agentStop": True,
        "sessionEnd": True,
        "preToolUse": bool(succeeded),
        "postToolUse": True in succeeded,
        "postToolUseFailure": False in succeeded,
        "preMcpToolCall": seen.scene.has_mark("sibling.called"),
    }
    return tuple(event for event, occurred in causes.items() if occurred)


class _Event(msgspec.Struct, frozen=True):
    type: str = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict)


def _tool_results(transcript: Path | None) -> tuple[bool, ...]:
    """Of each tool call that the transcript notes the end of, whether it succeeded."""
    if transcript is None:
        return ()
    decoder = msgspec.json.Decoder(_Event)
    lines = transcript.read_bytes().splitlines()
    events = [decoder.decode(line) for line in lines if line.strip()]
    ends = [event.data for event in events if event.type == "tool.execution_complete"]
    return tuple(data["success"] for data in ends if isinstance(data.get("success"), bool))
