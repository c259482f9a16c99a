"""What keeps a file from being edited. In every case nothing was changed, or all was put back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from imprint.base.errors import ImprintError, RefusedError


class ContentError(RefusedError):
    """The text of a file is not what can be edited; names the place once the file is known.

    `line` and `column` are 1-based, in characters; `reason` is the message without the place.
    """

    code = "content"

    def __init__(self, reason: str, *, line: int, column: int, fix: str) -> None:
        super().__init__(f"line {line}, column {column}: {reason}", fix=fix)
        self.reason, self.line, self.column = reason, line, column

    def in_file(self, path: Path) -> Self:
        """The same error with the file's name in the message, in the form editors can jump to."""
        named = type(self)(self.reason, line=self.line, column=self.column, fix=self.fix)
        named.message = f"{path}:{self.line}:{self.column}: {self.reason}"
        named.args = (named.message,)
        return named


class EncodingError(ContentError):
    """The file is not UTF-8."""

    code = "encoding"


class JsonSyntaxError(ContentError):
    """The text is not JSON, even with comments and trailing commas allowed."""

    code = "json-syntax"


class JsonShapeError(ContentError):
    """Valid JSON, but something on the way to the member is no object."""

    code = "json-shape"


class FileError(RefusedError):
    """A path cannot be read or written as the regular file that is expected there."""

    code = "file"


class NotAFile(FileError):
    """A directory, device, pipe or socket is in the file's place, or a file in a directory's."""

    code = "not-a-file"


class HardLinked(FileError):
    """The file has several names; writing one of them would cut it off from the others."""

    code = "hard-linked"


class BrokenLink(FileError):
    """A symbolic link leads in a circle, or into a directory that is not there."""

    code = "broken-link"


class TooLarge(FileError):
    """Far larger than any configuration; surely not the file that is meant."""

    code = "too-large"


class NotReadable(FileError):
    """This user may not read the file."""

    code = "not-readable"


class NotWritable(FileError):
    """This user may not write there: read-only, another owner, immutable, read-only disk."""

    code = "not-writable"


class DiskFull(FileError):
    """No room: disk, quota, or a limit on the size of files."""

    code = "disk-full"


class WriteFailed(FileError):
    """The system refused for another reason."""

    code = "write-failed"


class ChangedMeanwhile(RefusedError):
    """A file is not what the plan was made from."""

    code = "changed-meanwhile"

    def __init__(self, path: Path, what: str = "changed after the plan was made") -> None:
        super().__init__(
            f"{path} {what}; nothing was written",
            fix="run the command again: it plans from what is there now",
        )
        self.path = path


class LockHeld(RefusedError):
    """Another process is changing the same home. `holder` says which, as far as known."""

    code = "lock-held"

    def __init__(self, home: Path, holder: str) -> None:
        super().__init__(
            f"{home} is being changed by {holder}",
            fix="wait until it has finished, then run the command again",
        )
        self.home, self.holder = home, holder


class RollbackFailed(ImprintError):
    """Putting the old files back failed too; the journal stays, and the next run tries again."""

    code = "rollback-failed"


class JournalDamaged(RefusedError):
    """The record of an interrupted run cannot be read, so nothing can be repaired from it."""

    code = "journal-damaged"


class ReceiptDamaged(RefusedError):
    """A receipt is not what Imprint writes."""

    code = "receipt-damaged"


class ReceiptTooNew(RefusedError):
    """A newer Imprint wrote the receipt."""

    code = "receipt-too-new"


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors about a text get its file's name."""
    try:
        yield
    except ContentError as error:
        raise error.in_file(path) from None
