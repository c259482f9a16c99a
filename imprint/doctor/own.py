"""Checks of what belongs to no room: the user's configuration, and the log of failures."""

import datetime as dt
from collections.abc import Iterator
from enum import StrEnum
from functools import partial

from imprint.base.checks import Check, CheckContext, Checker, Status
from imprint.base.config import ConfigError, load_config
from imprint.base.log import last_lines

LOGS = ("hook", "wsl", "learn", "crash")
RECENT = dt.timedelta(days=7)
LINES = 3


class Id(StrEnum):
    """Stable, each explained in docs/doctor.md."""

    CONFIG = "imprint.config"
    LOG = "imprint.log"


IDS = tuple(Id)


def checkers(context: CheckContext) -> tuple[Checker, ...]:
    """Configuration and log."""
    return (
        Checker(Id.CONFIG, partial(check_config, context)),
        Checker(Id.LOG, partial(check_log, context)),
    )


def check_config(context: CheckContext) -> Iterator[Check]:
    """Nothing is learned by guessing: with a configuration in doubt, nothing at all."""
    path = context.environment.layout().config
    try:
        load_config(path)
    except ConfigError as error:
        yield Check.of_error(Id.CONFIG, Status.BROKEN, error)
        return
    there = "is in order" if path.exists() else "is not there: everything may be learned"
    yield Check(Id.CONFIG, Status.OK, f"{path} {there}")


def check_log(context: CheckContext) -> Iterator[Check]:
    """The newest failures, which hooks swallow because they must never hurt."""
    folder = context.environment.layout().log
    found = False
    for name in LOGS:
        lines = [line for line in last_lines(folder, name, 200) if _is_recent(line, context.now)]
        if lines:
            found = True
            told = " | ".join(line[:200] for line in lines[-LINES:])
            yield Check(
                Id.LOG,
                Status.ATTENTION,
                f"{len(lines)} failures in the last {RECENT.days} days: {told}",
                f"nothing, if it does not go on; else report it with {folder / name}.log",
            )
    if not found:
        yield Check(Id.LOG, Status.OK, f"no failure in the last {RECENT.days} days")


def _is_recent(line: str, now: dt.datetime) -> bool:
    """Whether a line begins with a time in that span; lines of a traceback do not."""
    try:
        time = dt.datetime.fromisoformat(line.split(" ", 1)[0])
    except ValueError:
        return False
    return time.tzinfo is not None and now - time <= RECENT
