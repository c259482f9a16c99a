"""Snapshots of a folder, to show that disconnect gave everything back."""

import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

# Names that a run makes up: ids, times, process numbers.
_VARIABLE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}|\d+", re.IGNORECASE
)

Tree = Mapping[str, tuple[str, bytes]]
"""Relative path -> kind and content (a link's target, a folder's mode)."""


def snapshot(root: Path) -> dict[str, tuple[str, bytes]]:
    """Everything below `root`, byte for byte, links not followed."""
    found: dict[str, tuple[str, bytes]] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            found[path.relative_to(root).as_posix()] = _entry(path)
    return found


def _entry(path: Path) -> tuple[str, bytes]:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "link", os.fsencode(path.readlink())
    if stat.S_ISDIR(mode):
        return "folder", b""
    if stat.S_ISREG(mode):
        return f"file {stat.S_IMODE(mode):o}", path.read_bytes()
    return "other", b""


def pattern(path: str) -> str:
    """The path with everything that a run makes up replaced by `*`."""
    return _VARIABLE.sub("*", path)


def not_given_back(
    before: Tree, after: Tree, touched: Iterable[str], written_anyway: Iterable[str]
) -> list[str]:
    """Paths that are not as before, each with how; empty when everything was given back.

    `touched` are the relative paths that setup created or changed: these must be as before
    whatever else writes them. Other new paths are fine where a run without Imprint makes
    such ones too (`written_anyway`).
    """
    ours = set(touched)
    allowed = {pattern(path) for path in written_anyway}
    wrong = []
    for path in sorted({*before, *after}):
        if before.get(path) == after.get(path):
            continue
        if path in ours or (pattern(path) not in allowed and not _is_inside(path, allowed)):
            how = "left over" if path not in before else "gone" if path not in after else "changed"
            wrong.append(f"{path} ({how})")
    return wrong


def _is_inside(path: str, allowed: set[str]) -> bool:
    """Whether Copilot's own run keeps files of the same kind in the same folder.

    What lies in a session's or a log's folder differs with what the session did.
    """
    parts = pattern(path).split("/")
    return any("*" in part for part in parts) and "/".join(parts[:1]) in allowed
