"""The sessions of a Copilot home: `session-state/<id>/events.jsonl`, one folder per session.

Older and foreign layouts are named as not supported, so that they are never silently nothing.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from imprint.base.pathcontext import NativePaths, PathContext
from imprint.learn.report import SkippedSession, SkipReason

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


@dataclass(frozen=True, slots=True)
class Found:
    """A transcript with the identity of its session and what `stat` said of it."""

    key: str
    path: str
    size: int
    mtime_ns: int
    inode: int
    paths: PathContext

    @property
    def folder(self) -> Path:
        """The session's folder."""
        return Path(self.path).parent


def session_key(folder_name: str) -> str:
    """The identity of a session: the name of its folder, whatever its events say."""
    return f"conversation/{folder_name}"


def found_at(path: Path, paths: PathContext) -> Found | None:
    """The session of a transcript's path; None if there is no such file."""
    try:
        status = path.stat()
    except OSError:
        return None
    key = session_key(path.absolute().parent.name)
    return Found(key, os.fspath(path), status.st_size, status.st_mtime_ns, status.st_ino, paths)


def find_sessions(state: SessionState) -> Iterator[Found | SkippedSession]:
    """Everything in a store that is, or was once, a session."""
    if state.nested and (found := found_at(state.folder / TRANSCRIPT, state.paths)):
        yield found  # one session's own folder
        return
    yield from _scan(os.fspath(state.folder), state, DEPTH if state.nested else 1)
    if state.folder.name == STATE_FOLDER:
        yield from _other_layouts(state.folder.parent)


def _scan(folder: str, state: SessionState, depth: int) -> Iterator[Found | SkippedSession]:
    try:
        entries = os.scandir(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        yield SkippedSession(
            session_key(Path(folder).name),
            folder,
            SkipReason.UNREADABLE,
            error.strerror or str(error),
        )
        return
    paths = state.paths
    with entries:
        for entry in entries:
            # Strings, not Path objects: there can be ten thousand.
            path = f"{entry.path}{os.sep}{TRANSCRIPT}"
            try:
                status = os.stat(path)  # noqa: PTH116
            except FileNotFoundError:
                yield from _without_transcript(entry, state, depth)
            except NotADirectoryError:
                yield from _plain_file(entry)
            except OSError as error:
                yield SkippedSession(
                    f"conversation/{entry.name}",
                    path,
                    SkipReason.UNREADABLE,
                    error.strerror or str(error),
                )
            else:
                yield Found(
                    f"conversation/{entry.name}",
                    path,
                    status.st_size,
                    status.st_mtime_ns,
                    status.st_ino,
                    paths,
                )


def _without_transcript(
    entry: "os.DirEntry[str]", state: SessionState, depth: int
) -> Iterator[Found | SkippedSession]:
    if not entry.is_dir():
        yield from _plain_file(entry)  # on Windows a file's missing child is not found either
    elif depth > 1 and _holds_folders(entry.path):
        yield from _scan(entry.path, state, depth - 1)
    else:
        yield SkippedSession(session_key(entry.name), entry.path, SkipReason.NO_TRANSCRIPT)


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
