"""Where a member goes between its neighbours, and what goes when it is taken out again.

`remove` is the inverse of `insert`: whatever one puts around a member, the other takes away.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from imprint.edit.jsonparse import Member, Node
from imprint.edit.jsonstyle import (
    NEWLINE,
    WHITE,
    Style,
    colon_of,
    is_compact,
    line_indent,
    line_start,
    newline_in,
    unit_of,
)

_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_SAME_LINE_COMMENT = re.compile(r"[ \t]*(?:(//[^\r\n]*)|/\*.*?\*/)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Replacement:
    """`text[start:end]` becomes `text`; offsets are in characters of the original."""

    start: int
    end: int
    text: str


def whole_document(text: str, value: object) -> Replacement:
    """A document in place of blank text, with its kind of newline, two spaces, a final newline."""
    newline = newline_in(text) or "\n"
    return Replacement(0, len(text), Style(newline, "", "  ", ": ").dump(value) + newline)


def replace(text: str, chain: Sequence[Node], member: Member, value: object) -> Replacement:
    """Another value for a member: on one line if the old one was, else over several."""
    old = member.node
    before_key = text[line_start(text, member.key_start) : member.key_start]
    newline = newline_in(text[old.start : old.end])
    if newline is None and not is_compact(text, old) and not before_key.strip(WHITE):
        # A scalar or an empty object on a line of its own: room for several.
        newline = newline_in(text[chain[0].start : chain[0].end])
    indent = line_indent(text, member.key_start)
    style = Style(newline, indent, unit_of(text, (*chain, old)), colon_of(text, member))
    return Replacement(old.start, old.end, style.dump(value))


def insert(text: str, chain: Sequence[Node], key: str, value: object) -> tuple[Replacement, ...]:
    """A new member at the end of the innermost object of `chain` (root first)."""
    node = chain[-1]
    if node.members:
        return _insert_behind_member(text, chain, key, value)
    if text[node.start + 1 : node.end - 1].strip(WHITE):
        return _insert_behind_comment(text, chain, key, value)
    return _insert_into_empty(text, chain, key, value)


def _insert_behind_member(
    text: str, chain: Sequence[Node], key: str, value: object
) -> tuple[Replacement, ...]:
    """The comma goes to the last value; the member behind the comments on that line."""
    last = chain[-1].members[-1]
    behind = last.node.end if last.comma is None else last.comma + 1
    at, is_line_comment = _skip_comments(text, behind)
    gap = text[_gap_start(chain[-1], -1) : last.key_start]
    newline, indent = newline_in(gap), line_indent(text, last.key_start)
    unit, colon = unit_of(text, chain), colon_of(text, last)
    if newline is None and is_line_comment:
        newline, indent = newline_in(text[at:]), indent + unit
    if newline is not None:
        lead = newline + indent
    elif len(chain[-1].members) > 1 and not gap.strip(WHITE):
        lead = gap
    else:
        lead = " " if colon.endswith(" ") else ""
    inner = None if is_compact(text, last.node) else newline
    entry = lead + Style(inner, indent, unit, colon).member(key, value)
    if last.comma is not None:
        return (Replacement(at, at, entry + ","),)
    if is_line_comment:
        return (Replacement(behind, behind, ","), Replacement(at, at, entry))
    return (Replacement(at, at, "," + entry),)


def _insert_behind_comment(
    text: str, chain: Sequence[Node], key: str, value: object
) -> tuple[Replacement, ...]:
    """Into an object that holds nothing but comments: behind the last of them."""
    node = chain[-1]
    style = _style_in_empty(text, chain)
    *_, comment = _COMMENT.finditer(text, node.start + 1, node.end - 1)
    lead = " " if style.newline is None else style.newline + style.indent
    return (Replacement(comment.end(), comment.end(), lead + style.member(key, value)),)


def _insert_into_empty(
    text: str, chain: Sequence[Node], key: str, value: object
) -> tuple[Replacement, ...]:
    node = chain[-1]
    start, close = node.start + 1, node.end - 1
    inside = text[start:close]
    style = _style_in_empty(text, chain)
    member = style.member(key, value)
    if style.newline is None:
        return (Replacement(start, start, inside + member),)
    body = style.newline + style.indent + member
    if newline_in(inside):
        # One empty line more than needed: by it `remove` tells this from a plain `{}`.
        return (Replacement(start, start, body + style.newline),)
    ending = style.newline + line_indent(text, node.start)
    if not inside:
        return (Replacement(start, start, body + ending),)
    return (Replacement(start, start, body), Replacement(close, close, ending))


def _style_in_empty(text: str, chain: Sequence[Node]) -> Style:
    """Over several lines when the document is, or when it is empty altogether."""
    node, root = chain[-1], chain[0]
    newline = newline_in(text[node.start : node.end]) or newline_in(text[root.start : root.end])
    if newline is None and node is root:
        newline = newline_in(text) or "\n"
    unit = unit_of(text, chain)
    colons = (colon_of(text, outer.members[-1]) for outer in reversed(chain) if outer.members)
    return Style(newline, line_indent(text, node.start) + unit, unit, next(colons, ": "))


def remove(text: str, node: Node, member: Member) -> tuple[Replacement, ...]:
    """Take one member out, with the comma that separates it and the white space before it."""
    index = node.members.index(member)
    is_last = index == len(node.members) - 1
    end = member.node.end
    cuts = [(_lead_start(text, node, index), end)]
    if member.comma is not None:
        cuts.append((member.comma, member.comma + 1))
    if is_last and index and member.comma is None:
        before = node.members[index - 1].comma
        cuts += [] if before is None else [(before, before + 1)]
    elif is_last and not index and member.comma is None:
        cuts += _ending_of_only(text, node, member)
    elif not is_last and newline_in(text[cuts[0][0] : member.key_start]) is None:
        # On one line with its neighbours: the space behind the comma goes, not the one before.
        cuts[0] = (member.key_start, end)
        cuts[1] = (cuts[1][0], _skip_blanks(text, cuts[1][1]))
    return tuple(Replacement(start, stop, "") for start, stop in _merged(cuts))


def _lead_start(text: str, node: Node, index: int) -> int:
    """Where the white space before a member's name begins, as far as it may go."""
    member = node.members[index]
    gap = text[_gap_start(node, index) : member.key_start]
    start = member.key_start - (len(gap) - len(gap.rstrip(WHITE)))
    comments = _COMMENT.findall(gap)
    end = member.node.end
    behind = end + 1 if member.comma == end else end
    if comments and comments[-1].startswith("//") and text[behind] not in "\r\n":
        # Without a newline the comment before would swallow what comes behind.
        return member.key_start
    return start


