"""Judges: the keys of payloads, and whether the transcript's record is what the hook got."""

from collections.abc import Mapping
from os.path import realpath

from imprint.observe.judged import (
    NOT_RUN,
    Judged,
    SessionsByName,
    agreed,
    digest,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.keys import Shape, shape_of
from imprint.observe.marks import Mark
from imprint.observe.scenarios import CAMEL_EVENTS, PASCAL_EVENTS
from imprint.observe.sessions import Seen

_EVENTS = {"camel": CAMEL_EVENTS, "pascal": PASCAL_EVENTS}


def keys(sessions: SessionsByName) -> Judged:
    """Of every event that fired in two sessions of each spelling; the value is their digest."""
    shapes = payload_shapes(sessions)
    if not any(shapes.values()):
        return unjudged(NOT_RUN)
    seen = {spelling: _sessions_of(sessions, spelling) for spelling in _EVENTS}
    payloads = [
        (one, mark)
        for spelling, some in seen.items()
        for one in some
        for mark in one.marks
        if mark.label in _EVENTS[spelling]
    ]
    return Judged(
        digest(shapes),
        shapes,
        positive=all(mark.payload.get("cwd") == str(one.scene.work) for one, mark in payloads),
        negative=nothing_strange(*(one for some in seen.values() for one in some)),
    )


def payload_shapes(sessions: SessionsByName) -> Mapping[str, Mapping[str, Shape]]:
    """Spelling -> event -> the shape of its payloads."""
    return {
        spelling: {
            event: shape_of([run.payload for run in runs])
            for event in events
            if (runs := _runs(_sessions_of(sessions, spelling), event))
        }
        for spelling, events in _EVENTS.items()
    }


def _sessions_of(sessions: SessionsByName, spelling: str) -> tuple[Seen, ...]:
    return (sessions[f"{spelling}.top"], sessions[f"hook_inputs.{spelling}"])


def _runs(seen: tuple[Seen, ...], event: str) -> tuple[Mark, ...]:
    return tuple(run for one in seen for run in one.runs_of(event))


def record_equals_stdin(sessions: SessionsByName) -> Judged:
    """Of every event with as many records as runs of its hook: whether all are the same."""
    seen = sessions["camel.top"]
    same = {event: _is_recorded(seen, event) for event in CAMEL_EVENTS}
    known = {event: answer for event, answer in same.items() if answer is not None}
    if not known:
        return unjudged("no-records")
    return Judged(
        yes_or_no(all(known.values())),
        known,
        positive=_has_own_record(seen),
        negative=nothing_strange(seen),
    )


def _records(seen: Seen, event: str) -> list[object]:
    records = seen.result.hook_records
    return [one.data.get("input") for one in records if (one.phase, one.hook) == ("start", event)]


def _is_recorded(seen: Seen, event: str) -> bool | None:
    """None where records and runs can't be told apart by their number."""
    runs, records = seen.runs_of(event), _records(seen, event)
    if not runs or len(runs) != len(records):
        return None
    return all(run.payload == record for run, record in zip(runs, records, strict=True))


def _has_own_record(seen: Seen) -> bool:
    """A record that names this very session: such records are really there."""
    session = seen.result.facts.session_id
    records = [one for event in CAMEL_EVENTS for one in _records(seen, event)]
    ids = [one.get("sessionId") for one in records if isinstance(one, dict)]
    return bool(session) and session in ids


def stop_transcript_resumed(sessions: SessionsByName) -> Judged:
    """The path that Stop gives in a session that began before, of that session's transcript."""
    begun, seen = sessions["transcripts.begun"], sessions["transcripts.resumed"]
    runs, transcript = seen.runs_of("agentStop"), seen.result.transcript
    if not runs or transcript is None:
        return unjudged(NOT_RUN if not runs else "no-transcript")
    paths = agreed(_path_given(run.payload, str(transcript)) for run in runs)
    session = seen.result.facts.session_id
    return Judged(
        paths,
        {"path": paths},
        positive=bool(session) and all(run.payload.get("sessionId") == session for run in runs),
        negative=nothing_strange(begun, seen),
        reason="payloads-differ",
    )


def _path_given(payload: Mapping[str, object], transcript: str) -> str | None:
    """None for a path of something else."""
    path = payload.get("transcriptPath", payload.get("transcript_path"))
    if not isinstance(path, str):
        return "no"
    if not path:
        return "empty"
    return "yes" if realpath(path) == realpath(transcript) else None
