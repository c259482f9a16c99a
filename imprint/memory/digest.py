"""What SessionStart gives back, prepared when things were learned, so that the hook only reads."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from imprint import hook_entry
from imprint.base.paths import make_private
from imprint.memory.digest_text import DIGEST_MARKER, digest_text, global_text
from imprint.memory.store import Memory

DIGEST_BYTES = 6000
"""How long a digest may be (UTF-8); what the matrix says arrives whole is passed in instead."""

__all__ = ["DIGEST_BYTES", "DIGEST_MARKER", "prepare_digests", "refresh_digests"]


class _DigestFile(msgspec.Struct, frozen=True):
    version: int
    directory: str
    text: str


def prepare_digests(
    memory: Memory, folder: Path, directories: Iterable[str], *, max_bytes: int = DIGEST_BYTES
) -> int:
    """Write the digests of these directories, and the global one; return how many changed.

    A directory of which nothing is remembered has no digest.
    """
    changed = 0
    make_private(folder)
    for directory in dict.fromkeys(directories):
        text = digest_text(memory, directory, max_bytes)
        changed += _put(folder / hook_entry.digest_name(directory), directory, text)
    changed += _put(folder / hook_entry.GLOBAL_DIGEST, "", global_text(memory, max_bytes))
    return changed


def refresh_digests(memory: Memory, folder: Path, *, max_bytes: int = DIGEST_BYTES) -> int:
    """Prepare all digests again that the folder holds."""
    return prepare_digests(memory, folder, prepared(folder), max_bytes=max_bytes)


def prepared(folder: Path) -> list[str]:
    """The directories that have a digest."""
    found = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        with contextlib.suppress(msgspec.DecodeError, OSError, UnicodeDecodeError):
            digest = msgspec.json.decode(path.read_bytes(), type=_DigestFile)
            if path.name != hook_entry.GLOBAL_DIGEST:
                found.append(digest.directory)
    return found


def _put(path: Path, directory: str, text: str) -> bool:
    """Make the file say this, or be absent where there is nothing to say."""
    before = path.read_bytes() if path.exists() else None
    if not text:
        path.unlink(missing_ok=True)
        return before is not None
    after = msgspec.json.encode(_DigestFile(hook_entry.FORMAT_VERSION, directory, text))
    if after == before:
        return False
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor)
        file.write(after)
    partial.replace(path)
    return True
