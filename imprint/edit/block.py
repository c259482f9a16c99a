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
from collections.abc import Collection
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


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    newline: str


def find_blocks(text: str, markers: Markers) -> Found:
    """Where the blocks are."""
    raise NotImplementedError


def set_block(
    text: str, markers: Markers, body: str, *, known: Collection[str] | None = None
) -> str:
    """The text with exactly one block, holding `body` (LF between lines, no final newline needed).

    In place where there is one (whole, else half), else at the end behind an empty line.
    """
    raise NotImplementedError


def remove_block(text: str, markers: Markers, *, known: Collection[str] | None = None) -> str:
    """The text without any block; right after a `set_block` that inserted, the original."""
    raise NotImplementedError
