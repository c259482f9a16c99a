"""Which session a payload's transcript path belongs to: text alone, for bridge and importer.

The bridge runs this at every hook, without anything but the standard library: no imports here.
"""

_STATE = "/session-state/"
_TRANSCRIPT = "/events.jsonl"


def session_of(path: str, *homes: str) -> str:
    """The session folder's name for `<home>/session-state/<name>/events.jsonl`; else empty.

    `path` and the Copilot `homes` are absolute paths of the distribution. Nothing is collapsed:
    a path with `..`, `.` or doubled separators is none that Copilot writes.
    """
    for home in homes:
        state = home.rstrip("/") + _STATE
        if path.startswith(state) and path.endswith(_TRANSCRIPT):
            name = path[len(state) : -len(_TRANSCRIPT)]
            if is_session_name(name):
                return name
    return ""


def is_session_name(name: str) -> bool:
    """Whether a session's id can be the name of its folder."""
    return name not in {"", ".", ".."} and "/" not in name and "\0" not in name
