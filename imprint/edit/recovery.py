"""Undo or finish a run from its journal. Can itself be killed anywhere, and begun again."""

import hashlib
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from imprint.edit.errors import RollbackFailed
from imprint.edit.files import Dress, Files, unlink_if_there, write_all
from imprint.edit.journal import Entry, Journal, JournalFile

_ABSENT, _SOMETHING_ELSE = "", "-"


@dataclass(frozen=True, slots=True)
class Recovered:
    """What an interrupted run left, and what became of it; all empty when there was none.

    `restored` are files put back to what they were before that run. `conflicts` are files that
    somebody changed after it: left as they are (the copies in `keep` stay). `completed`: the run
    had written everything, and only tidying was left.
    """

    restored: tuple[Path, ...] = ()
    conflicts: tuple[Path, ...] = ()
    completed: bool = False

    @property
    def found(self) -> bool:
        """Whether there was anything to repair."""
        return self.completed or bool(self.restored or self.conflicts)


def settle(journal_file: JournalFile, files: Files) -> Recovered:
    """Bring all files of a pending run to one side; RollbackFailed leaves the journal in place."""
    journal = journal_file.load()
    if journal is None:
        journal_file.tidy()
        return Recovered()
    try:
        if journal.committed:
            remove_folders(journal.remove_directories, files)
            journal_file.end()
            return Recovered(completed=True)
        return _roll_back(journal, journal_file, files)
    except OSError as error:
        raise RollbackFailed(
            f"an interrupted run could not be undone: {error}",
            fix="make room or restore permissions, then run the command again: it tries again; "
            f"the old files are in {journal_file.folder}",
        ) from error


def remove_folders(folders: Sequence[str], files: Files) -> tuple[Path, ...]:
    """Delete those that are there and empty; links to directories are left alone."""
    removed: list[Path] = []
    for folder in map(Path, folders):
        with suppress(OSError):
            if folder.is_symlink() or not folder.is_dir() or any(folder.iterdir()):
                continue
            files.remove_folder(folder)
            removed.append(folder)
            files.sync_folder(folder.parent)
    return tuple(removed)


def _roll_back(journal: Journal, journal_file: JournalFile, files: Files) -> Recovered:
    restored: list[Path] = []
    conflicts: list[Path] = []
    for entry in reversed(journal.entries):
        unlink_if_there(files, Path(entry.temporary))
        unlink_if_there(files, _second_temporary(entry))
        found = _digest_of(Path(entry.real))
        if found == entry.after:
            _restore(entry, files)
            restored.append(Path(entry.path))
        elif found != entry.before:
            conflicts.append(Path(entry.path))
    remove_folders(list(reversed(journal.created_directories)), files)
    if not conflicts:
        for entry in journal.entries:
            if entry.backup:
                unlink_if_there(files, Path(entry.backup))
    journal_file.end()
    return Recovered(tuple(reversed(restored)), tuple(reversed(conflicts)))


def _restore(entry: Entry, files: Files) -> None:
    real = Path(entry.real)
    if entry.before == _ABSENT:
        files.unlink(real)
    else:
        data = Path(entry.backup).read_bytes()
        if hashlib.sha256(data).hexdigest() != entry.before:
            raise OSError(f"the copy {entry.backup} was changed")
        temporary = _second_temporary(entry)
        write_all(files, temporary, data, Dress(entry.mode, entry.owner, entry.group, real))
        files.set_time(temporary, entry.mtime_ns)
        files.rename(temporary, real)
    files.sync_folder(real.parent)


def _second_temporary(entry: Entry) -> Path:
    """Where the old content is written before it is renamed back."""
    return Path(f"{entry.temporary}.old")


def _digest_of(real: Path) -> str:
    try:
        if not stat.S_ISREG(real.lstat().st_mode):
            return _SOMETHING_ELSE
        return hashlib.sha256(real.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return _ABSENT
