"""Observing a real Copilot: scenarios are run in scratch homes, judges answer claims from them."""

from imprint.observe.registry import JUDGES, SCENARIOS, SNAPSHOTS, observe, sessions_of
from imprint.observe.sessions import (
    Seen,
    Sessions,
    SessionUseless,
    executable_digest,
    this_platform,
)

__all__ = [
    "JUDGES",
    "SCENARIOS",
    "SNAPSHOTS",
    "Seen",
    "SessionUseless",
    "Sessions",
    "executable_digest",
    "observe",
    "sessions_of",
    "this_platform",
]
