"""Every id that a check can have, in the order of the report."""

from imprint.copilot import checks as copilot_checks
from imprint.doctor import own
from imprint.learn import checks as learn_checks
from imprint.memory import checks as memory_checks
from imprint.wsl import checks as wsl_checks

IDS: tuple[str, ...] = (
    *copilot_checks.IDS,
    *memory_checks.IDS,
    *learn_checks.IDS,
    *wsl_checks.IDS,
    *own.IDS,
)
