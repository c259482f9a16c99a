"""Bytes of a user's text file to text and back, without losing one of them."""

import codecs
from dataclasses import dataclass

from imprint.edit.errors import EncodingError

_BOM = codecs.BOM_UTF8
# UTF-32 first: its little-endian mark begins with UTF-16's.
_FOREIGN = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_FIX = "save the file as UTF-8 in your editor, then run the command again"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's text with its newlines as they are; `bom` says that a UTF-8 mark came first."""

    text: str
    bom: bool

    def encode(self) -> bytes:
        """The bytes that `decode` was given, when the text is unchanged."""
        return (_BOM if self.bom else b"") + self.text.encode("utf-8")

    def with_text(self, text: str) -> "TextFile":
        """Other text in the same encoding."""
        return TextFile(text, self.bom)


def decode(data: bytes) -> TextFile:
    """The text of a UTF-8 file; EncodingError for everything else."""
    for mark, name in _FOREIGN:
        if data.startswith(mark):
            raise EncodingError(f"the file is {name}, not UTF-8", line=1, column=1, fix=_FIX)
    bom = data.startswith(_BOM)
    body = data[len(_BOM) :] if bom else data
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _invalid(body, error) from None
    if "\0" in text[:4]:
        # Text in UTF-16 without a mark is valid UTF-8 with a NUL beside each ASCII letter.
        raise EncodingError(
            "the file holds NUL bytes: UTF-16 without a mark, or no text",
            line=1,
            column=1,
            fix=_FIX,
        )
    return TextFile(text, bom)


def _invalid(body: bytes, error: UnicodeDecodeError) -> EncodingError:
    before = body[: error.start].decode("utf-8")
    line, column = position(before, len(before))
    wrong = body[error.start]
    return EncodingError(f"byte 0x{wrong:02x} is not UTF-8", line=line, column=column, fix=_FIX)


def position(text: str, offset: int) -> tuple[int, int]:
    """1-based line and column of an offset; lines end with LF, CRLF or CR."""
    head = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return head.count("\n") + 1, len(head) - (head.rfind("\n") + 1) + 1
