"""Streams the events of a transcript: bounded memory, any damage, and fast where nothing is wrong.

Most bytes of a transcript are events of which nothing is learned, so the head of a line decides
whether it is decoded at all. Lines end at 0x0A only. The last line waits until it is complete.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from imprint.learn.damage import Damage, DamageKind
from imprint.learn.event_types import SKIPPED
from imprint.learn.events import DECODED, Decoded, Event, ToolComplete, ToolFailed, ToolStart
from imprint.learn.salvage import BLANK, Salvage
from imprint.learn.tools import is_command

BUFFER = 64 * 1024
"""How much is read at a time; more does not fit the processor's cache."""
PIECE = 1024 * 1024
"""How much of a line is read before its length is looked at."""
LONGEST_LINE = 64 * 1024 * 1024
HEAD_BYTES = 2048
"""Where the decision falls, in a line too."""
OPEN_TOOLS = 256

_HEAD = b'{"type":"'
_TYPE = len(_HEAD)
_BRACE = ord("}")
_COMPLETE_TYPE = b"tool.execution_complete"
_COMPLETE = b'{"type":"tool.execution_complete","data":{"toolCallId":"'
_EXIT_CODE = re.compile(rb'(?:"exitCode":|exit code )(-?\d+)')
# Seven of eight answers are tool requests without words: as Copilot writes them, the head tells.
_ANSWER_TYPE = b"assistant.message"
_SILENT = re.compile(
    rb'\{"type":"assistant\.message","data":\{'
    rb'(?:"(?:messageId|originatingMessageId|model|providerId)":"[^"\\]*",)*"content":"",'
)

_PASSED = frozenset(name.encode() for name in SKIPPED)
_DECODERS: dict[bytes, msgspec.json.Decoder[Decoded]] = {
    name.encode(): msgspec.json.Decoder(wanted) for name, wanted in DECODED.items()
}

Read = tuple[int, str, Event]
"""Byte offset of the line, the event's id, the event."""


