"""What can be wrong with a store. None of these loses anything: a transaction is whole or absent,
and the transcripts stay the source that can be learned again.
"""

import sqlite3
from pathlib import Path

from imprint.base.errors import ImprintError, RefusedError, UsageError


class StoreError(ImprintError):
    """Anything that keeps the store from being used."""

    code = "store"


class StoreMissing(StoreError):
    """There is no store yet; for a reader that is an empty memory."""

    code = "store-missing"


class StoreLocked(StoreError):
    """Another process writes, and did not finish in time."""

    code = "store-locked"


class StoreDamaged(StoreError):
    """The file is no SQLite database, or an inconsistent one, or not Imprint's."""

    code = "store-damaged"


class StoreTooNew(RefusedError, StoreError):
    """A newer Imprint wrote it; this one could harm it."""

    code = "store-too-new"


class StoreFull(StoreError):
    """No room on the disk; what was being written was rolled back."""

    code = "store-full"


class StoreReadOnly(StoreError):
    """The file or its folder cannot be written (or not even opened) by this user."""

    code = "store-read-only"


class UnknownItem(UsageError):
    """Asked for a session, note or project that the store does not hold."""

    code = "unknown-item"


class BadTransfer(RefusedError):
    """A line of an import file is not what `export` writes; nothing was imported."""

    code = "bad-import"


def translate(error: sqlite3.Error, path: Path) -> StoreError:
    """The store error that stands for what SQLite reported."""
    # The low byte is the primary code; the rest says where it happened.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreLocked(
                f"the store {path} is being written by another process",
                fix="try again when it has finished; nothing was lost",
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path, str(error))
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return StoreFull(
                f"the store {path} could not be written: {error}",
                fix="make room on the disk (or check it) and run it again; nothing was lost",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StoreReadOnly(
                f"the store {path} cannot be opened for writing: {error}",
                fix="give this user write permission to the file and its folder",
            )
        case _:
            return StoreError(f"the store {path} failed: {error}")


def damaged(path: Path, why: str) -> StoreDamaged:
    """A store that cannot be trusted, with the way out."""
    return StoreDamaged(
        f"the store {path} is damaged: {why}",
        fix=f"move {path} (with its -wal and -shm files) away and run `imprint learn`: "
        "the transcripts are learned again",
    )
