"""The few facts that a session's own transcript states; read tolerantly."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec


class _Event(msgspec.Struct, frozen=True):
    type: str = ""
    timestamp: str = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HookRecord:
    """Copilot's own note that it ran a hook (`hook.start`, `hook.end`), on releases that note it.

    `hook` is the event as Copilot spells it, `success` and `output` are known at the end only.
    """

    phase: Literal["start", "end"]
    hook: str
    invocation: str
    success: bool | None
    data: dict[str, Any]
    timestamp: str


@dataclass(frozen=True, slots=True)
class TranscriptFacts:
    """What a transcript says about its session; empty where it says nothing."""

    copilot_version: str = ""
    session_id: str = ""
    event_types: tuple[str, ...] = ()
    hook_records: tuple[HookRecord, ...] = ()


def read_facts(transcript: Path) -> TranscriptFacts:
    """The facts in an events.jsonl; lines that can't be read are passed over."""
    version, session_id = "", ""
    types: list[str] = []
    hooks: list[HookRecord] = []
    for event in _events(transcript):
        types.append(event.type)
        match event.type:
            case "session.start":
                version = version or _text(event.data, "copilotVersion")
                session_id = session_id or _text(event.data, "sessionId")
            case "hook.start":
                hooks.append(_hook("start", event))
            case "hook.end":
                hooks.append(_hook("end", event))
    return TranscriptFacts(version, session_id, tuple(types), tuple(hooks))


def _events(transcript: Path) -> Iterator[_Event]:
    try:
        data = transcript.read_bytes()
    except FileNotFoundError:
        return
    decoder = msgspec.json.Decoder(_Event)
    for line in data.split(b"\n"):
        try:
            yield decoder.decode(line)
        except msgspec.DecodeError:
            continue


def _hook(phase: Literal["start", "end"], event: _Event) -> HookRecord:
    success = event.data.get("success")
    return HookRecord(
        phase=phase,
        hook=_text(event.data, "hookType"),
        invocation=_text(event.data, "hookInvocationId"),
        success=success if isinstance(success, bool) else None,
        data=event.data,
        timestamp=event.timestamp,
    )


def _text(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""
