"""How JSON in a text is written: newline, indentation, colons; and values in that style."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from imprint.edit.jsonparse import Member, Node

WHITE = " \t\r\n"
NEWLINE = re.compile(r"\r\n|\n|\r")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Style:
    """`newline` None: a value stays on one line. `indent` is that of the line it begins on,
    `unit` one step of indentation, `colon` includes the space around it.
    """

    newline: str | None
    indent: str
    unit: str
    colon: str

    def dump(self, value: object) -> str:
        """The value as JSON; non-ASCII stays readable."""
        newline = self.newline
        comma = "," if newline is not None or not self.colon.endswith(" ") else ", "
        text = json.dumps(
            value,
            ensure_ascii=False,
            allow_nan=False,
            indent=None if newline is None else self.unit,
            separators=(comma, self.colon),
        )
        if newline is not None:
            # Strings hold their newlines as escapes, so each one here is layout.
            text = text.replace("\n", newline + self.indent)
        # Half of a surrogate pair is no character; JSON can say it only as an escape.
        return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)

    def member(self, key: str, value: object) -> str:
        """`"key": value`."""
        return self.dump(key) + self.colon + self.dump(value)


def newline_in(text: str) -> str | None:
    """The first newline of a text."""
    found = NEWLINE.search(text)
    return found.group() if found else None


def line_indent(text: str, offset: int) -> str:
    """The white space that the line of this offset begins with."""
    line = text[line_start(text, offset) : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def line_start(text: str, offset: int) -> int:
    """The offset of the line's first character."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def colon_of(text: str, member: Member) -> str:
    """The colon of a member with its spaces; the usual one where it is something special."""
    between = text[member.key_end : member.node.start]
    return between if between.strip(" \t") == ":" else ": "


def unit_of(text: str, chain: Sequence[Node]) -> str:
    """One step of indentation: from the innermost object that shows it, else two spaces."""
    for node in reversed(chain):
        for member in node.members[:1]:
            outer = line_indent(text, node.start)
            inner = line_indent(text, member.key_start)
            if newline_in(text[node.start : member.key_start]) and inner.startswith(outer):
                return inner[len(outer) :]
    return "  "


def is_compact(text: str, node: Node) -> bool:
    """An object or array that has content, all on one line."""
    content = text[node.start + 1 : node.end - 1]
    return node.kind != "scalar" and bool(content.strip(WHITE)) and newline_in(content) is None
