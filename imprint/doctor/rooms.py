"""The rooms that doctor asks, in the order of the report."""

from collections.abc import Sequence

from imprint.base.checks import CheckContext, Checker, Room
from imprint.copilot import checks as copilot_checks
from imprint.doctor import own
from imprint.learn import checks as learn_checks
from imprint.memory import checks as memory_checks


def _wsl(context: CheckContext) -> Sequence[Checker]:
    """Nothing is imported for it where nothing was ever set up in a distribution."""
    if not any(context.environment.layout().wsl.glob("*.json")):
        return ()
    from imprint.wsl import checks

    return checks.checkers(context)


ROOMS: tuple[Room, ...] = (
    copilot_checks.checkers,
    memory_checks.checkers,
    learn_checks.checkers,
    _wsl,
    own.checkers,
)
