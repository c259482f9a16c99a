"""One tree of errors: each class has a stable code, an exit code, and says what to do."""

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """Exit codes of every command (docs/json.md)."""

    OK = 0
    ATTENTION = 1
    REFUSED = 2
    UNDETERMINED = 3
    USAGE = 64


class ImprintError(Exception):
    """Something that a person can act on; the one boundary in the CLI turns it into an exit code.

    `message` says what happened, `fix` what to do about it (may be empty).
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[ExitCode] = ExitCode.REFUSED

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


class UsageError(ImprintError):
    """The command line does not fit."""

    code = "usage"
    exit_code = ExitCode.USAGE


class RefusedError(ImprintError):
    """Doing it would harm or lose something, so nothing was done."""

    code = "refused"


class UndeterminedError(ImprintError):
    """The question could not be answered; that is not a no."""

    code = "undetermined"
    exit_code = ExitCode.UNDETERMINED


class MissingExtraError(ImprintError):
    """An optional dependency is not installed."""

    code = "missing-extra"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the optional part '{extra}', which is not installed",
            fix=f"pip install 'imprint-copilot[{extra}]'",
        )
