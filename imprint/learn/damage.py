"""What can be wrong with a line; one bad line costs one line, never the file."""

from collections import Counter
from enum import StrEnum

import msgspec


class DamageKind(StrEnum):
    """Kinds of damage seen in people's transcripts."""

    NUL_BYTES = "nul-bytes"
    CUT_LINE = "cut-line"
    GLUED_LINES = "glued-lines"
    RAW_NEWLINE = "raw-newline"
    UNEXPECTED_SHAPE = "unexpected-shape"
    LINE_TOO_LONG = "line-too-long"
    NOT_AN_EVENT = "not-an-event"


KNOWN_UNKNOWN = 32
"""So many different unknown event types are counted by name, the rest together."""

OTHER_TYPES = "(others)"


class Damage(msgspec.Struct):
    """Counts of lines by kind, and of events by unknown type."""

    lines: dict[str, int] = {}
    unknown: dict[str, int] = {}

    def count(self, kind: DamageKind, number: int = 1) -> None:
        """Count damaged lines."""
        total = self.lines.get(kind, 0) + number
        self.lines[str(kind)] = total
        if not total:
            del self.lines[kind]

    def count_unknown(self, event_type: str) -> None:
        """Count an event whose type nobody here knows."""
        name = event_type[:64]
        if name not in self.unknown and len(self.unknown) >= KNOWN_UNKNOWN:
            name = OTHER_TYPES
        self.unknown[name] = self.unknown.get(name, 0) + 1

    @property
    def bad_lines(self) -> int:
        """How many lines were damaged."""
        return sum(self.lines.values())

    def copy(self) -> "Damage":
        """The same counts, to be counted on independently."""
        return Damage(dict(self.lines), dict(self.unknown))

    def plus(self, other: "Damage") -> "Damage":
        """The sum of both."""
        return Damage(
            dict(Counter(self.lines) + Counter(other.lines)),
            dict(Counter(self.unknown) + Counter(other.unknown)),
        )
