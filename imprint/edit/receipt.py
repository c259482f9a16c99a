"""What was done to whose file, so that it can be undone to the byte."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from imprint.edit.errors import ReceiptDamaged, ReceiptTooNew
from imprint.edit.plan import FileChange, read
from imprint.edit.spans import Span, spans_between, undo, undo_in_changed

__all__ = ["FileReceipt", "Receipt", "Restored", "Span", "encode", "load", "record", "restore"]

SCHEMA = 1
_ABSENT = ""


class FileReceipt(msgspec.Struct, frozen=True):
    """One file's change: digests are SHA-256 in hex, "" for a file that was not there."""

    path: str
    existed: bool
    spans: tuple[Span, ...]
    before: str
    after: str


class Receipt(msgspec.Struct, frozen=True):
    """All that one setup did to one home; lies outside of it, written in the same plan.

    `written_at` is ISO 8601 in UTC, `runtime` names the Python that the entry runs.
    """

    home: str
    imprint_version: str
    runtime: str
    written_at: str
    files: tuple[FileReceipt, ...]
    created_directories: tuple[str, ...] = ()
    decisions: Mapping[str, str] = msgspec.field(default_factory=dict)
    copilot_version: str | None = None
    schema: int = SCHEMA

    def file(self, path: Path) -> FileReceipt | None:
        """The receipt of one file by the path that the plan used."""
        return next((item for item in self.files if item.path == str(path)), None)


@dataclass(frozen=True, slots=True)
class Restored:
    """A file without what was done to it; `data` None: it should not be there at all.

    `exact`: these are the original bytes. Else the file was edited since, and only our part was
    taken out: the caller checks that it still parses.
    """

    data: bytes | None
    exact: bool


def record(
    change: FileChange, original: bytes | msgspec.UnsetType | None = msgspec.UNSET
) -> FileReceipt:
    """The receipt for a change.

    `original` is the file without Imprint, where that is not what the plan found: on an upgrade
    it is what `restore` makes of the file with the earlier receipt.
    """
    before = change.before if isinstance(original, msgspec.UnsetType) else original
    return FileReceipt(
        path=str(change.path),
        existed=before is not None,
        spans=spans_between(before or b"", change.after or b""),
        before=_digest(before),
        after=_digest(change.after),
    )


def restore(current: bytes | None, receipt: FileReceipt) -> Restored | None:
    """The file as it was before; None when our bytes can't be told from the user's any more."""
    found = _digest(current)
    if found == receipt.before:
        return Restored(current, exact=True)
    if found == receipt.after:
        return _original(current or b"", receipt)
    if current is None:
        # The user deleted it: there is nothing of ours left to take out.
        return Restored(None, exact=not receipt.existed)
    data = undo_in_changed(current, receipt.spans)
    if data is None:
        return None
    is_ours_alone = not receipt.existed and not data.strip()
    return Restored(None if is_ours_alone else data, exact=False)


def _original(current: bytes, receipt: FileReceipt) -> Restored | None:
    data = undo(current, receipt.spans)
    if not receipt.existed:
        return Restored(None, exact=True)
    return Restored(data, exact=True) if _digest(data) == receipt.before else None


def encode(receipt: Receipt) -> bytes:
    """The receipt's file."""
    return msgspec.json.format(msgspec.json.encode(receipt), indent=2) + b"\n"


def load(path: Path) -> Receipt | None:
    """A receipt; None when there is none, ReceiptDamaged or ReceiptTooNew when it is no use."""
    data = read(path)
    return None if data is None else decode(data, path)


def decode(data: bytes, path: Path) -> Receipt:
    """The receipt in a file's bytes; `path` is for the message."""
    try:
        schema = msgspec.json.decode(data, type=_Schema).schema
        if schema > SCHEMA:
            raise ReceiptTooNew(
                f"{path} was written by a newer Imprint (schema {schema})",
                fix="use that Imprint, or install a current one",
            )
        return msgspec.json.decode(data, type=Receipt)
    except msgspec.DecodeError as error:
        raise ReceiptDamaged(
            f"{path} is no receipt: {error}",
            fix=f"move {path} away; setup and disconnect then go by what they find in the home",
        ) from None


class _Schema(msgspec.Struct):
    schema: int


def _digest(data: bytes | None) -> str:
    return _ABSENT if data is None else hashlib.sha256(data).hexdigest()
