"""From Copilot's transcripts to the memory: evidence, policy, turns, import. Knows no SQL.

Names are imported when they are asked for: doctor looks at small files only, and should not wait
for what importing needs.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from imprint.learn.importer import learn_homes
    from imprint.learn.policy import Policy, load_policy, pause, unpause
    from imprint.learn.report import REASONS, Gap, LearnReport, SkippedSession, SkipReason
    from imprint.learn.run import LearningBusyError
    from imprint.learn.skipped import SkippedSessions
    from imprint.learn.spool import drain_spool
    from imprint.learn.store import SessionState

__all__ = [
    "REASONS",
    "Gap",
    "LearnReport",
    "LearningBusyError",
    "Policy",
    "SessionState",
    "SkipReason",
    "SkippedSession",
    "SkippedSessions",
    "drain_spool",
    "learn_homes",
    "load_policy",
    "pause",
    "unpause",
]

_MODULES = {
    "importer": ("learn_homes",),
    "policy": ("Policy", "load_policy", "pause", "unpause"),
    "report": ("REASONS", "Gap", "LearnReport", "SkipReason", "SkippedSession"),
    "run": ("LearningBusyError",),
    "skipped": ("SkippedSessions",),
    "spool": ("drain_spool",),
    "store": ("SessionState",),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
