"""Judges: what is recorded of a session, and in which shape."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from imprint.observe.events import Event, read_events, read_objects
from imprint.observe.hook_inputs.scenes import CREATED, EDITED
from imprint.observe.judged import (
    Judged,
    SessionsByName,
    digest,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.keys import Shape, shape_of
from imprint.observe.sessions import Seen

Table = dict[str, str | int | float]

_TOKENS = frozenset({"inputTokens", "outputTokens"})
_EXPANDED = ("context", "codeChanges")
"""Objects of an event's data whose own keys are part of its shape."""
_SHAPED = ("camel.top", "hook_inputs.camel", "transcripts.continued")


def ephemeral_on_disk(sessions: SessionsByName) -> Judged:
    """Of the events that the same run printed as ephemeral, whether any is in the file."""
    seen = sessions["transcripts.begun"]
    printed = {event["type"] for event in _printed(seen) if event.get("ephemeral") is True}
    written = {event.type for event in read_events(seen) if event.is_ephemeral}
    kinds = {event.type for event in read_events(seen)}
    found = sorted(written | (printed & kinds))
    return Judged(
        yes_or_no(bool(found)),
        {"on_disk": found},
        positive=bool(printed) and "session.start" in kinds,
        negative=nothing_strange(seen),
    )


def _printed(seen: Seen) -> Iterator[dict[str, Any]]:
    """The events that a run in JSON prints, one a line."""
    for line in seen.result.stdout.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and isinstance(event.get("type"), str):
            yield event


def usage_on_disk(sessions: SessionsByName) -> Judged:
    """The types of events with a count of a request's tokens, joined by `+`."""
    seen = sessions["camel.top"]
    events = read_events(seen)
    kinds = sorted({event.type for event in events if _counts_tokens(event.data)})
    return Judged(
        "+".join(kinds) or "none",
        {"events": kinds},
        positive=any(event.type == "assistant.message" for event in events),
        negative=nothing_strange(seen),
    )


def _counts_tokens(value: object) -> bool:
    match value:
        case dict():
            counts = (value.get(key) for key in _TOKENS)
            has_count = any(isinstance(count, int) and count > 0 for count in counts)
            return has_count or any(_counts_tokens(one) for one in value.values())
        case list():
            return any(_counts_tokens(one) for one in value)
        case _:
            return False


def shutdown_files(sessions: SessionsByName) -> Judged:
    """The paths of two files that the session has really changed."""
    seen = sessions["hook_inputs.camel"]
    created, edited = seen.scene.work / CREATED, seen.scene.work / EDITED
    ends = [event for event in read_events(seen) if event.type == "session.shutdown"]
    if not ends:
        return unjudged("no-shutdown-event")
    listed = [path for event in ends for path in _modified(event)]
    value: Table = {
        "created": yes_or_no(str(created) in listed),
        "edited": yes_or_no(str(edited) in listed),
    }
    return Judged(
        value,
        dict(value),
        positive=created.is_file() and "three" in edited.read_text(encoding="utf-8"),
        negative=nothing_strange(seen) and str(seen.scene.work / "absent.txt") not in listed,
    )


def _modified(event: Event) -> list[object]:
    changes = event.data.get("codeChanges")
    files = changes.get("filesModified") if isinstance(changes, dict) else None
    return files if isinstance(files, list) else []


def failed_tool(sessions: SessionsByName) -> Judged:
    """`success` of a call that can't but fail, beside one of the shell's that did not."""
    seen = sessions["camel.top"]
    events = read_events(seen)
    failed, fine = _ends(events, "view"), _ends(events, "bash")
    if not failed:
        return unjudged("no-failed-call")
    return Judged(
        yes_or_no(all(end is False for end in failed)),
        {"failed": [repr(end) for end in failed]},
        positive=fine == [True],
        negative=nothing_strange(seen),
    )


def _ends(events: tuple[Event, ...], tool: str) -> list[object]:
    calls = {
        event.text("toolCallId")
        for event in events
        if event.type == "tool.execution_start" and event.text("toolName") == tool
    }
    return [
        event.data.get("success")
        for event in events
        if event.type == "tool.execution_complete" and event.text("toolCallId") in calls
    ]


def shapes(sessions: SessionsByName) -> Judged:
    """Of every type of event in three sessions; the value is their digest."""
    found = event_shapes(sessions)
    seen = [sessions[name] for name in _SHAPED]
    return Judged(
        digest(found) if found else None,
        found,
        positive=found.get("session.start", {}).get("data.sessionId") == "string",
        negative=nothing_strange(*seen),
        reason="no-events",
    )


def event_shapes(sessions: SessionsByName) -> Mapping[str, Shape]:
    """Type of event -> its keys, those of its data after `data.`."""
    by_type: dict[str, list[dict[str, object]]] = {}
    for name in _SHAPED:
        for written in read_objects(sessions[name]):
            by_type.setdefault(str(written.get("type")), []).append(_flat(written))
    return {kind: shape_of(events) for kind, events in sorted(by_type.items())}


def _flat(event: Mapping[str, Any]) -> dict[str, object]:
    data = event.get("data")
    parts: dict[str, Any] = {"": {key: one for key, one in event.items() if key != "data"}}
    if isinstance(data, dict):
        parts["data."] = data
        parts |= {
            f"data.{key}.": one for key in _EXPANDED if isinstance(one := data.get(key), dict)
        }
    return {f"{place}{key}": one for place, part in parts.items() for key, one in part.items()}