def _ending_of_only(text: str, node: Node, member: Member) -> list[tuple[int, int]]:
    """The newline behind the only member that `_insert_into_empty` put there."""
    start, close = member.node.end, node.end - 1
    lead = text[node.start + 1 : member.key_start]
    if (lead + text[start:close]).strip(WHITE) or newline_in(lead) is None:
        return []
    newlines = list(NEWLINE.finditer(text, start, close))
    match len(newlines):
        case 0:
            return []
        case 1:
            return [(newlines[0].start(), close)]
        case _:
            return [newlines[0].span()]


def _gap_start(node: Node, index: int) -> int:
    """The end of the comma or brace before a member."""
    at = index % len(node.members)
    comma = node.members[at - 1].comma if at else node.start
    return (node.start if comma is None else comma) + 1


def _skip_comments(text: str, at: int) -> tuple[int, bool]:
    """The end of the comments that follow on the same line, and whether the last is a `//`."""
    is_line_comment = False
    while found := _SAME_LINE_COMMENT.match(text, at):
        at = found.end()
        is_line_comment = found.group(1) is not None
    return at, is_line_comment


def _skip_blanks(text: str, at: int) -> int:
    while text[at] in " \t":
        at += 1
    return at


def _merged(cuts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """In order, those that touch made one."""
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(cuts):
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], stop)
        else:
            merged.append((start, stop))
    return merged
