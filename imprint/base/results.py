"""What a command returns; nobody but the renderer in `imprint.cli` prints."""

from dataclasses import dataclass, field

from imprint.base.errors import ExitCode, ImprintError


@dataclass(frozen=True, slots=True)
class ErrorItem:
    """One error in the envelope: stable code, what happened, what to do."""

    code: str
    message: str
    fix: str = ""

    @classmethod
    def of(cls, error: ImprintError) -> "ErrorItem":
        """The envelope's form of an error."""
        return cls(error.code, error.message, error.fix)


@dataclass(frozen=True, slots=True)
class Result:
    """A command's outcome: `data` is anything that msgspec encodes as a JSON object."""

    command: str
    data: object = field(default_factory=dict)
    exit_code: ExitCode = ExitCode.OK
    messages: tuple[str, ...] = ()
    errors: tuple[ErrorItem, ...] = ()
