"""Where a session was: the directories that its own events record (ADR 0057, "Evidence").

`session.start` and `session.resume` contexts and `session.context_changed`, subagents' included.
`workspace.yaml`, tool arguments and hook payloads are no evidence.
"""

from imprint.learn.events import ContextChanged, Event, SessionResume, SessionStart
from imprint.learn.windows import is_windows_path

DIRECTORIES = 256
"""More different ones than anybody was seen to use; the rest counts as not allowed."""


def recorded_directory(event: Event) -> str:
    """The working directory that an event records; empty where it records none."""
    match event:
        case SessionStart() | SessionResume():
            context = event.data.context
            return (context.cwd if context is not None else None) or ""
        case ContextChanged():
            return event.data.cwd or ""
        case _:
            return ""


def project_name(directory: str) -> str:
    """The project that a recorded directory names: its last part, as recorded.

    >>> project_name("/home/me/app/")
    'app'
    >>> project_name("c:\\\\Users\\\\me\\\\app")
    'app'
    >>> project_name("\\\\\\\\wsl.localhost\\\\Ubuntu\\\\home\\\\me\\\\app")
    'app'
    """
    if is_windows_path(directory):
        parts = [part for part in directory.replace("/", "\\").split("\\") if part]
        return parts[-1] if parts else ""
    return directory.rstrip("/").rpartition("/")[2] or directory
