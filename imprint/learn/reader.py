"""Streams the events of a transcript: bounded memory, any damage, and fast where nothing is wrong.

Most bytes of a transcript are events of which nothing is learned, so the head of a line decides
whether it is decoded at all. Lines end at 0x0A only. The last line waits until it is complete.
"""

import functools
import hashlib
import re
from collections.abc import Generator, Iterator
from typing import Any, BinaryIO

import msgspec

from imprint.learn.damage import Damage, DamageKind
from imprint.learn.event_types import SKIPPED
from imprint.learn.events import DECODED, Decoded, Event, ToolComplete, ToolFailed, ToolStart
from imprint.learn.salvage import BLANK, Salvage
from imprint.learn.tools import is_command

BUFFER = 256 * 1024
PIECE = 1024 * 1024
"""How much of a line is read before its length is looked at."""
LONGEST_LINE = 64 * 1024 * 1024
HEAD_BYTES = 2048
"""Where the decision falls, in a line too."""
OPEN_TOOLS = 256
REPEATS = 4096
REPEAT_BYTES = 2048
"""How many tool calls are known word for word, and how long each may be."""

HINT_BYTES = 36
"""What is looked up: enough for the types that are common, and mostly the same for all of one."""
HINTS = 512

_HEAD = b'{"type":"'
_TYPE = len(_HEAD)
_END = b"}\n"
_COMPLETE_HEAD = b'{"type":"tool.execution_complete","data":{"toolCallId":"'
_CALL = len(_COMPLETE_HEAD)
_START_HEAD = b'{"type":"tool.execution_start","data":{"toolCallId":"'
_START_CALL = len(_START_HEAD)
# What may follow the words of a call, and says nothing of what is done.
_START_TAIL = re.compile(
    rb'(?:,"(?:turnId|model)":"[ !#-\[\]-~]*")*(?:,"rte":(?:true|false))?'
    rb'\},"id":"[ !#-\[\]-~]*","timestamp":"[ !#-\[\]-~]*","parentId":(?:null|"[ !#-\[\]-~]*")\}\n'
)
_EXIT_CODE = re.compile(rb'(?:"exitCode":|exit code )(-?\d+)')
# Seven of eight answers are tool requests without words: as Copilot writes them, the head tells.
_SILENT = re.compile(
    rb'\{"type":"assistant\.message","data":\{'
    rb'(?:"(?:messageId|originatingMessageId|model|providerId)":"[^"\\]*",)*"content":"",'
)

_PASSED = frozenset(name.encode() for name in SKIPPED)
_DECODERS: dict[bytes, msgspec.json.Decoder[Decoded]] = {
    name.encode(): msgspec.json.Decoder(wanted) for name, wanted in DECODED.items()
}
_START = _DECODERS[b"tool.execution_start"]
_COMPLETE = _DECODERS[b"tool.execution_complete"]
_ANSWER = _DECODERS[b"assistant.message"]
_PASS: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
"""Stands for events that are not decoded."""


class _Decisions(dict[bytes, msgspec.json.Decoder[Any] | None]):
    """By the first `HINT_BYTES` of a line: what decodes it, or `_PASS`; None: look closely.

    There are few such beginnings, hence each is taken apart once.
    """

    def __missing__(self, hint: bytes) -> msgspec.json.Decoder[Any] | None:
        if len(self) >= HINTS:
            self.clear()
        head, quote, _ = hint[_TYPE:].partition(b'"')
        kind = head if quote and hint.startswith(_HEAD) else b""
        self[hint] = _PASS if kind in _PASSED else _DECODERS.get(kind)
        return self[hint]


_DECISIONS = _Decisions()

Read = tuple[int, str, Event]
"""Byte offset of the line, the event's id, the event."""

