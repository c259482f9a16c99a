"""A large transcript is read by a process of its own, while this one writes what it says.

A thread would not do: reading and writing are both Python's work. The process is a fork, hence
there at once, and ends with the file or with whoever asked for it.
"""

import contextlib
import gc
import os
import pickle
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from imprint.learn.damage import Damage
from imprint.learn.events import Event, SnapshotRewind, ToolStart
from imprint.learn.reader import BUFFER, TranscriptReader
from imprint.learn.tools import Started, started_work

AHEAD_BYTES = 16 * 1024 * 1024
"""Less is read in a moment anyway."""
ITEMS = 128
ITEM_BYTES = 256 * 1024
"""How many events, or bytes of their lines, are sent together."""
PIPE_BYTES = 1024 * 1024
"""How far ahead reading may be."""

Read = tuple[int, str, Event | Started]
"""Byte offset of the line, the event's id, the event; of a tool call what it does alone."""

_Sent = tuple[int, str, Event | Started, int]
"""The same, and how many events came before it."""


class NotAheadError(Exception):
    """Reading ahead does not do for this file; nothing speaks against reading it without."""


class _End(NamedTuple):
    offset: int
    events: int
    damage: Damage
    oldest_open_tool: tuple[int, int] | None


def is_worth_it(size: int) -> bool:
    """Whether so many bytes are better read ahead, and can be.

    On Linux alone: elsewhere a fork is not safe, or there is none. Other threads would leave their
    locks behind in it.
    """
    return (
        size >= AHEAD_BYTES
        and sys.platform == "linux"
        and len(os.sched_getaffinity(0)) > 1
        and threading.active_count() == 1
    )


class ReadAhead:
    """Does what `TranscriptReader` does, but for two things.

    Calls that come again word for word are always passed over; who cannot take that has to raise
    `NotAheadError`. And `offset`, `events`, `damage` and `oldest_open_tool` are known at the end.
    """

    def __init__(self, path: Path, file: BinaryIO, *, offset: int, events: int) -> None:
        """`file` is the one that `path` has to lead to still."""
        self.offset = offset
        self.events = events
        self.before = events
        self.damage = Damage()
        self.oldest_open_tool: tuple[int, int] | None = None
        self._path = path
        self._status = os.fstat(file.fileno())

    def read(self) -> Generator[Read, None, None]:
        """All events of interest, in order; close it, or the process stays.

        Raises `OSError` if the file cannot be read; `NotAheadError` if it is another one by now, or
        the process could not be started, or was ended.
        """
        process, pipe = self._fork()
        try:
            with pipe:
                while not isinstance(message := _receive(pipe), _End):
                    for start, event_id, event, self.before in message:
                        yield start, event_id, event
            self.offset, self.events, self.damage, self.oldest_open_tool = message
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)

    def skip_repeats(self, event: ToolStart) -> None:
        """Nothing to do: it is done."""

    def forget_repeats(self) -> None:
        """Nothing to do: it is done where an event makes it necessary."""

    def _fork(self) -> tuple[int, BinaryIO]:
        with contextlib.ExitStack() as undo:
            try:
                receiving, sending = os.pipe()
                undo.callback(os.close, receiving)
                undo.callback(os.close, sending)
                _widen(sending)
                process = os.fork()
            except OSError as error:  # too many processes, or files
                raise NotAheadError from error
            undo.pop_all()
        if process:
            os.close(sending)
            return process, os.fdopen(receiving, "rb")
        try:
            os.close(receiving)
            with os.fdopen(sending, "wb") as pipe:
                self._serve(pipe)
        finally:
            os._exit(0)  # whatever it was: nothing of the parent's is cleaned up here

    def _serve(self, pipe: BinaryIO) -> None:
        gc.freeze()  # else collecting would touch, and so copy, all that the parent has
        try:
            with self._path.open("rb", buffering=BUFFER) as file:
                if not os.path.samestat(os.fstat(file.fileno()), self._status):
                    return
                reader = TranscriptReader(file, offset=self.offset, events=self.events)
                for items in _bundles(reader):
                    _send(pipe, items)
        except OSError as error:
            _send(pipe, error)
        else:
            place = reader.offset, reader.events
            _send(pipe, _End(*place, reader.damage, reader.oldest_open_tool))


def _bundles(reader: TranscriptReader) -> Iterator[list[_Sent]]:
    """What is sent together; at first less, because the first event may end it all."""
    items: list[_Sent] = []
    length, most = 0, 1
    for start, event_id, event in reader.read():
        said: Event | Started = event
        if isinstance(event, ToolStart):
            reader.skip_repeats(event)
            works = started_work(event)
            if not works:
                continue
            said = Started(event.time, works)
        elif isinstance(event, SnapshotRewind):
            reader.forget_repeats()
        items.append((start, event_id, said, reader.before))
        # Of a damaged line the length is not known yet.
        length += reader.offset - start or ITEM_BYTES
        if len(items) >= most or length >= ITEM_BYTES:
            yield items
            items, length, most = [], 0, min(2 * most, ITEMS)
    yield items


def _send(pipe: BinaryIO, message: object) -> None:
    pickle.dump(message, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _receive(pipe: BinaryIO) -> list[_Sent] | _End:
    try:
        message: list[_Sent] | _End | OSError = pickle.load(pipe)  # what our own process sent
    except (EOFError, pickle.UnpicklingError) as error:
        raise NotAheadError from error
    if isinstance(message, OSError):
        raise message
    return message


def _widen(pipe: int) -> None:
    if sys.platform == "linux":
        import fcntl  # there is none on Windows

        with contextlib.suppress(OSError):  # the system allows less
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
