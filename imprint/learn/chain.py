"""The chain of events: each names the event before it (`parentId`).

Measured on real sessions of 1.0.20 to 1.0.102: without a break, `parentId` is the id of the line
before. Copilot undoes turns by cutting its transcript (`session.snapshot_rewind` is ephemeral on
every release), which keeps the chain whole; somebody who trims a file breaks it.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import msgspec

from imprint.learn.events import RewindData
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


@dataclass(frozen=True, slots=True)
class Undone:
    """Events that the user took back: their ids, and where their lines begin."""

    ids: frozenset[str]
    offsets: frozenset[int]


def undone_events(file: BinaryIO, rewind: RewindData, until: int) -> Undone:
    """The events before `until` that a rewind takes back: those it lists, else all from one on."""
    listed = frozenset(rewind.event_ids or ())
    ids, offsets = set(listed), set()
    offset, is_undone = 0, False
    for line in _lines(file):
        if offset >= until:
            break
        if (number := _id_of(line)) is not None:
            is_undone = is_undone or (not listed and number == rewind.up_to_event_id)
            if is_undone or number in listed:
                ids.add(number)
                offsets.add(offset)
        offset += len(line)
    return Undone(frozenset(ids), frozenset(offsets))


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines; one that is too long comes in pieces, which are no events."""
    file.seek(0)
    return iter(functools.partial(file.readline, LONGEST_LINE), b"")


def _id_of(line: bytes) -> str | None:
    try:
        return _LINK.decode(line).id
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
