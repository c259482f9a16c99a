"""What a session's own events say about it: where it was, who wrote it, when, how much."""

from pathlib import Path

from imprint.learn.checkpoint import GAPS, Checkpoint
from imprint.learn.events import (
    ContextChanged,
    Event,
    SessionResume,
    SessionShutdown,
    SessionStart,
    ToolFailed,
)
from imprint.learn.evidence import DIRECTORIES, project_name, recorded_directory
from imprint.learn.report import Gap
from imprint.learn.store import Found
from imprint.memory import SessionMeta

LARGEST_COUNT = 1 << 53
"""JavaScript counts no further."""

WORKSPACE_BYTES = 16 * 1024


class SessionFacts:
    """Collects them while a transcript is read, on top of what a checkpoint knows."""

    def __init__(self, found: Found, known: Checkpoint | None) -> None:
        self._found = found
        self.directories = dict.fromkeys(known.directories if known else ())
        self.clients = dict.fromkeys(known.clients if known else ())
        self.started_at = known.started_at if known else ""
        self.ended_at = known.ended_at if known else ""
        self.client_version = known.client_version if known else ""
        self.gaps: list[Gap] = []
        self.is_background = False
        if not self.clients and (name := client_name(found.folder)):
            self.clients[name] = None

    def note(self, offset: int, before: int, event: Event) -> bool:
        """Take in an event that `before` others came before; True if a directory is new."""
        time = event.completed.time if isinstance(event, ToolFailed) else event.time
        if time:
            self.started_at = self.started_at or time
            self.ended_at = time
        match event:
            case SessionStart():
                self._note_start(event)
            case SessionResume():
                data = event.data
                self._compare("events", data.event_count, before, offset)
                self._compare("bytes", data.events_file_size_bytes, offset, offset)
            case SessionShutdown():
                self._compare("bytes", event.data.events_file_size_bytes, offset, offset)
            case ContextChanged():
                pass
            case _:
                return False
        return self._note_directory(recorded_directory(event))

    def meta(self) -> SessionMeta:
        """The session as the memory knows it; its project is that of the first directory."""
        directories = tuple(self.directories)
        first = directories[0] if directories else ""
        return SessionMeta(
            key=self._found.key,
            project=project_name(first),
            directory=first,
            directories=directories,
            started_at=self.started_at,
            ended_at=self.ended_at,
            client=next(iter(self.clients), ""),
            client_version=self.client_version,
            source=self._found.name,
        )

    def _note_start(self, event: SessionStart) -> None:
        data = event.data
        self.started_at = data.start_time or self.started_at
        self.client_version = data.copilot_version or self.client_version
        if data.producer:
            self.clients.setdefault(data.producer)
        if data.detached_from_spawning_parent_session_id:
            self.is_background = True

    def _note_directory(self, directory: str) -> bool:
        if not directory or directory in self.directories or len(self.directories) > DIRECTORIES:
            return False
        self.directories[directory] = None
        return True

    def _compare(self, what: str, recorded: int | None, read: int, ordinal: int) -> None:
        if recorded is None or not 0 <= recorded < LARGEST_COUNT:
            return  # damaged: no file is that large, and no checkpoint could hold it
        if recorded != read and len(self.gaps) < GAPS:
            self.gaps.append(Gap(what, recorded, read, ordinal))


def client_name(folder: Path) -> str:
    """`client_name` of a session's `workspace.yaml`, which Copilot writes as plain lines."""
    try:
        with (folder / "workspace.yaml").open("rb") as file:
            head = file.read(WORKSPACE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    for line in head.split("\n"):
        name, _, value = line.partition(":")
        if name == "client_name":
            return value.strip().strip("'\"")
    return ""
