"""Copies of the user's files as they were: real ones, with an inode of their own, a few each."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from imprint.edit.files import Files, explained, make_private_folder, write_all

KEPT = 5


def store(folder: Path, real: Path, data: bytes, files: Files) -> Path:
    """Copy `data`, the content of `real`, below `folder`; on the disk when this returns."""
    place = folder / _name(real)
    with explained(place):
        make_private_folder(files, place)
        path = place / f"{_next_number(place):06d}"
        write_all(files, path, data)
        files.sync_folder(place)
    return path


def prune(backup: Path, files: Files) -> None:
    """Keep the newest of the copies that lie beside `backup`."""
    with suppress(OSError):
        for old in _numbered(backup.parent)[:-KEPT]:
            files.unlink(old)


def _name(real: Path) -> str:
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:12]
    # Shortened: the name of a file may be as long as the system allows already.
    return f"{real.name[:40]}-{digest}"


def _numbered(place: Path) -> list[Path]:
    return sorted(path for path in place.iterdir() if path.name.isdecimal())


def _next_number(place: Path) -> int:
    present = _numbered(place)
    return int(present[-1].name) + 1 if present else 1
