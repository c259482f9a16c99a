"""The record that makes a run repairable: written before the first change, gone after the last."""

from contextlib import suppress
from pathlib import Path

import msgspec

from imprint.edit.errors import FileError, JournalDamaged, NotReadable
from imprint.edit.files import Files, explain, explained, unlink_if_there, write_all

SCHEMA = 1


class Entry(msgspec.Struct, frozen=True):
    """One file: `before` and `after` are SHA-256 in hex, "" for no file.

    `temporary` is the new content beside the real file until it is renamed; `backup` holds the
    old one. Mode, owner and times (ns) are those of the old file.
    """

    path: str
    real: str
    temporary: str
    before: str
    after: str
    backup: str = ""
    mode: int = 0
    owner: int = -1
    group: int = -1
    mtime_ns: int = 0


class Journal(msgspec.Struct, frozen=True):
    """A run. Not `committed`: to be undone. `committed`: only the tidying is left."""

    home: str
    entries: tuple[Entry, ...]
    created_directories: tuple[str, ...]
    remove_directories: tuple[str, ...]
    committed: bool = False
    schema: int = SCHEMA


class JournalFile:
    """The journal of one home below one `keep` folder."""

    def __init__(self, folder: Path, files: Files) -> None:
        self.folder = folder
        self.path = folder / "journal.json"
        self._new = folder / "journal.new"
        self._done = folder / "journal.done"
        self._files = files

    def load(self) -> Journal | None:
        """The run that didn't end; None when the last one did."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise NotReadable(
                f"{self.path} (what an interrupted run did) cannot be read: {error.strerror}",
                fix="run the command as the user who ran the interrupted one",
            ) from None
        try:
            journal = msgspec.json.decode(data, type=Journal)
        except msgspec.DecodeError as error:
            raise self._damaged(str(error)) from None
        if journal.schema != SCHEMA:
            raise self._damaged(f"its schema is {journal.schema}, not {SCHEMA}")
        return journal

    def begin(self, journal: Journal) -> None:
        """From here on a killed run is undone.

        The end is prepared as well, so that committing is one rename that needs no room.
        """
        with explained(self.path):
            committed = msgspec.structs.replace(journal, committed=True)
            self._write(self._done, committed)
            self._write(self._new, journal)
            self._files.rename(self._new, self.path)
            self._files.sync_folder(self.folder)

    def commit(self) -> None:
        """From here on a killed run is finished, not undone."""
        try:
            self._files.rename(self._done, self.path)
        except OSError as error:
            # A network file system can carry it out and report an error all the same.
            journal = self.load()
            if journal is None or not journal.committed:
                raise explain(self.path, error) from error
        # Were the rename lost with the power, the run would be undone: whole either way.
        with suppress(OSError):
            self._files.sync_folder(self.folder)

    def end(self) -> None:
        """Nothing is pending."""
        unlink_if_there(self._files, self._done)
        unlink_if_there(self._files, self.path)
        self._files.sync_folder(self.folder)

    def tidy(self) -> None:
        """Remove what a run left that was killed before it began."""
        with suppress(OSError):
            unlink_if_there(self._files, self._new)
            unlink_if_there(self._files, self._done)

    def _write(self, path: Path, journal: Journal) -> None:
        unlink_if_there(self._files, path)
        write_all(self._files, path, _encode(journal))

    def _damaged(self, why: str) -> JournalDamaged:
        return JournalDamaged(
            f"{self.path} (what an interrupted run did) cannot be used: {why}",
            fix=f"compare your files with the copies in {self.folder}, then move {self.path} away",
        )


def _encode(journal: Journal) -> bytes:
    try:
        return msgspec.json.encode(journal)
    except UnicodeEncodeError as error:
        raise FileError(
            f"a path is not UTF-8: {error.object!r}", fix="give the folder a name in UTF-8"
        ) from None
