"""What `imprint doctor` is made of: every room exports checkers, one runner runs them."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from imprint.base.errors import ImprintError
from imprint.base.paths import Environment


class Status(StrEnum):
    """How something was found; UNKNOWN is never a no."""

    OK = "ok"
    ATTENTION = "attention"
    BROKEN = "broken"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: `data.checks[]`.

    `id` is stable and listed in docs/doctor.md, `detail` says what is the case and what follows,
    `fix` what to type or change (empty where there is nothing to do).
    """

    id: str
    status: Status
    detail: str
    fix: str = ""

    @classmethod
    def of_error(cls, name: str, status: Status, error: ImprintError) -> "Check":
        """An error that already says what happened and what to do."""
        return cls(name, status, error.message, error.fix)


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What is checked, and how far.

    `now` is in UTC; `home` is the Copilot home that the user named (None: as Copilot does);
    `live` permits what takes seconds, such as starting the MCP server.
    """

    environment: Environment
    now: dt.datetime
    home: str | None = None
    live: bool = False


@dataclass(frozen=True, slots=True)
class Checker:
    """`run` yields checks with this `id`, which also stands for it when it could not be run."""

    id: str
    run: Callable[[], Iterable[Check]]


Room = Callable[[CheckContext], Sequence[Checker]]
"""What a room exports: its checkers, made without looking at anything yet."""
