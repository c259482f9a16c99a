"""What a command returns; nobody but the renderer in `imprint.cli` prints."""

from dataclasses import dataclass, field

import msgspec

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


class _Envelope(msgspec.Struct, frozen=True):
    schema: int
    command: str
    exit_code: int
    data: object
    messages: tuple[str, ...]
    errors: tuple[ErrorItem, ...]


def envelope(result: Result) -> bytes:
    """The JSON that `--json` prints, alone on stdout, with a final newline."""
    encoded = msgspec.json.encode(
        _Envelope(
            schema=1,
            command=result.command,
            exit_code=int(result.exit_code),
            data=result.data,
            messages=result.messages,
            errors=result.errors,
        )
    )
    return encoded + b"\n"