_OpenTool = tuple[int, int, bool, ToolStart | bytes]
"""Offset of the line, events before it, whether it runs a command; its event, or its line."""


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
        self._open: dict[bytes, _OpenTool] = {}
        self._repeats: dict[bytes, bool] = {}
        self._start_line = b""

    @property
    def oldest_open_tool(self) -> tuple[int, int] | None:
        """The offset of the first tool call without an end, and the events before it."""
        return min(((offset, before) for offset, before, *_ in self._open.values()), default=None)

    def read(self) -> Generator[Read, None, None]:
        """All events of interest, in order."""
        self._file.seek(self.offset)
        position, events = self.offset, self.events
        for line in iter(functools.partial(self._file.readline, PIECE), b""):
            start = position
            position += len(line)
            decoder = _DECISIONS[line[:HINT_BYTES]]
            if decoder is not None and line[-2:] == _END:
                if (
                    decoder is _PASS
                    or (decoder is _COMPLETE and self._succeeded(line))
                    or (decoder is _ANSWER and _is_silent(line))
                    or (decoder is _START and self._is_repeated(start, events, line))
                ):
                    events += 1
                    continue
                event = _decode(decoder, line)
                if event is not None:
                    self.offset, self.events, self.before = position, events + 1, events
                    events += 1
                    if type(event) is ToolStart:  # the commonest one by far
                        self._remember(start, event)
                        yield start, event.id or _line_id(line), event
                    elif (settled := self._settle(start, event, line)) is not None:
                        yield start, event.id or _line_id(line), settled
                    continue
            self.offset, self.events = start, events
            yield from self._slowly(line, start)
            position, events = self.offset, self.events
            if position == start:
                return  # the last line is not complete yet
        self.offset, self.events = position, events

    def skip_repeats(self, event: ToolStart) -> None:
        """The call handed out last need not be handed out again when it comes word for word.

        People and models open the same files and run the same commands again and again.
        """
        if words := _words_of_start(self._start_line):
            if len(self._repeats) >= REPEATS:
                self._repeats.clear()
            self._repeats[words] = is_command(event)

    def forget_repeats(self) -> None:
        """Hand out everything again."""
        self._repeats.clear()

    def _is_repeated(self, start: int, before: int, line: bytes) -> bool:
        """Whether this call need not be handed out; it is remembered until it ends all the same."""
        self._start_line = line
        if not self._repeats:
            return False
        runs_command = self._repeats.get(_words_of_start(line))
        if runs_command is None:
            return False
        call = line[_START_CALL : line.find(b'"', _START_CALL)]
        self._put(call, (start, before, runs_command, line))
        return True

    def _slowly(self, line: bytes, start: int) -> Iterator[Read]:
        """A line that is not plainly an event; moves `offset` past it if it is complete."""
        length = len(line)
        is_complete = line.endswith(b"\n")
        kept = self.damage.copy()
        if not is_complete:
            line, length, is_complete = self._gather(line)
        if not is_complete and not line.rstrip(BLANK).endswith(b"}"):
            return
        salvage, self.before, self._start_line = self._salvage, self.events, b""
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
        decoder = _DECISIONS[head[:HINT_BYTES]]
        return decoder is _PASS or (decoder is _COMPLETE and self._succeeded(head))

    def _succeeded(self, line: bytes) -> bool:
        """Whether a tool call ended well, which its head tells; then nothing is decoded."""
        if line[:_CALL] != _COMPLETE_HEAD or line.find(b'"success":true', _CALL, HEAD_BYTES) < 0:
            return False
        call = line[_CALL : line.find(b'"', _CALL)]
        started = self._open.get(call)
        if started is not None:
            if started[2] and _exit_code(line):
                return False
            del self._open[call]
        return True

    def _settle(self, start: int, event: Decoded, line: bytes) -> Event | None:
        """What is handed out for a decoded event; tool calls are remembered until they end."""
        match event:
            case ToolStart():
                self._remember(start, event)
                return event
            case ToolComplete():
                return self._settle_end(event, line)
            case _:
                return event

    def _remember(self, start: int, event: ToolStart) -> None:
        if call := event.data.tool_call_id.encode("utf-8", "replace"):
            self._put(call, (start, self.before, is_command(event), event))

    def _put(self, call: bytes, started: _OpenTool) -> None:
        calls = self._open
        calls[call] = started
        if len(calls) > OPEN_TOOLS:
            del calls[next(iter(calls))]

    def _settle_end(self, event: ToolComplete, line: bytes) -> ToolFailed | None:
        call = event.data.tool_call_id.encode("utf-8", "replace")
        started = self._open.pop(call, None)
        runs_command = started is not None and started[2]
        success = event.data.success
        if success is False or (success and runs_command and _exit_code(line)):
            return ToolFailed(event, None if started is None else _start_of(started[3]))
        return None


def _decode(decoder: msgspec.json.Decoder[Decoded], line: bytes) -> Decoded | None:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None  # lone surrogates, bytes that are no UTF-8, another shape, no JSON


def _words_of_start(line: bytes) -> bytes:
    """Tool and arguments of a call as Copilot writes them; empty where a line is not like that."""
    end = line.rfind(b',"turnId":"')
    if end < 0:
        end = line.rfind(b'},"id":"')
    begin = line.find(b'"', _START_CALL)
    if (
        not 0 < begin < end < REPEAT_BYTES
        or line[:_START_CALL] != _START_HEAD
        or b"\\" in line[_START_CALL:begin]
        or _START_TAIL.fullmatch(line, end) is None
    ):
        return b""
    return line[begin:end]


def _start_of(started: ToolStart | bytes) -> ToolStart | None:
    if isinstance(started, bytes):
        event = _decode(_START, started)
        return event if isinstance(event, ToolStart) else None
    return started


def _exit_code(line: bytes) -> int | None:
    """The exit code of a shell call: a field since 1.0.92, before that the last words."""
    place = line.find(b'"exitCode":', _CALL, HEAD_BYTES)
    match = _EXIT_CODE.match(line, place if place > 0 else max(0, line.rfind(b"exit code ")))
    return None if match is None else int(match[1])


def _is_silent(line: bytes) -> bool:
    return _SILENT.match(line) is not None and b'"chunkCount"' not in line


def _line_id(line: bytes) -> str:
    """The id of an event that has none: its bytes, so that the same line is the same event."""
    return "line-" + hashlib.blake2b(line.strip(BLANK), digest_size=12).hexdigest()
