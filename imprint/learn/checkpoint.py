"""Where reading of a session stopped, and how to tell that the file is still the same one.

A checkpoint starts with a stamp of fixed length, so that ten thousand unchanged sessions are
compared without decoding anything.
"""

import hashlib
import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import BinaryIO

import msgspec

from imprint.learn.damage import Damage
from imprint.learn.report import Gap
from imprint.learn.store import Found

VERSION = 1
HEAD_BYTES = 4096
TAIL_BYTES = 512
GAPS = 8

_STAMP = struct.Struct("<BQQQ8s")


class Checkpoint(msgspec.Struct, array_like=True, frozen=True):
    """What is known of a session's transcript.

    `offset` is where reading goes on and `events` how many came before it; `head` and `tail`
    are digests of the first line and of what lies before `offset`; `base` is added to offsets
    to get ordinals (a rewritten file starts behind all that was read before).
    """

    path: str
    offset: int
    events: int
    head: bytes
    tail: bytes
    base: int = 0
    directories: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    started_at: str = ""
    ended_at: str = ""
    client_version: str = ""
    first_event: str = ""
    damage: Damage = msgspec.field(default_factory=Damage)
    gaps: tuple[Gap, ...] = ()


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Checkpoint)


def stamp(found: Found, policy: bytes) -> bytes:
    """What an unchanged file under an unchanged policy (`Policy.digest`) begins with."""
    return _STAMP.pack(VERSION, found.size, found.mtime_ns, found.inode, policy)


def unchanged(known: Mapping[str, bytes], policy: bytes) -> Callable[[str, os.stat_result], bool]:
    """Whether a session's file is the one that its checkpoint in `known` was made of.

    Asked for every session of every scan, hence in as few steps as possible.
    """
    pack, get = _STAMP.pack, known.get

    def is_unchanged(key: str, status: os.stat_result) -> bool:
        return get(key, b"").startswith(
            pack(VERSION, status.st_size, status.st_mtime_ns, status.st_ino, policy)
        )

    return is_unchanged


def encode(checkpoint: Checkpoint, mark: bytes) -> bytes:
    """The checkpoint behind its stamp."""
    return mark + _ENCODER.encode(checkpoint)


def decode(blob: bytes | None) -> Checkpoint | None:
    """A stored checkpoint; None where there is none, or another version wrote it."""
    if blob is None or len(blob) < _STAMP.size or blob[0] != VERSION:
        return None
    try:
        return _DECODER.decode(blob[_STAMP.size :])
    except msgspec.DecodeError:
        return None


def size_of(blob: bytes) -> int:
    """How long the file was."""
    return int(_STAMP.unpack_from(blob)[1])


def head_digest(file: BinaryIO) -> bytes:
    """A digest of the first line (of its first 4 kB); empty while the line is not complete."""
    file.seek(0)
    head = file.read(HEAD_BYTES)
    line, newline, _ = head.partition(b"\n")
    if not newline and len(head) < HEAD_BYTES:
        return b""
    return hashlib.blake2b(line, digest_size=8).digest()


def tail_digest(file: BinaryIO, offset: int) -> bytes:
    """A digest of the bytes before `offset`."""
    start = max(0, offset - TAIL_BYTES)
    file.seek(start)
    return hashlib.blake2b(file.read(offset - start), digest_size=8).digest()


class Continuity(Enum):
    """How a file relates to what was read before."""

    NEW = auto()
    GROWN = auto()
    REWRITTEN = auto()
    OTHER_FILE = auto()
    SHORTER_COPY = auto()


@dataclass(frozen=True, slots=True)
class Resumption:
    """Where to go on reading, and what that means for what is known."""

    continuity: Continuity
    offset: int = 0
    events: int = 0
    base: int = 0


def resume(file: BinaryIO, found: Found, known: Checkpoint | None, known_size: int) -> Resumption:
    """Where reading of `found` goes on.

    People trim transcripts, Copilot cuts what the user undid, tools copy them: a file goes on
    only if its first line and the bytes before the checkpoint are still there.
    """
    if known is None:
        return Resumption(Continuity.NEW)
    same_head = not known.head or head_digest(file) == known.head
    long_enough = found.size >= known.offset
    if same_head and long_enough and tail_digest(file, known.offset) == known.tail:
        return Resumption(Continuity.GROWN, known.offset, known.events, known.base)
    base = known.base + max(known_size, known.offset) + 1
    if found.name == known.path:
        kind = Continuity.REWRITTEN if same_head else Continuity.OTHER_FILE
        return Resumption(kind, base=base)
    if same_head and not long_enough:
        return Resumption(Continuity.SHORTER_COPY)
    return Resumption(Continuity.OTHER_FILE, base=base)
