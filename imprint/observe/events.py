"""A session's transcript as its observers read it: one event a line, tolerantly."""

from collections.abc import Iterator
from typing import Any

import msgspec

from imprint.observe.sessions import Seen


class Event(msgspec.Struct, frozen=True):
    """One line of events.jsonl."""

    type: str = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    agent: str = msgspec.field(default="", name="agentId")
    is_ephemeral: bool = msgspec.field(default=False, name="ephemeral")

    def text(self, key: str) -> str:
        """A text of the event's data; empty where there is none."""
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    @property
    def cwd(self) -> str:
        """The working directory that the event states, in its context or itself."""
        context = self.data.get("context")
        place = context if isinstance(context, dict) else self.data
        value = place.get("cwd")
        return value if isinstance(value, str) else ""


def read_events(seen: Seen) -> tuple[Event, ...]:
    """Every event of the session's transcript that can be read, in order."""
    return tuple(decoded for _, decoded in _lines(seen))


def read_objects(seen: Seen) -> tuple[dict[str, Any], ...]:
    """The same lines as they were written."""
    return tuple(written for written, _ in _lines(seen))


def _lines(seen: Seen) -> Iterator[tuple[dict[str, Any], Event]]:
    transcript = seen.result.transcript
    if transcript is None:
        return
    for line in transcript.read_bytes().split(b"\n"):
        try:
            written = msgspec.json.decode(line, type=dict[str, Any])
            yield written, msgspec.convert(written, Event)
        except (msgspec.DecodeError, msgspec.ValidationError):
            continue