class TranscriptReader:
    """Reads a transcript from `offset`, which must be the start of a line.

    Afterwards, and whenever an event was handed out: `offset` is the start of the first line that
    was not read, `events` the number of whole events before it, `line` where the line of the last
    event began, `before` how many events came before it.
    """

    def __init__(self, file: BinaryIO, *, offset: int = 0, events: int = 0) -> None:
        self.offset = offset
        self.events = events
        self.before = events
        self.damage = Damage()
        self._file = file
        self._salvage = Salvage(self.damage)
        self._salvaged_to = -1
        self._open: dict[bytes, tuple[int, int, ToolStart, bool]] = {}

    @property
    def oldest_open_tool(self) -> tuple[int, int] | None:
        """The offset of the first tool call without an end, and the events before it."""
        return min(((offset, before) for offset, before, *_ in self._open.values()), default=None)

    def read(self) -> Iterator[Read]:
        """All events of interest, in order."""
        block, begin, events = b"", self.offset, self.events
        while True:
            self._file.seek(begin + len(block))  # whoever was handed an event may have moved it
            more = self._file.read(max(BUFFER, len(block)))
            block += more
            place = 0
            find, starts = block.find, block.startswith
            while (end := find(b"\n", place)) >= 0:
                if block[end - 1] == _BRACE and starts(_HEAD, place):
                    name = place + _TYPE
                    kind = block[name : find(b'"', name, end)]
                    if (
                        kind in _PASSED
                        or (kind == _COMPLETE_TYPE and self._succeeded(block, place, end))
                        or (kind == _ANSWER_TYPE and _is_silent(block, place, end))
                    ):
                        events += 1
                        place = end + 1
                        continue
                    decoder = _DECODERS.get(kind)
                    line = block[place : end + 1]
                    event = None if decoder is None else _decode(decoder, line)
                    if event is not None:
                        start, place = begin + place, end + 1
                        self.offset, self.events, self.before = begin + place, events + 1, events
                        events += 1
                        if (settled := self._settle(start, event, line)) is not None:
                            yield start, event.id or _line_id(line), settled
                        continue
                start = begin + place
                self.offset, self.events = start, events
                yield from self._slowly(block[place : end + 1], start)
                place, events = self.offset - begin, self.events
            block, begin = block[place:], begin + place
            if more and len(block) < PIECE:
                continue
            # A very long line, or the last one, which may not be complete yet.
            self.offset, self.events = begin, events
            self._file.seek(begin)
            if line := self._file.readline(PIECE):
                yield from self._slowly(line, begin)
            if self.offset == begin:
                return
            block, begin, events = b"", self.offset, self.events

    def _slowly(self, line: bytes, start: int) -> Iterator[Read]:
        """A line that is not plainly an event; moves `offset` past it if it is complete."""
        length = len(line)
        is_complete = line.endswith(b"\n")
        kept = self.damage.copy()
        if not is_complete:
            line, length, is_complete = self._gather(line)
        if not is_complete and not line.rstrip(BLANK).endswith(b"}"):
            return
        salvage, self.before = self._salvage, self.events
        salvage.events = 0
        follows = start == self._salvaged_to
        for body, event in salvage.take(line, follows=follows):
            if (settled := self._settle(start, event, body)) is not None:
                yield start, event.id or _line_id(body), settled
        if is_complete:
            self.offset, self.events = start + length, self.events + salvage.events
            self._salvaged_to = self.offset
        else:
            # It will be read again, and counted then.
            self.damage.lines, self.damage.unknown = kept.lines, kept.unknown

    def _gather(self, first: bytes) -> tuple[bytes, int, bool]:
        """The rest of a long line, its length, and whether its end was there.

        What is not going to be decoded, or is too long, is not kept.
        """
        head = first[:HEAD_BYTES]
        keep = not self._is_passed_over(head)
        pieces, length, kept = ([first] if keep else [head]), len(first), len(first)
        piece = first
        while len(piece) == PIECE and not piece.endswith(b"\n"):
            piece = self._file.readline(PIECE)
            length += len(piece)
            if keep and piece.strip(b"\0"):
                pieces.append(piece)
                kept += len(piece)
            if kept > LONGEST_LINE:
                pieces, kept, keep = [], 0, False
        is_complete = piece.endswith(b"\n")
        if keep:
            return b"".join(pieces), length, is_complete
        if is_complete and pieces:
            self.events += 1
        elif is_complete:
            self.damage.count(DamageKind.LINE_TOO_LONG)
        return b"", length, is_complete

    def _is_passed_over(self, head: bytes) -> bool:
        if not head.startswith(_HEAD):
            return False
        kind = head[_TYPE : head.find(b'"', _TYPE)]
        return kind in _PASSED or (kind == _COMPLETE_TYPE and self._succeeded(head, 0, len(head)))

    def _succeeded(self, block: bytes, start: int, end: int) -> bool:
        """Whether a tool call ended well, which its head tells; then nothing is decoded."""
        if not block.startswith(_COMPLETE, start):
            return False
        name = start + len(_COMPLETE)
        if block.find(b'"success":true', name, min(end, start + HEAD_BYTES)) < 0:
            return False
        call = block[name : block.find(b'"', name, end)]
        started = self._open.get(call)
        if started is not None:
            if started[3] and _exit_code(block, start, end):
                return False
            del self._open[call]
        return True

    def _settle(self, start: int, event: Decoded, line: bytes) -> Event | None:
        """What is handed out for a decoded event; tool calls are remembered until they end."""
        match event:
            case ToolStart():
                if call := event.data.tool_call_id.encode("utf-8", "replace"):
                    self._open[call] = start, self.before, event, is_command(event)
                if len(self._open) > OPEN_TOOLS:
                    del self._open[next(iter(self._open))]
                return event
            case ToolComplete():
                return self._settle_end(event, line)
            case _:
                return event

    def _settle_end(self, event: ToolComplete, line: bytes) -> ToolFailed | None:
        call = event.data.tool_call_id.encode("utf-8", "replace")
        *_, started, runs_command = self._open.pop(call, (0, 0, None, False))
        success = event.data.success
        if success is False or (success and runs_command and _exit_code(line, 0, len(line))):
            return ToolFailed(event, started)
        return None


def _decode(decoder: msgspec.json.Decoder[Decoded], line: bytes) -> Decoded | None:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None  # lone surrogates, bytes that are no UTF-8, another shape, no JSON


def _exit_code(block: bytes, start: int, end: int) -> int | None:
    """The exit code of a shell call: a field since 1.0.92, before that the last words."""
    place = block.find(b'"exitCode":', start + len(_COMPLETE), min(end, start + HEAD_BYTES))
    if place < 0:
        place = max(start, block.rfind(b"exit code ", start, end))
    match = _EXIT_CODE.match(block, place, end)
    return None if match is None else int(match[1])


def _is_silent(block: bytes, start: int, end: int) -> bool:
    silent = _SILENT.match(block, start, end)
    return silent is not None and block.find(b'"chunkCount"', start, end) < 0


def _line_id(line: bytes) -> str:
    """The id of an event that has none: its bytes, so that the same line is the same event."""
    return "line-" + hashlib.blake2b(line.strip(BLANK), digest_size=12).hexdigest()
