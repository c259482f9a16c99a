"""What a path leads to: the real file behind its links, its bytes, and whether it can be edited."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from imprint.edit.errors import (
    BrokenLink,
    FileError,
    HardLinked,
    NotAFile,
    NotReadable,
    TooLarge,
)

# Configuration files are a few kB; somebody's 2 GB log under the same name is a mistake.
MAX_SIZE = 64 * 1024 * 1024
_READ = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Identity and state of a file: equal as long as nobody replaced, wrote or re-moded it."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    mode: int
    owner: int
    group: int
    links: int

    @classmethod
    def of(cls, found: os.stat_result) -> "Fingerprint":
        """From what stat says."""
        return cls(
            found.st_dev,
            found.st_ino,
            found.st_size,
            found.st_mtime_ns,
            found.st_mode,
            found.st_uid,
            found.st_gid,
            found.st_nlink,
        )

    @property
    def permissions(self) -> int:
        """The mode's permission bits."""
        return stat.S_IMODE(self.mode)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a path leads right now.

    `real` has no symbolic links in it. `data` and `fingerprint` are None when there is no file;
    `missing_folders` are then those that would have to be made, outermost first.
    """

    path: Path
    real: Path
    data: bytes | None
    fingerprint: Fingerprint | None
    missing_folders: tuple[Path, ...] = ()


def inspect(path: Path) -> Target:
    """Follow the path and read the file; FileError says why it can't be edited."""
    try:
        return _inspect(path)
    except PermissionError as error:
        raise NotReadable(
            f"{path} cannot be read: {error.strerror}",
            fix="run it as the file's owner, or give this user permission to read it",
        ) from None
    except (OSError, RuntimeError, ValueError) as error:
        # RuntimeError is Path.resolve's word for a circle of links before Python 3.13.
        if isinstance(error, RuntimeError) or getattr(error, "errno", None) == errno.ELOOP:
            raise _circle(path) from None
        raise FileError(f"{path} cannot be read: {error}", fix="check the path") from None


def _inspect(path: Path) -> Target:
    real = path.resolve()
    try:
        found = real.lstat()
    except FileNotFoundError:
        return Target(path, real, None, None, _missing_folders(path, real))
    except NotADirectoryError:
        raise _file_as_folder(path) from None
    _check_kind(path, found)
    data, fingerprint = _read(path, real)
    return Target(path, real, data, fingerprint)


def _check_kind(path: Path, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise _circle(path)
    if not stat.S_ISREG(found.st_mode):
        kind = "a directory" if stat.S_ISDIR(found.st_mode) else "no regular file"
        raise NotAFile(
            f"{path} is {kind}; a file is expected there",
            fix=f"move {path} away, then run the command again",
        )
    if found.st_nlink > 1:
        raise HardLinked(
            f"{path} has {found.st_nlink} hard links; writing it would cut it off from the others",
            fix=f"make it a file of its own: cp -p {path} copy && mv copy {path}",
        )
    if found.st_size > MAX_SIZE:
        raise TooLarge(
            f"{path} has {found.st_size} bytes; over {MAX_SIZE} is no configuration",
            fix="see what wrote into it",
        )


def _read(path: Path, real: Path) -> tuple[bytes, Fingerprint]:
    descriptor = os.open(real, _READ)
    with os.fdopen(descriptor, "rb") as file:
        _check_kind(path, os.fstat(descriptor))
        data = file.read(MAX_SIZE + 1)
        return data, Fingerprint.of(os.fstat(descriptor))


def _missing_folders(path: Path, real: Path) -> tuple[Path, ...]:
    missing: list[Path] = []
    for folder in real.parents:
        if folder.is_dir():
            break
        if folder.exists():
            raise _file_as_folder(path)
        missing.append(folder)
    if missing:
        _refuse_dangling(path)
    return tuple(reversed(missing))


def _refuse_dangling(path: Path) -> None:
    """A link into nowhere is not filled: what it leads to is somebody's, and may come back."""
    for place in (path, *path.parents):
        if place.is_symlink() and not place.exists():
            raise BrokenLink(
                f"{place} is a link to {place.readlink()}, which is not there",
                fix=f"restore what {place} links to, or remove the link",
            )


def _circle(path: Path) -> BrokenLink:
    return BrokenLink(
        f"{path} is a symbolic link that leads in a circle", fix=f"remove the link {path}"
    )


def _file_as_folder(path: Path) -> NotAFile:
    return NotAFile(
        f"{path} is not possible: a file is where one of its directories should be",
        fix=f"look at {path.parent} and move the file away",
    )
