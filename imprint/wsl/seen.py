"""Which Copilots were at work in a distribution lately, by what their transcripts say.

The program itself is not asked: its place is on the PATH of a login shell alone, and a start of it
in a distribution takes seconds.
"""

import os
from pathlib import Path

import msgspec

from imprint.compat.decide import Asked
from imprint.copilot.contract import CopilotContract

SESSIONS = 5
"""The newest ones count: an older version was upgraded since."""
LINE_BYTES = 64 * 1024


class _Data(msgspec.Struct, rename="camel"):
    copilot_version: str = ""


class _Start(msgspec.Struct):
    type: str
    data: _Data


_START = msgspec.json.Decoder(_Start)


def contract_of(home: Path) -> CopilotContract:
    """The contract that is right for every Copilot seen in a home, as Windows opens it; the safe
    one where none was seen.
    """
    asked = tuple(Asked(version) for version in seen_versions(home))
    return CopilotContract.for_copilots(asked or (Asked(None),), "linux")


def seen_versions(home: Path) -> tuple[str, ...]:
    """The versions in the newest transcripts, the newest first, each once."""
    found = dict.fromkeys(map(_version_in, _newest(home / "session-state")))
    return tuple(version for version in found if version)


def _newest(state: Path) -> list[Path]:
    try:
        with os.scandir(state) as entries:
            folders = [(entry.stat().st_mtime_ns, entry.path) for entry in entries]
    except OSError:
        return []
    return [Path(path, "events.jsonl") for _, path in sorted(folders, reverse=True)[:SESSIONS]]


def _version_in(transcript: Path) -> str:
    """What the first event says; empty where it says nothing."""
    try:
        with transcript.open("rb") as file:
            start = _START.decode(file.readline(LINE_BYTES))
    except (OSError, msgspec.DecodeError, ValueError):
        return ""
    return start.data.copilot_version if start.type == "session.start" else ""
