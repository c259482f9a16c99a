"""The one door to the disk: every call that changes something there is a method of `Files`.

So a test can count the calls of a run, and stop the process at each of them.
"""

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from imprint.edit.errors import DiskFull, FileError, NotWritable, WriteFailed

_CREATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
OPEN_SECONDS = 2.0

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}


class Files:
    """System calls as they are; `OSError` as they raise it."""

    def make_folder(self, path: Path, mode: int) -> None:
        """Create one directory."""
        path.mkdir(mode)

    def create(self, path: Path, mode: int) -> int:
        """A new file, open for writing; FileExistsError if there is anything in its place."""
        return os.open(path, _CREATE, mode)

    def write(self, descriptor: int, data: bytes) -> int:
        """Write the beginning of `data`; returns how much of it."""
        return os.write(descriptor, data)

    def set_owner(self, path: Path, owner: int, group: int) -> None:
        """Owner and group, where the system has them."""
        if sys.platform != "win32":
            os.chown(path, owner, group, follow_symlinks=False)

    def set_mode(self, path: Path, mode: int) -> None:
        """Permission bits."""
        path.chmod(mode)

    def set_time(self, path: Path, mtime_ns: int) -> None:
        """The time of the last change, in ns since 1970."""
        os.utime(path, ns=(mtime_ns, mtime_ns))

    def copy_attributes(self, source: Path, path: Path) -> None:
        """Extended attributes (labels, access lists), as far as the file system lets us."""
        if sys.platform == "linux":
            with suppress(OSError):
                for name in os.listxattr(source):
                    with suppress(OSError):
                        os.setxattr(path, name, os.getxattr(source, name))

    def sync(self, descriptor: int) -> None:
        """Wait until the file's bytes are on the disk."""
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Close it."""
        os.close(descriptor)

    def rename(self, source: Path, path: Path) -> None:
        """Take the place of `path`, in one step."""
        patiently(lambda: source.replace(path))

    def unlink(self, path: Path) -> None:
        """Delete a file."""
        patiently(path.unlink)

    def remove_folder(self, path: Path) -> None:
        """Delete an empty directory."""
        path.rmdir()

    def sync_folder(self, path: Path) -> None:
        """Wait until names in a directory are on the disk; Windows does that by itself."""
        if sys.platform != "win32":
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            except OSError as error:
                # Some network file systems can't; there is nothing better to do on them.
                if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                    raise
            finally:
                os.close(descriptor)


REAL = Files()


def patiently(change: Callable[[], object]) -> None:
    """Windows refuses to replace or delete a file that anybody has open, be it for a millisecond
    to read it (Copilot, an indexer, a virus scanner): try again for a while. Elsewhere: once.
    """
    deadline = time.monotonic() + (OPEN_SECONDS if sys.platform == "win32" else 0)
    while True:
        try:
            change()
        except PermissionError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.01)
        else:
            return


@dataclass(frozen=True, slots=True)
class Dress:
    """What a new file gets besides its bytes, before it is seen under its name.

    `mode` None: what the umask leaves. `owner` and `group` -1: as the system gives them.
    Extended attributes come from the file `like`, where there is one.
    """

    mode: int | None
    owner: int = -1
    group: int = -1
    like: Path | None = None


PRIVATE = Dress(0o600)


def write_all(files: Files, path: Path, data: bytes, dress: Dress = PRIVATE) -> None:
    """A new file with these bytes, on the disk when this returns; no half file is left behind."""
    descriptor = files.create(path, 0o666 if dress.mode is None else 0o600)
    try:
        try:
            rest = data
            while rest:
                rest = rest[files.write(descriptor, rest) :]
            _put_on(files, path, dress)
            files.sync(descriptor)
        finally:
            files.close(descriptor)
    except OSError:
        with suppress(OSError):
            files.unlink(path)
        raise


def _put_on(files: Files, path: Path, dress: Dress) -> None:
    if dress.like is not None:
        files.copy_attributes(dress.like, path)
    # Only where needed: some file systems refuse even to set what is already so.
    found = path.stat()
    if dress.owner >= 0 and (found.st_uid, found.st_gid) != (dress.owner, dress.group):
        files.set_owner(path, dress.owner, dress.group)
    # Last: a change of owner takes special bits away.
    if dress.mode is not None and stat.S_IMODE(path.stat().st_mode) != dress.mode:
        files.set_mode(path, dress.mode)


def make_private_folder(files: Files, path: Path) -> None:
    """A directory for its owner alone (0700), parents too; one that is there is left as it is."""
    if path.is_dir():
        return
    if path.parent != path:
        make_private_folder(files, path.parent)
    with suppress(FileExistsError):
        files.make_folder(path, 0o700)
        files.sync_folder(path.parent)


def unlink_if_there(files: Files, path: Path) -> bool:
    """Delete a file; False when there was none."""
    if not os.path.lexists(path):
        return False
    with suppress(FileNotFoundError):
        files.unlink(path)
    return True


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what the system says about `path` into an error that says what to do."""
    try:
        yield
    except OSError as error:
        raise explain(path, error) from error


def explain(path: Path, error: OSError) -> FileError:
    """The error for a failed write."""
    what = f"{path} could not be written: {error.strerror or error}"
    if error.errno in _NO_ROOM:
        return DiskFull(
            f"{what}; the old file is whole",
            fix="make room (disk, quota, limit on file sizes), then run the command again",
        )
    if error.errno in _NOT_ALLOWED:
        return NotWritable(
            f"{what}; nothing was changed",
            fix=f"see that this user may write {path} and its folder (ls -ld; lsattr), "
            "then run the command again",
        )
    return WriteFailed(f"{what}; nothing was changed", fix="run the command again")
