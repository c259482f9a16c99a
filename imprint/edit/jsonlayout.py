"""How a member is laid out between its neighbours, and how it is taken out again."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from imprint.edit.jsonparse import Member, Node

_NEWLINE = re.compile(r"\r\n|\n|\r")
_WHITE = " \t\r\n"
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_SAME_LINE_COMMENT = re.compile(r"[ \t]*(?:(//[^\r\n]*)|/\*.*?\*/)", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Replacement:
    """`text[start:end]` becomes `text`; offsets are in characters of the original."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Style:
    """`newline` is None for a value on one line; `indent` is that of the line it begins on."""

    newline: str | None
    indent: str
    unit: str
    colon: str

    def dump(self, value: object) -> str:
        if self.newline is None:
            comma = ", " if self.colon.endswith(" ") else ","
            text = json.dumps(
                value, ensure_ascii=False, allow_nan=False, separators=(comma, self.colon)
            )
        else:
            text = json.dumps(
                value,
                ensure_ascii=False,
                allow_nan=False,
                indent=self.unit,
                separators=(",", self.colon),
            ).replace("\n", self.newline + self.indent)
        # Half of a surrogate pair is no character; JSON can say it only as an escape.
        return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)

    def member(self, key: str, value: object) -> str:
        return self.dump(key) + self.colon + self.dump(value)


def whole_document(text: str, value: object) -> Replacement:
    """A document in place of blank text, with its kind of newline, two spaces, a final newline."""
    newline = _newline_in(text) or "\n"
    style = _Style(newline, "", "  ", ": ")
    return Replacement(0, len(text), style.dump(value) + newline)


def replace(text: str, chain: Sequence[Node], member: Member, value: object) -> Replacement:
    """Another value for a member: on one line if the old one was, else over several."""
    old = text[member.node.start : member.node.end]
    previous_line = _line_start(text, member.key_start)
    alone = not text[previous_line : member.key_start].strip(_WHITE)
    has_content = member.node.kind != "scalar" and old[1:-1].strip(_WHITE)
    on_one_line = _newline_in(old) is None and (bool(has_content) or not alone)
    root = text[chain[0].start : chain[0].end]
    newline = _newline_in(old) or _newline_in(root)
    style = _Style(
        None if on_one_line else newline,
        _line_indent(text, member.key_start),
        _unit(text, (*chain, member.node)),
        _colon(text, member),
    )
    return Replacement(member.node.start, member.node.end, style.dump(value))


def insert(text: str, chain: Sequence[Node], key: str, value: object) -> tuple[Replacement, ...]:
    """A new member at the end of the innermost object of `chain`."""
    node = chain[-1]
    if node.members:
        return _insert_behind(text, chain, key, value)
    inside = text[node.start + 1 : node.end - 1]
    if inside.strip(_WHITE):
        return _insert_behind_comment(text, chain, key, value)
    style = _style_in_empty(text, chain)
    start, close = node.start + 1, node.end - 1
    if style.newline is None:
        return (Replacement(start, start, inside + style.member(key, value)),)
    body = style.newline + style.indent + style.member(key, value)
    if _newline_in(inside):
        # One empty line more than needed: so `remove` knows `{}` from a pair on two lines.
        return (Replacement(start, start, body + style.newline),)
    ending = style.newline + _line_indent(text, node.start)
    if start == close:
        return (Replacement(start, start, body + ending),)
    return (Replacement(start, start, body), Replacement(close, close, ending))


def _insert_behind_comment(
    text: str, chain: Sequence[Node], key: str, value: object
) -> tuple[Replacement, ...]:
    """Into an object that holds comments only: behind the last of them."""
    node = chain[-1]
    style = _style_in_empty(text, chain)
    comments = list(_COMMENT.finditer(text, node.start + 1, node.end - 1))
    at = comments[-1].end()
    lead = " " if style.newline is None else style.newline + style.indent
    return (Replacement(at, at, lead + style.member(key, value)),)


def _style_in_empty(text: str, chain: Sequence[Node]) -> _Style:
    node, root = chain[-1], chain[0]
    inside = text[node.start : node.end]
    newline = _newline_in(inside) or _newline_in(text[root.start : root.end])
    if newline is None and node is root:
        newline = _newline_in(text) or "\n"
    unit = _unit(text, chain)
    colon = next((_colon(text, outer.members[-1]) for outer in chain if outer.members), ": ")
    return _Style(newline, _line_indent(text, node.start) + unit, unit, colon)


def _insert_behind(
    text: str, chain: Sequence[Node], key: str, value: object
) -> tuple[Replacement, ...]:
    node = chain[-1]
    last = node.members[-1]
    behind = last.node.end if last.comma is None else last.comma + 1
    at, is_line_comment = _skip_comments(text, behind)
    gap = _gap(text, node)
    newline = _newline_in(gap)
    if newline is None and is_line_comment:
        newline = _newline_in(text[at:])
    indent = _line_indent(text, last.key_start)
    unit = _unit(text, chain)
    if _newline_in(gap) is None and is_line_comment:
        indent += unit
    neighbour = text[last.node.start : last.node.end]
    is_compact = (
        last.node.kind != "scalar" and not _newline_in(neighbour) and neighbour[1:-1].strip(_WHITE)
    )
    colon = _colon(text, last)
    style = _Style(None if is_compact else newline, indent, unit, colon)
    if newline is not None:
        lead = newline + indent
    elif len(node.members) > 1 and not gap.strip(_WHITE):
        lead = gap
    else:
        lead = " " if colon.endswith(" ") else ""
    entry = lead + style.member(key, value)
    if last.comma is not None:
        return (Replacement(at, at, entry + ","),)
    if is_line_comment:
        return (Replacement(behind, behind, ","), Replacement(at, at, entry))
    return (Replacement(at, at, "," + entry),)


def remove(text: str, node: Node, key: str) -> tuple[Replacement, ...]:
    """All members with this key, and the commas that go with them."""
    doomed = [index for index, member in enumerate(node.members) if member.key == key]
    if not doomed:
        return ()
    if len(doomed) > 1:
        # One at a time, from the last: each one's neighbours are then what they are in the text.
        raise NotImplementedError
    return _remove_one(text, node, doomed[0])


def _remove_one(text: str, node: Node, index: int) -> tuple[Replacement, ...]:
    raise NotImplementedError


def _gap(text: str, node: Node) -> str:
    """What is between the last member's name and the comma or brace before it."""
    before = node.members[-2].comma if len(node.members) > 1 else node.start
    return text[(node.start if before is None else before) + 1 : node.members[-1].key_start]


def _skip_comments(text: str, at: int) -> tuple[int, bool]:
    """The end of the comments that follow on the same line, and whether the last is a `//`."""
    is_line_comment = False
    while found := _SAME_LINE_COMMENT.match(text, at):
        at = found.end()
        is_line_comment = found.group(1) is not None
    return at, is_line_comment


def _newline_in(text: str) -> str | None:
    found = _NEWLINE.search(text)
    return found.group() if found else None


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_indent(text: str, offset: int) -> str:
    start = _line_start(text, offset)
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _colon(text: str, member: Member) -> str:
    between = text[member.key_end : member.node.start]
    return between if between.strip(" \t") == ":" else ": "


def _unit(text: str, chain: Sequence[Node]) -> str:
    """One step of indentation: from the innermost object that shows it, else two spaces."""
    for node in reversed(chain):
        for member in node.members[:1]:
            outer = _line_indent(text, node.start)
            inner = _line_indent(text, member.key_start)
            if _newline_in(text[node.start : member.key_start]) and inner.startswith(outer):
                return inner[len(outer) :]
    return "  "
