"""A managed block of lines in a user's text file.

Marker lines are found by their whole text, white space around it ignored; lines end with LF,
CRLF or CR. A block is a begin line, its body, and the next end line with no begin line between.
A marker line without its partner is *half* a block.

What happens to what the user did:
- text around the block is never touched; the block takes the newline of the text;
- the block twice: the first is kept up to date, the others are taken out;
- one marker lost: the left-over marker line goes, and with it only those neighbouring lines that
  are word for word the lines of a body that Imprint wrote; everything else stays, as user's text;
- a body that the user edited: with `known` bodies given (what Imprint wrote there), lines that are
  in none of them are the user's: they stay, below the block or, without it, in its place. With
  `known` None the whole body counts as Imprint's.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_NEWLINE = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Markers:
    """The two lines around the block, without newlines."""

    begin: str
    end: str


class BlockState(StrEnum):
    """What a text holds; HALF wins over the others."""

    NONE = "none"
    ONE = "one"
    SEVERAL = "several"
    HALF = "half"


@dataclass(frozen=True, slots=True)
class Block:
    """`text[start:end]` is a block from its begin marker to before the end line's newline.

    `body` are the lines between, joined with LF, without a final newline.
    """

    start: int
    end: int
    body: str


@dataclass(frozen=True, slots=True)
class Found:
    """All blocks of a text in order, and the offsets of marker lines that have no partner."""

    blocks: tuple[Block, ...]
    stray: tuple[int, ...]

    @property
    def state(self) -> BlockState:
        """In one word."""
        if self.stray:
            return BlockState.HALF
        match len(self.blocks):
            case 0:
                return BlockState.NONE
            case 1:
                return BlockState.ONE
            case _:
                return BlockState.SEVERAL


def find_blocks(text: str, markers: Markers) -> Found:
    """Where the blocks are."""
    lines = _split(text)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    pairs, stray = _pair(lines, markers)
    blocks = tuple(
        Block(
            offsets[first],
            offsets[last] + len(_bare(lines[last])),
            "\n".join(map(_bare, lines[first + 1 : last])),
        )
        for first, last in pairs
    )
    return Found(blocks, tuple(offsets[index] for index in stray))


def set_block(
    text: str, markers: Markers, body: str, *, known: Collection[str] | None = None
) -> str:
    """The text with exactly one block, holding `body` (LF between lines, no final newline needed).

    In place where there is one (whole, else half), else at the end behind an empty line.
    """
    wanted = [markers.begin, *_body_lines(body, markers), markers.end]
    lines = _split(text)
    pairs, stray = _pair(lines, markers)
    if not pairs and not stray:
        return _append(text, wanted)
    first = pairs[0] if pairs else (stray[0], stray[0])
    ours = [body] if known is None else [body, *known]
    for start, stop, kept in reversed(_regions(lines, markers, ours, keep=known is not None)):
        if start <= first[0] < stop:
            _put(lines, start, stop, wanted, kept)
        else:
            _cut(lines, start, stop, kept)
    return "".join(lines)


def remove_block(text: str, markers: Markers, *, known: Collection[str] | None = None) -> str:
    """The text without any block; right after a `set_block` that inserted, the original."""
    lines = _split(text)
    ours = [] if known is None else list(known)
    for start, stop, kept in reversed(_regions(lines, markers, ours, keep=known is not None)):
        _cut(lines, start, stop, kept)
    return "".join(lines)


def _split(text: str) -> list[str]:
    """Lines with their newlines; str.splitlines would also split at form feeds and others."""
    return [found.group() for found in _LINE.finditer(text) if found.group()]


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _body_lines(body: str, markers: Markers) -> list[str]:
    lines = [_bare(line) for line in _split(body)]
    if {line.strip() for line in lines} & {markers.begin.strip(), markers.end.strip()}:
        raise ValueError("the body of a block holds one of its markers")
    return lines


def _pair(lines: Sequence[str], markers: Markers) -> tuple[list[tuple[int, int]], list[int]]:
    """Line numbers (begin, end) of whole blocks, and of marker lines without a partner."""
    begin, end = markers.begin.strip(), markers.end.strip()
    pairs: list[tuple[int, int]] = []
    stray: list[int] = []
    opened: int | None = None
    for index, line in enumerate(lines):
        if line.strip() == begin:
            stray += [] if opened is None else [opened]
            opened = index
        elif line.strip() == end:
            if opened is None:
                stray.append(index)
            else:
                pairs.append((opened, index))
            opened = None
    stray += [] if opened is None else [opened]
    return pairs, sorted(stray)


def _regions(
    lines: Sequence[str], markers: Markers, ours: Sequence[str], *, keep: bool
) -> list[tuple[int, int, list[str]]]:
    """Line ranges that hold what is Imprint's, in order, with the user's lines within."""
    pairs, stray = _pair(lines, markers)
    bodies = [[_bare(line) for line in _split(body)] for body in ours]
    regions = [(*_half(lines, index, markers, bodies), list[str]()) for index in stray]
    for first, last in pairs:
        inside = lines[first + 1 : last]
        kept = _users_lines(inside, {line for body in bodies for line in body}) if keep else []
        regions.append((first, last + 1, kept))
    return sorted(regions)


def _half(
    lines: Sequence[str], index: int, markers: Markers, bodies: Sequence[Sequence[str]]
) -> tuple[int, int]:
    """A lone marker line with the neighbouring lines that are the beginning or end of a body."""
    if lines[index].strip() == markers.begin.strip():
        below = [_bare(line) for line in lines[index + 1 :]]
        return index, index + 1 + max((_equal(body, below) for body in bodies), default=0)
    above = [_bare(line) for line in reversed(lines[:index])]
    backward = [list(reversed(body)) for body in bodies]
    return index - max((_equal(body, above) for body in backward), default=0), index + 1


def _equal(body: Sequence[str], lines: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    pairs = zip(body, lines, strict=False)
    return next(
        (count for count, (left, right) in enumerate(pairs) if left != right),
        min(len(body), len(lines)),
    )


def _users_lines(inside: Sequence[str], ours: Collection[str]) -> list[str]:
    """What isn't ours, with the empty lines between."""
    kept = [line for line in inside if not line.strip() or _bare(line) not in ours]
    while kept and not kept[0].strip():
        del kept[0]
    while kept and not kept[-1].strip():
        del kept[-1]
    return kept


