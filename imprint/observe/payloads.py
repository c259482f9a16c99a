"""Judges: what a hook is given on its standard input."""

import re
from collections.abc import Callable, Mapping
from os.path import realpath

from imprint.observe.judged import (
    NOT_RUN,
    Judged,
    SessionsByName,
    agreed,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.marks import Mark
from imprint.observe.scenarios import SHAPES, START, STOP
from imprint.observe.sessions import Seen

Payload = Mapping[str, object]
Table = dict[str, str | int | float]

_SESSION = {"session_id": "snake", "sessionId": "camel"}
_PRE_TOOL = {"pascal": "PreToolUse", "camel": "preToolUse"}
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_YEAR_2001_MS = 10**12


def pascal_style(sessions: SessionsByName) -> Judged:
    """The dialect of every PascalCase hook that ran."""
    return _style(sessions["pascal.top"], "pascal")


def camel_style(sessions: SessionsByName) -> Judged:
    """The dialect of every camelCase hook that ran."""
    return _style(sessions["camel.top"], "camel")


def _style(seen: Seen, spelling: str) -> Judged:
    runs = (*seen.runs_of(START[spelling]), *seen.runs_of(STOP[spelling]))
    if not runs:
        return unjudged(NOT_RUN)
    dialects = [_dialect(run.payload) for run in runs]
    return Judged(
        agreed(dialects),
        {"dialects": dialects},
        positive=all(_is_of(seen, run.payload) for run in runs),
        negative=nothing_strange(seen),
        reason="dialects-differ",
    )


def event_name_field(sessions: SessionsByName) -> Judged:
    """Whether Stop's payload has the event's name, in whichever spelling, as a value."""
    return _by_spelling(sessions, STOP, _names_event)


def timestamp(sessions: SessionsByName) -> Judged:
    """The type of Stop's `timestamp`."""
    return _by_spelling(sessions, STOP, _timestamp_type)


def tool_name(sessions: SessionsByName) -> Judged:
    """The shell tool's name; it is the first tool that is called."""
    return _by_spelling(sessions, _PRE_TOOL, _tool)


def tool_args(sessions: SessionsByName) -> Judged:
    """The type of a tool's arguments before and after the call."""
    seen = sessions["camel.top"]
    runs = {event: seen.runs_of(event) for event in ("preToolUse", "postToolUse")}
    kinds = {
        event: agreed(_arguments_type(run.payload) for run in some) for event, some in runs.items()
    }
    value: Table = {event: kind for event, kind in kinds.items() if kind}
    understood = all(_is_ours(seen, run) for some in runs.values() for run in some)
    return _table(value, understood, seen)


def stop_transcript(sessions: SessionsByName) -> Judged:
    """The key of Stop's payload under which the transcript's path is."""
    seen, runs = _stop(sessions)
    transcript = seen.result.transcript
    if not runs or transcript is None:
        return unjudged(NOT_RUN if not runs else "no-transcript")
    key = agreed(_key_of(run.payload, str(transcript)) for run in runs)
    return Judged(
        key,
        {"key": key},
        positive=all(_is_of(seen, run.payload) for run in runs),
        negative=nothing_strange(seen),
        reason="keys-differ",
    )


def stop_hook_active(sessions: SessionsByName) -> Judged:
    """Whether Stop's payload has the field, true or false."""
    seen, runs = _stop(sessions)
    if not runs:
        return unjudged(NOT_RUN)
    value = agreed(yes_or_no(isinstance(_active(run.payload), bool)) for run in runs)
    return Judged(
        value,
        {"there": value},
        positive=all(_is_of(seen, run.payload) for run in runs),
        negative=nothing_strange(seen),
        reason="payloads-differ",
    )


def transcript_flushed(sessions: SessionsByName) -> Judged:
    """Of all sessions: whether Stop found the last answer in the transcript when it started.

    How long it took else is given in steps of 100 ms, and only where every one came in time.
    """
    seen = [sessions[shape.name] for shape in SHAPES]
    lags = [
        run.lag_ms
        for shape, one in zip(SHAPES, seen, strict=True)
        for run in one.runs_of(STOP[shape.spelling])
    ]
    if not lags:
        return unjudged(NOT_RUN)
    at_once = lags.count(0)
    some = "sometimes" if at_once else "never"
    value: Table = {"at_start": "always" if at_once == len(lags) else some}
    if at_once < len(lags) and -1 not in lags:
        value["lag_ms"] = -(-max(lags) // 100) * 100
    return Judged(value, value, positive=_said(seen), negative=_unsaid(seen))


def _said(seen: list[Seen]) -> bool:
    """After the sessions every transcript holds the answer."""
    return all(
        path is not None and one.words.answer in path.read_text(encoding="utf-8", errors="replace")
        for one in seen
        for path in (one.result.transcript,)
    )


def _unsaid(seen: list[Seen]) -> bool:
    """No transcript holds a word that nobody said."""
    transcripts = [one.result.transcript for one in seen]
    return nothing_strange(*seen) and not any(
        path and one.words.never in path.read_text(encoding="utf-8", errors="replace")
        for one, path in zip(seen, transcripts, strict=True)
    )


def _by_spelling(
    sessions: SessionsByName,
    events: Mapping[str, str],
    answer: Callable[[Payload], str | None],
) -> Judged:
    """One entry per spelling, of the first run of its event; none where it did not run."""
    value: Table = {}
    seen = {spelling: sessions[f"{spelling}.top"] for spelling in events}
    runs = {spelling: seen[spelling].runs_of(event)[:1] for spelling, event in events.items()}
    for spelling, first in runs.items():
        for run in first:
            found = answer(run.payload)
            if found:
                value[spelling] = found
    understood = all(
        _is_ours(seen[spelling], one) for spelling, first in runs.items() for one in first
    )
    return _table(value, understood, *seen.values())


def _table(value: Table, understood: bool, *seen: Seen) -> Judged:
    if not value:
        return unjudged(NOT_RUN)
    return Judged(value, dict(value), positive=understood, negative=nothing_strange(*seen))


def _is_ours(seen: Seen, mark: Mark) -> bool:
    """The positive control of payloads: a field that is known is there, and is right."""
    return mark.payload.get("cwd") == str(seen.scene.work)


def _stop(sessions: SessionsByName) -> tuple[Seen, tuple[Mark, ...]]:
    """The runs of Stop as setup registers it; of agentStop on releases that know no other."""
    pascal = sessions["pascal.top"]
    runs = pascal.runs_of(STOP["pascal"])
    if runs:
        return pascal, runs
    camel = sessions["camel.top"]
    return camel, camel.runs_of(STOP["camel"])


def _dialect(payload: Payload) -> str | None:
    return agreed(style for key, style in _SESSION.items() if key in payload)


def _is_of(seen: Seen, payload: Payload) -> bool:
    """Whether the payload names the very session that the transcript is of."""
    session = seen.result.facts.session_id
    return bool(session) and session in {payload.get(key) for key in _SESSION}


def _names_event(payload: Payload) -> str | None:
    return yes_or_no(any(value in payload.values() for value in STOP.values())) if payload else None


def _timestamp_type(payload: Payload) -> str | None:
    match payload.get("timestamp"):
        case str(text) if _ISO.match(text):
            return "iso-string"
        case int(number) if number > _YEAR_2001_MS:
            return "epoch-ms"
        case _:
            return None


def _tool(payload: Payload) -> str | None:
    name = payload.get("tool_name") or payload.get("toolName")
    return name if isinstance(name, str) else None


def _arguments_type(payload: Payload) -> str | None:
    if isinstance(payload.get("toolCalls"), list):
        return "batched"
    match payload.get("toolArgs"):
        case str():
            return "string"
        case dict():
            return "object"
        case _:
            return None


def _key_of(payload: Payload, transcript: str) -> str:
    for key in ("transcript_path", "transcriptPath"):
        path = payload.get(key)
        if isinstance(path, str) and path and realpath(path) == realpath(transcript):
            return key
    return "no"


def _active(payload: Payload) -> object:
    return payload.get("stop_hook_active", payload.get("stopHookActive"))
