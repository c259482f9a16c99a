"""The runner: every checker is run, whatever the others do, and the worst finding decides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from imprint.base.checks import Check, CheckContext, Checker, Room, Status
from imprint.base.errors import ExitCode, ImprintError
from imprint.doctor.rooms import ROOMS

_EXIT_CODES = {
    Status.BROKEN: ExitCode.REFUSED,
    Status.UNKNOWN: ExitCode.UNDETERMINED,
    Status.ATTENTION: ExitCode.ATTENTION,
    Status.OK: ExitCode.OK,
}
"""Worst first."""


@dataclass(frozen=True, slots=True)
class DoctorData:
    """`data` of doctor: the worst first, each kind in the order of the rooms."""

    checks: tuple[Check, ...]


def run(context: CheckContext, rooms: Sequence[Room] = ROOMS) -> DoctorData:
    """All checks of all rooms."""
    found = [check for room in rooms for checker in room(context) for check in _guarded(checker)]
    order = list(_EXIT_CODES)
    return DoctorData(tuple(sorted(found, key=lambda check: order.index(check.status))))


def exit_code(data: DoctorData) -> ExitCode:
    """Broken before unknown before attention."""
    statuses = {check.status for check in data.checks}
    return next((code for status, code in _EXIT_CODES.items() if status in statuses), ExitCode.OK)


def _guarded(checker: Checker) -> Iterator[Check]:
    """What a checker found; one that fails is an answer too, and ends nothing."""
    try:
        yield from checker.run()
    except ImprintError as error:
        yield Check.of_error(checker.id, Status.UNKNOWN, error)
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        what = f"could not be looked at: {error.strerror or type(error).__name__}{where}"
        yield Check(checker.id, Status.UNKNOWN, what, "see that this user may read it")
