"""The rooms that doctor asks, in the order of the report."""

from imprint.base.checks import Room
from imprint.copilot import checks as copilot_checks
from imprint.doctor import own
from imprint.learn import checks as learn_checks
from imprint.memory import checks as memory_checks
from imprint.wsl import checks as wsl_checks

ROOMS: tuple[Room, ...] = (
    copilot_checks.checkers,
    memory_checks.checkers,
    learn_checks.checkers,
    wsl_checks.checkers,
    own.checkers,
)

IDS: tuple[str, ...] = (
    *copilot_checks.IDS,
    *memory_checks.IDS,
    *learn_checks.IDS,
    *wsl_checks.IDS,
    *own.IDS,
)
"""Every id that a check can have."""
