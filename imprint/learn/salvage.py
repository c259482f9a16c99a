"""Lines that are not plainly one whole event: what can still be read of them."""

import json
import re
from collections.abc import Iterator

import msgspec

from imprint.learn.damage import Damage, DamageKind
from imprint.learn.event_types import SKIPPED
from imprint.learn.events import DECODED, Decoded

BLANK = b"\0 \t\r\n"
BOM = b"\xef\xbb\xbf"
CONTINUED_LINES = 200
CONTINUED_BYTES = 4 * 1024 * 1024
"""How far a string with raw newlines in it is pursued."""
ATTEMPTS = 1000
ATTEMPTED_BYTES = 256 * 1024 * 1024
"""How many places in a damaged line are tried as the start of a whole event."""

_START = re.compile(r'\{"(?:type|id|data|timestamp|parentId|agentId)"\s*:')
_NULS = re.compile(rb"\0+")
_SCANNER = json.JSONDecoder(strict=False)

Found = tuple[bytes, Decoded]
"""The bytes of an event (they name it when it has no id), and the event."""


class _Head(msgspec.Struct):
    type: str


_HEAD = msgspec.json.Decoder(_Head)


class Salvage:
    """Takes what the reader cannot; counts into `damage`. `events` counts whole events."""

    def __init__(self, damage: Damage) -> None:
        self.events = 0
        self._damage = damage
        self._broken: list[bytes] = []

    def take(self, line: bytes, *, follows: bool) -> Iterator[Found]:
        """The events in a line; `follows` says that the line before came here too."""
        if not follows:
            self._broken.clear()
        body = line.strip(BLANK)
        if body.startswith(BOM):
            body = body[len(BOM) :].lstrip(BLANK)
        if b"\0" in line:
            self._damage.count(DamageKind.NUL_BYTES)
        for piece in filter(None, map(bytes.strip, _NULS.split(body))):
            yield from self._piece(piece)

    def _piece(self, piece: bytes) -> Iterator[Found]:
        if _type_of(piece) in SKIPPED:
            self.events += 1
            self._broken.clear()
            return
        value = _loads(piece)
        if isinstance(value, dict) and isinstance(value.get("type"), str):
            self._broken.clear()
            yield from self._event(piece, value)
        elif value is not None:
            self._damage.count(DamageKind.NOT_AN_EVENT)
        elif found := self._continued(piece):
            yield from found
        else:
            yield from self._pieces_of(piece)

    def _event(self, piece: bytes, value: dict[str, object]) -> Iterator[Found]:
        """A whole event: decode it if its type is of interest."""
        name = str(value["type"])
        self.events += 1
        wanted = DECODED.get(name)
        if wanted is None:
            if name not in SKIPPED:
                self._damage.count_unknown(name)
            return
        try:
            event = msgspec.convert(value, wanted)
        except msgspec.ValidationError:
            self._damage.count(DamageKind.UNEXPECTED_SHAPE)
        else:
            yield piece, event

    def _continued(self, piece: bytes) -> list[Found]:
        """The event that ends with this piece, if its string was broken by raw newlines."""
        if not self._broken:
            return []
        lines = len(self._broken)
        if lines >= CONTINUED_LINES or sum(map(len, self._broken)) > CONTINUED_BYTES:
            self._broken.clear()
            return []
        joined = b"\n".join([*self._broken, piece])
        value = _loads(joined) if piece.endswith(b"}") else None
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return []
        self._broken.clear()
        # They were counted as cut, one by one, before it was known what they are.
        self._damage.count(DamageKind.CUT_LINE, -lines)
        self._damage.count(DamageKind.RAW_NEWLINE)
        return list(self._event(joined, value))

    def _pieces_of(self, piece: bytes) -> Iterator[Found]:
        """Whole events inside a line that is not one: a cut event has no line end of its own."""
        found = list(_whole_events(piece))
        if not found:
            self._broken.append(piece)
            self._damage.count(DamageKind.CUT_LINE)
            return
        self._broken.clear()
        self._damage.count(DamageKind.GLUED_LINES)
        for part, value in found:
            yield from self._event(part, value)


def _type_of(piece: bytes) -> str:
    """The type of a plainly whole event, quickly; empty where it takes a closer look."""
    try:
        return _HEAD.decode(piece).type
    except (msgspec.DecodeError, ValueError, RecursionError):
        return ""


def _loads(piece: bytes) -> object:
    """The JSON value of the whole piece, whatever is in its strings; None if it is none."""
    if not piece.startswith(b"{") or not piece.endswith(b"}"):
        return None
    text = piece.decode("utf-8", "replace")
    try:
        return _plain(text, _SCANNER.decode(text))
    except (ValueError, RecursionError):
        return None


def _plain(text: str, value: object) -> object:
    """A value without lone surrogates, which no text on disk can hold."""
    if "\\ud" not in text and "\\uD" not in text:
        return value
    again = json.dumps(value, ensure_ascii=False)
    return _SCANNER.decode(valid_text(again))


def valid_text(text: str) -> str:
    """The text with the replacement character in place of every lone surrogate."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _whole_events(piece: bytes) -> Iterator[tuple[bytes, dict[str, object]]]:
    text = piece.decode("utf-8", "replace")
    # A failed attempt may have looked at everything up to the end.
    attempts = min(ATTEMPTS, max(1, ATTEMPTED_BYTES // len(piece)))
    end = 0
    for match in _START.finditer(text):
        if match.start() < end:
            continue  # inside an event that was found
        if not attempts:
            return
        attempts -= 1
        try:
            value, stop = _SCANNER.raw_decode(text, match.start())
            part = text[match.start() : stop]
            value = _plain(part, value)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and _is_event(value):
            end = stop
            yield part.encode("utf-8"), value


def _is_event(value: dict[str, object]) -> bool:
    """Whether an object found inside a damaged line is an event, not a part of one."""
    kind = value.get("type")
    is_known = isinstance(kind, str) and (kind in DECODED or kind in SKIPPED)
    return is_known and isinstance(value.get("data"), dict)
