"""The JSON form of a result (docs/json.md)."""

import msgspec

from imprint.base.results import ErrorItem, Result


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
