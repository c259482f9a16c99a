"""What SessionStart gives back, prepared when things were learned, so that the hook only reads.

The names and the form of the files belong to `hook_entry`, which reads them.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from imprint.base.paths import make_private
from imprint.hook_entry import FORMAT_VERSION, GLOBAL_DIGEST, digest_name
from imprint.memory.digest_text import DIGEST_MARKER
from imprint.memory.errors import StoreReadOnly

DIGEST_BYTES = 6000
"""How long a digest may be (UTF-8) unless the caller knows how much arrives whole."""

__all__ = [
    "DIGEST_BYTES",
    "DIGEST_MARKER",
    "prepare_digests",
    "prepared_directories",
    "refresh_digests",
    "withdraw_digests",
]


class Digester(Protocol):
    """What has digests to give: `Memory`."""

    def digest_texts(self, directories: Iterable[str], max_bytes: int) -> Mapping[str, str]:
        """The texts by directory, the global one under `""`; empty where there is nothing."""
        ...


class _DigestFile(msgspec.Struct, frozen=True):
    version: int
    directory: str
    text: str


def prepare_digests(
    memory: Digester, folder: Path, directories: Iterable[str], *, max_bytes: int = DIGEST_BYTES
) -> int:
    """Write the digests of these directories and the global one; return how many changed.

    A directory of which nothing is remembered has none; what stays the same is not rewritten.
    """
    texts = memory.digest_texts(directories, max_bytes)
    with _writable(folder):
        make_private(folder)
        return sum(_put(folder / _name(key), key, text) for key, text in texts.items())


def refresh_digests(memory: Digester, folder: Path, *, max_bytes: int = DIGEST_BYTES) -> int:
    """Prepare all digests again that the folder holds."""
    return prepare_digests(memory, folder, prepared_directories(folder), max_bytes=max_bytes)


def withdraw_digests(folder: Path) -> list[str]:
    """Remove all digests, return their directories.

    Done before something is forgotten: whatever happens then, it is not given out any more.
    """
    directories = prepared_directories(folder)
    with _writable(folder):
        for name in [GLOBAL_DIGEST, *map(digest_name, directories)]:
            (folder / name).unlink(missing_ok=True)
    return directories


def prepared_directories(folder: Path) -> list[str]:
    """The directories that have a digest."""
    found = []
    for path in sorted(folder.glob("[!.]*.json")) if folder.is_dir() else ():
        if path.name == GLOBAL_DIGEST:
            continue
        with contextlib.suppress(msgspec.DecodeError, OSError, UnicodeDecodeError):
            found.append(msgspec.json.decode(path.read_bytes(), type=_DigestFile).directory)
    return found


def _name(directory: str) -> str:
    return digest_name(directory) if directory else GLOBAL_DIGEST


def _put(path: Path, directory: str, text: str) -> bool:
    """Make the file say this, or be absent where there is nothing to say; whether it changed."""
    before = path.read_bytes() if path.exists() else None
    if not text:
        path.unlink(missing_ok=True)
        return before is not None
    after = msgspec.json.encode(_DigestFile(FORMAT_VERSION, directory, text))
    if after == before:
        return False
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(after)
    partial.replace(path)
    return True


@contextlib.contextmanager
def _writable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreReadOnly(
            f"the digests in {folder} cannot be written: {error.strerror or error}",
            fix="give this user write permission to the folder, or make room on the disk",
        ) from error
