"""The events of a transcript that learning looks at, as far as it looks at them.

Names and meanings are those of Copilot's `session-events.schema.json` (1.0.10 to 1.0.102); all
fields are optional because other producers, and earlier releases, leave them out.
"""

from dataclasses import dataclass
from typing import Any

import msgspec


class _Event(msgspec.Struct, frozen=True, rename="camel", gc=False, kw_only=True):
    """What every line holds; `agent_id` marks the events of a subagent since 1.0.40."""

    id: str | None = None
    timestamp: str | int | float | None = None
    agent_id: str | None = None

    @property
    def time(self) -> str:
        """The ISO time as recorded; empty where there is none."""
        return self.timestamp if isinstance(self.timestamp, str) else ""


class _Data(msgspec.Struct, frozen=True, rename="camel", gc=False, kw_only=True):
    pass


class WorkingDirectory(_Data, frozen=True):
    """The context of a start or a resume; `cwd` can be null."""

    cwd: str | None = None


class StartData(_Data, frozen=True):
    """`detached...` names the session that Copilot started this one for, in the background."""

    context: WorkingDirectory | None = None
    producer: str = ""
    copilot_version: str = ""
    start_time: str = ""
    detached_from_spawning_parent_session_id: str | None = None


class SessionStart(_Event, frozen=True):
    """`session.start`."""

    data: StartData


class ResumeData(_Data, frozen=True):
    """Sizes are those of the file before this event (measured: exact on 1.0.20 to 1.0.102)."""

    context: WorkingDirectory | None = None
    event_count: int | None = None
    events_file_size_bytes: int | None = None


class SessionResume(_Event, frozen=True):
    """`session.resume`."""

    data: ResumeData


class ContextChangedData(_Data, frozen=True):
    """The new working directory."""

    cwd: str | None = None


class ContextChanged(_Event, frozen=True):
    """`session.context_changed`, of a subagent too."""

    data: ContextChangedData


class CodeChanges(_Data, frozen=True):
    """What a session modified, as Copilot counts it."""

    files_modified: tuple[Any, ...] = ()


class ShutdownData(_Data, frozen=True):
    """The size is that of the file before this event."""

    code_changes: CodeChanges | None = None
    events_file_size_bytes: int | None = None


class SessionShutdown(_Event, frozen=True):
    """`session.shutdown`."""

    data: ShutdownData


class UserData(_Data, frozen=True):
    """`source` is absent or `user` for what somebody typed."""

    content: str
    source: str | None = None
    is_autopilot_continuation: bool | None = None
    parent_tool_call_id: str | None = None


class UserMessage(_Event, frozen=True):
    """`user.message`."""

    data: UserData


class AssistantData(_Data, frozen=True):
    """`chunk_count` messages with one `api_call_id` are one answer."""

    content: str
    parent_tool_call_id: str | None = None
    api_call_id: str | None = None
    chunk_index: int | None = None
    chunk_count: int | None = None


class AssistantMessage(_Event, frozen=True):
    """`assistant.message`."""

    data: AssistantData


class CompactionData(_Data, frozen=True):
    """The summary that replaces the history for the model."""

    success: bool = False
    summary_content: str | None = None


class CompactionComplete(_Event, frozen=True):
    """`session.compaction_complete`."""

    data: CompactionData


class RewindData(_Data, frozen=True):
    """The events that the user undid: `event_ids`, or `up_to_event_id` and all after it."""

    up_to_event_id: str
    event_ids: tuple[str, ...] | None = None


class SnapshotRewind(_Event, frozen=True):
    """`session.snapshot_rewind`."""

    data: RewindData


class ToolArguments(_Data, frozen=True):
    """The arguments from which work records are made; any of them may be anything."""

    path: Any = None
    file_path: Any = None
    snake_file_path: Any = msgspec.field(default=None, name="file_path")
    command: Any = None
    old_str: Any = msgspec.field(default=None, name="old_str")
    new_str: Any = msgspec.field(default=None, name="new_str")
    input: Any = None
    patch: Any = None


class ToolStartData(_Data, frozen=True):
    """Arguments come under two names, as an object or as a string that may hold JSON."""

    tool_name: str
    tool_call_id: str = ""
    arguments: ToolArguments | str | None = None
    args: ToolArguments | str | None = None
    mcp_server_name: str | None = None


class ToolStart(_Event, frozen=True):
    """`tool.execution_start`."""

    data: ToolStartData


class ToolError(_Data, frozen=True):
    """Why a tool failed."""

    message: Any = None


class ToolResult(_Data, frozen=True):
    """What a tool answered."""

    content: Any = None


class ToolCompleteData(_Data, frozen=True):
    """The end of a tool call; `success` is false for a tool that failed or was denied."""

    tool_call_id: str = ""
    tool_name: str = ""
    success: bool | None = None
    error: ToolError | str | None = None
    result: ToolResult | str | None = None


class ToolComplete(_Event, frozen=True):
    """`tool.execution_complete`."""

    data: ToolCompleteData


@dataclass(frozen=True, slots=True)
class ToolFailed:
    """A failed call with its start, where that was read."""

    completed: ToolComplete
    started: ToolStart | None


Decoded = (
    SessionStart
    | SessionResume
    | ContextChanged
    | SessionShutdown
    | UserMessage
    | AssistantMessage
    | CompactionComplete
    | SnapshotRewind
    | ToolStart
    | ToolComplete
)
"""What a line can be decoded to."""

Event = (
    SessionStart
    | SessionResume
    | ContextChanged
    | SessionShutdown
    | UserMessage
    | AssistantMessage
    | CompactionComplete
    | SnapshotRewind
    | ToolStart
    | ToolFailed
)
"""What the reader yields."""

DECODED: dict[str, type[Decoded]] = {
    "session.start": SessionStart,
    "session.resume": SessionResume,
    "session.context_changed": ContextChanged,
    "session.shutdown": SessionShutdown,
    "user.message": UserMessage,
    "assistant.message": AssistantMessage,
    "session.compaction_complete": CompactionComplete,
    "session.snapshot_rewind": SnapshotRewind,
    "tool.execution_start": ToolStart,
    "tool.execution_complete": ToolComplete,
}
