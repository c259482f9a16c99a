"""Whether a transcript holds the turn that a Stop hook announced.

Measured on 1.0.20 to 1.0.102: when Stop starts, the last answer is mostly not in the file yet.
Events are written in the order of their timestamps, and the `hook.end` of `agentStop` follows
only when the hook has ended. So that event, or any event from after the hook was called, proves
that all before it is there. Where a host records no hooks, a main agent that has said its last
word and a file that does not grow any more have to do.
"""

import datetime as dt
import enum
import os
from dataclasses import dataclass

import msgspec

TAIL_BYTES = 1024 * 1024
QUIET_SECONDS = 2.0
"""Ten times the longest lag that was measured."""


class State(enum.Enum):
    """What a look at the file tells."""

    MISSING = enum.auto()
    OPEN = enum.auto()
    COMPLETE = enum.auto()


class _Data(msgspec.Struct, rename="camel", gc=False):
    hook_type: str = ""
    parent_tool_call_id: str | None = None
    tool_requests: list[msgspec.Raw] | None = None


class _Event(msgspec.Struct, rename="camel", gc=False):
    type: str
    data: _Data = msgspec.field(default_factory=_Data)
    timestamp: str = ""
    agent_id: str | None = None


_EVENT = msgspec.json.Decoder(_Event)
_STOP_HOOKS = frozenset(("agentStop", "Stop"))


@dataclass(slots=True)
class Tail:
    """What the last events say: the main agent has nothing more to say, and it is late enough."""

    is_settled: bool = False
    is_after_stop: bool = False
    stop_ended: bool = False

    def take(self, event: _Event, stopped_at: float) -> None:
        """Take in the next event."""
        self.is_after_stop = _seconds(event.timestamp) >= stopped_at
        if event.type == "hook.end" and event.data.hook_type in _STOP_HOOKS:
            self.stop_ended = self.stop_ended or self.is_after_stop
        if event.agent_id or event.data.parent_tool_call_id:
            return
        match event.type:
            case "assistant.turn_end" | "abort" | "session.shutdown":
                self.is_settled = True
            case "assistant.message":
                self.is_settled = not event.data.tool_requests
            case "user.message" | "assistant.turn_start":
                self.is_settled = False
            case _:
                return


def read_tail(path: str, stopped_at: float) -> Tail:
    """The state at the end of the file; raises `OSError` if it can't be read.

    `stopped_at`: when the Stop hook was called, seconds since 1970.
    """
    tail = Tail()
    with open(path, "rb") as file:  # noqa: PTH123
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL_BYTES))
        lines = file.read(TAIL_BYTES).split(b"\n")
    # The last piece has no line end yet; the first may be a part of a line.
    for line in lines[1 if size > TAIL_BYTES else 0 : -1]:
        try:
            event = _EVENT.decode(line)
        except (msgspec.DecodeError, ValueError, RecursionError):
            continue
        # Milliseconds are all that an event tells.
        tail.take(event, int(stopped_at * 1000) / 1000)
    return tail


class Watch:
    """Looks at one transcript again and again."""

    def __init__(self, path: str, stopped_at: float) -> None:
        self.path = path
        self.tail = Tail()
        self._stopped_at = stopped_at
        self._seen: tuple[int, int] | None = None
        self._changed_at = 0.0

    def look(self, monotonic: float) -> State:
        """The state now; `monotonic` tells how long the file has been quiet."""
        try:
            status = os.stat(self.path)  # noqa: PTH116
            seen = status.st_size, status.st_mtime_ns
            if seen != self._seen:
                self._seen, self._changed_at = seen, monotonic
                self.tail = read_tail(self.path, self._stopped_at)
        except OSError:
            return State.MISSING
        tail = self.tail
        is_quiet = monotonic - self._changed_at >= QUIET_SECONDS
        if tail.stop_ended or (tail.is_settled and (tail.is_after_stop or is_quiet)):
            return State.COMPLETE
        return State.OPEN


def _seconds(timestamp: str) -> float:
    try:
        return dt.datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return 0.0