def _append(text: str, wanted: Sequence[str]) -> str:
    """Behind an empty line; without a final newline where the text has none."""
    newlines = _NEWLINE.findall(text)
    newline: str = newlines[-1] if newlines else "\n"
    block = newline.join(wanted)
    if not text:
        return block + newline
    if text.endswith(("\n", "\r")):
        return text + newline + block + newline
    return text + newline * 2 + block


def _put(lines: list[str], start: int, stop: int, wanted: Sequence[str], kept: list[str]) -> None:
    """The block in place of a range, the user's lines below it."""
    found = _NEWLINE.search(lines[start]) or _NEWLINE.search("".join(lines))
    newline = found.group() if found else "\n"
    ending = lines[stop - 1][len(_bare(lines[stop - 1])) :]
    block = [line + newline for line in wanted]
    if _same_lines(lines[start:stop], wanted):
        return
    lines[start:stop] = _end_with([*block, *kept], ending)


def _same_lines(present: Sequence[str], wanted: Sequence[str]) -> bool:
    inside = [_bare(line) for line in present[1:-1]]
    return len(present) == len(wanted) and inside == list(wanted[1:-1])


def _cut(lines: list[str], start: int, stop: int, kept: list[str]) -> None:
    """Take a range out, with the empty line that `_append` put before it."""
    ending = lines[stop - 1][len(_bare(lines[stop - 1])) :]
    if kept:
        lines[start:stop] = _end_with(kept, ending)
        return
    is_at_end = stop == len(lines)
    is_blank_before = start > 0 and not _bare(lines[start - 1])
    if is_at_end and not ending and is_blank_before and start > 1:
        lines[start - 2 :] = [_bare(lines[start - 2])]
    elif is_blank_before and (is_at_end or not _bare(lines[stop])):
        del lines[start - 1 : stop]
    else:
        del lines[start:stop]


def _end_with(lines: list[str], ending: str) -> list[str]:
    return [*lines[:-1], _bare(lines[-1]) + ending]
