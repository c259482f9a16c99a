"""From Copilot's transcripts to the memory: evidence, policy, turns, import. Knows no SQL."""

from imprint.learn.importer import learn_homes
from imprint.learn.policy import Policy, load_policy, pause, unpause
from imprint.learn.report import (
    REASONS,
    Gap,
    LearnReport,
    SkippedSession,
    SkipReason,
)
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
