"""One writer per home: a lock file named after the home's real path, and who holds it."""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from imprint.edit.errors import LockHeld
from imprint.edit.files import (
    Files,
    explain,
    explained,
    make_private_folder,
    unlink_if_there,
    write_all,
)

_LONGEST_COMMAND = 200


class Holder(msgspec.Struct, frozen=True):
    """Written beside the lock by whoever has it. Left by a process that was killed, it leads the
    next one to the journal, even when that lies in another installation's folder.
    """

    pid: int
    command: str
    journal: str


def key_of(home: Path) -> str:
    """A name for a home that is the same by whatever link it was reached."""
    real = os.path.normcase(os.path.realpath(home))
    return hashlib.sha256(os.fsencode(real)).hexdigest()[:16]


@contextmanager
def hold(home: Path, locks: Path, timeout: float, files: Files) -> Iterator["HeldLock"]:
    """The lock of a home, waiting up to `timeout` seconds; LockHeld names who has it."""
    import filelock

    with explained(locks):
        make_private_folder(files, locks)
    held = HeldLock(locks / f"{key_of(home)}.holder", files)
    lock = filelock.FileLock(os.fspath(locks / f"{key_of(home)}.lock"), mode=0o600)
    try:
        lock.acquire(timeout=timeout, poll_interval=0.02)
    except filelock.Timeout:
        raise LockHeld(home, _describe(held.previous())) from None
    except OSError as error:
        raise explain(locks, error) from error
    try:
        yield held
    finally:
        lock.release()


class HeldLock:
    """The record of who holds the lock."""

    def __init__(self, path: Path, files: Files) -> None:
        self.path = path
        self._files = files

    def previous(self) -> Holder | None:
        """The record that is there: a killed process's, or that of the one that runs now."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Holder)
        except (OSError, msgspec.DecodeError):
            return None

    def claim(self, journal: Path) -> None:
        """Say that it's us, and where our journal will be; on the disk when this returns."""
        record = Holder(os.getpid(), _command(), str(journal))
        temporary = self.path.with_suffix(".new")
        with explained(self.path):
            unlink_if_there(self._files, temporary)
            write_all(self._files, temporary, msgspec.json.encode(record))
            self._files.rename(temporary, self.path)
            self._files.sync_folder(self.path.parent)

    def disclaim(self) -> None:
        """Nothing is pending any more."""
        with suppress(OSError):
            unlink_if_there(self._files, self.path)


def _command() -> str:
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:_LONGEST_COMMAND]


def _describe(holder: Holder | None) -> str:
    if holder is None:
        return "another Imprint"
    return f"process {holder.pid} ({holder.command})"
