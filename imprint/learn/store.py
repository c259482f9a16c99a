"""The sessions of a Copilot home: `session-state/<id>/events.jsonl`, one folder per session.

Older and foreign layouts are named as not supported, so that they are never silently nothing.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from imprint.base.pathcontext import NativePaths, PathContext
from imprint.learn.report import SkippedSession, SkipReason, printable

TRANSCRIPT = "events.jsonl"
STATE_FOLDER = "session-state"
DEPTH = 3
"""How deep a folder of session folders is looked through where `nested` allows it."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """A `session-state` folder and how the paths recorded in it are to be read.

    `nested` also looks into folders that hold no transcript themselves: for `learn --from` with
    a folder of collected sessions.
    """

    folder: Path
    paths: PathContext = field(default_factory=NativePaths)
    nested: bool = False


class Found(NamedTuple):
    """A transcript with the identity of its session and what `stat` said of it."""

    key: str
    path: str
    size: int
    mtime_ns: int
    inode: int
    paths: PathContext

    @property
    def name(self) -> str:
        """The path as text, for whatever is stored."""
        return printable(self.path)

    @property
    def folder(self) -> Path:
        """The session's folder."""
        return Path(self.path).parent


def session_key(folder_name: str) -> str:
    """The identity of a session: the name of its folder, whatever its events say."""
    return f"conversation/{printable(folder_name)}"


def found_at(path: Path, paths: PathContext) -> Found | None:
    """The session of a transcript's path; None if there is no such file."""
    try:
        status = path.stat()
    except OSError:
        return None
    key = session_key(path.absolute().parent.name)
    return Found(key, os.fspath(path), status.st_size, status.st_mtime_ns, status.st_ino, paths)


class StoreScan:
    """Looks through a store once; `unchanged` counts the sessions that need no closer look.

    `is_unchanged` tells from key and status whether one does. Of ten thousand sessions most are
    unchanged: for them there are strings only, no objects.
    """

    def __init__(
        self, state: SessionState, is_unchanged: Callable[[str, os.stat_result], bool]
    ) -> None:
        self.unchanged = 0
        self._state = state
        self._is_unchanged = is_unchanged

    def items(self) -> Iterator[Found | SkippedSession]:
        """Everything else that is, or was once, a session."""
        state = self._state
        if state.nested and (state.folder / TRANSCRIPT).is_file():
            yield from self._look_at(state.folder.absolute().name, os.fspath(state.folder))
            return
        yield from self._scan(os.fspath(state.folder), DEPTH if state.nested else 1)
        if state.folder.name == STATE_FOLDER:
            yield from _other_layouts(state.folder.parent)

    def _scan(self, folder: str, depth: int) -> Iterator[Found | SkippedSession]:
        is_unchanged, tail = self._is_unchanged, f"{os.sep}{TRANSCRIPT}"
        known = 0
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    try:
                        status = os.stat(entry.path + tail)  # noqa: PTH116
                    except (FileNotFoundError, NotADirectoryError):
                        yield from self._without_transcript(entry, depth)
                        continue
                    except OSError as error:
                        yield _unreadable(entry.name, entry.path + tail, error)
                        continue
                    if is_unchanged(f"conversation/{entry.name}", status):
                        known += 1
                    else:
                        yield from self._look_at(entry.name, entry.path)
        except FileNotFoundError:
            return
        except OSError as error:
            yield _unreadable(Path(folder).name, folder, error)
        self.unchanged += known

    def _look_at(self, name: str, folder: str) -> Iterator[Found | SkippedSession]:
        path = Path(folder, TRANSCRIPT)
        try:
            status = path.stat()
        except OSError as error:
            yield _unreadable(name, str(path), error)
            return
        key = session_key(name)
        if self._is_unchanged(key, status):
            self.unchanged += 1
            return
        sizes = status.st_size, status.st_mtime_ns, status.st_ino
        yield Found(key, os.fspath(path), *sizes, self._state.paths)

    def _without_transcript(
        self, entry: "os.DirEntry[str]", depth: int
    ) -> Iterator[Found | SkippedSession]:
        if not entry.is_dir():
            yield from _plain_file(entry)
        elif depth > 1 and _holds_folders(entry.path):
            yield from self._scan(entry.path, depth - 1)
        else:
            yield SkippedSession(session_key(entry.name), entry.path, SkipReason.NO_TRANSCRIPT)


def _unreadable(name: str, path: str, error: OSError) -> SkippedSession:
    why = error.strerror or str(error)
    return SkippedSession(session_key(name), path, SkipReason.UNREADABLE, why)


def _holds_folders(folder: str) -> bool:
    """Whether this can be a folder of sessions: not a session that only lost its transcript."""
    if Path(folder, "workspace.yaml").exists():
        return False
    try:
        with os.scandir(folder) as entries:
            return any(entry.is_dir() for entry in entries)
    except OSError:
        return False


def _plain_file(entry: "os.DirEntry[str]") -> Iterator[SkippedSession]:
    """`session-state/<id>.jsonl` of releases before 0.0.400; anything else is no session."""
    if entry.name.endswith(".jsonl"):
        key = session_key(entry.name.removesuffix(".jsonl"))
        yield SkippedSession(key, entry.path, SkipReason.UNSUPPORTED_LAYOUT)


def _other_layouts(home: Path) -> Iterator[SkippedSession]:
    """What the earliest releases and JetBrains leave beside `session-state`."""
    for pattern in ("history-session-state/session_*.json", "jb/*/partition-*.jsonl"):
        for path in sorted(home.glob(pattern)):
            name = path.parent.name if pattern.startswith("jb/") else path.stem
            yield SkippedSession(session_key(name), str(path), SkipReason.UNSUPPORTED_LAYOUT)
