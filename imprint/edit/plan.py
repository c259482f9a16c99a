"""A plan: which files get which bytes, and why. Making one changes nothing."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from imprint.edit import target

__all__ = ["FileChange", "Plan", "diff", "missing_directories", "read"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; None is a file that is not there.

    `path` is the name as the user knows it: symbolic links in it are followed, and stay.
    `mode` is for a file that is created (None: what the umask leaves); an existing one keeps its.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    why: str
    mode: int | None = None

    @property
    def is_change(self) -> bool:
        """Whether carrying it out would write anything."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Plan:
    """What a command would do to one home, all or nothing.

    `home` is the folder that is locked meanwhile; files may lie elsewhere (a receipt does).
    `remove_empty` are directories to delete afterwards if nothing is left in them.
    """

    home: Path
    changes: tuple[FileChange, ...]
    remove_empty: tuple[Path, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change: a second run says so."""
        return not any(change.is_change for change in self.changes)


def read(path: Path) -> bytes | None:
    """The bytes of a regular file, links followed; None when there is none.

    Refused (FileError): a directory or special file there, several hard links, a link that leads
    in a circle or into a missing directory, no permission, over 64 MB.
    """
    return target.inspect(path).data


def missing_directories(plan: Plan) -> tuple[Path, ...]:
    """The directories that applying the plan has to create, outermost first."""
    found: dict[Path, None] = {}
    for change in plan.changes:
        if change.is_change and change.after is not None:
            for folder in target.inspect(change.path).missing_folders:
                found[folder] = None
    return tuple(sorted(found, key=lambda folder: len(folder.parts)))


def diff(plan: Plan) -> str:
    """The plan as a unified diff with all newlines as they are; "" when nothing would change."""
    return "".join(line for change in plan.changes for line in _diff_of(change))


def _diff_of(change: FileChange) -> Iterator[str]:
    import difflib

    if not change.is_change:
        return
    name = os.fspath(change.path)
    before = "/dev/null" if change.before is None else name
    after = "/dev/null" if change.after is None else name
    # An empty file that comes or goes has no lines, so difflib has nothing to say of it.
    yield f"--- {before}\n+++ {after}\n"
    lines = difflib.unified_diff(_lines(change.before), _lines(change.after))
    for line in islice(lines, 2, None):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes | None) -> list[str]:
    """Split at LF alone, as patch does; str.splitlines would split at form feeds and others."""
    text = (data or b"").decode("utf-8", errors="backslashreplace")
    return [line for line in re.split(r"(?<=\n)", text) if line]
