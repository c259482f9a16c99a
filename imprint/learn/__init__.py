"""From Copilot's transcripts to the memory: evidence, policy, turns, import. Knows no SQL.

Names are imported when they are asked for (`imprint.base.lazy`).
"""

from typing import TYPE_CHECKING

from imprint.base.lazy import names_of

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

__getattr__ = names_of(__name__, _MODULES)
