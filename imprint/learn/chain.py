"""The chain of events: each names the event before it (`parentId`).

Measured on real sessions of 1.0.20 to 1.0.102: without a break, `parentId` is the id of the line
before. Copilot undoes turns by cutting its transcript (`session.snapshot_rewind` is ephemeral on
every release), which keeps the chain whole; somebody who trims a file breaks it.
"""

import functools
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from imprint.learn.reader import LONGEST_LINE


class _Link(msgspec.Struct, rename="camel", gc=False):
    id: str
    parent_id: str | None = None
    agent_id: str | None = None


_LINK = msgspec.json.Decoder(_Link)


def is_unbroken(file: BinaryIO) -> bool:
    """Whether every event but the first follows one that is there.

    Events of subagents may follow one that is gone: they are kept when the turn that they ran
    beside is undone.
    """
    seen: set[str] = set()
    for line in _lines(file):
        if not line.endswith(b"\n"):
            return bool(seen) and b"\0" not in line  # being written, or destroyed by a crash
        try:
            link = _LINK.decode(line)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return False
        if seen and not link.agent_id and link.parent_id not in seen:
            return False
        seen.add(link.id)
    return bool(seen)


def find_event(file: BinaryIO, event_id: str) -> int | None:
    """The offset of the line of an event; None if it is not in the file."""
    needle = msgspec.json.encode(event_id)
    offset = 0
    for line in _lines(file):
        if needle in line and _is(line, event_id):
            return offset
        offset += len(line)
    return None


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines; one that is too long comes in pieces, which are no events."""
    file.seek(0)
    return iter(functools.partial(file.readline, LONGEST_LINE), b"")


def _is(line: bytes, event_id: str) -> bool:
    try:
        return _LINK.decode(line).id == event_id
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
