"""How a command's result, and its failure, reach the terminal: as text or as the envelope."""

import sys
from collections.abc import Sequence

from imprint import __version__
from imprint.base.errors import ExitCode, ImprintError
from imprint.base.results import ErrorItem, Result


def show(result: Result, lines: Sequence[str], *, as_json: bool) -> None:
    """Print a result: `lines` are its data for people, the envelope has all of it."""
    if as_json:
        from imprint.base.envelope import envelope  # the encoder takes as long as a small command

        sys.stdout.flush()
        sys.stdout.buffer.write(envelope(result))
        sys.stdout.buffer.flush()
        return
    for line in (*lines, *result.messages):
        sys.stdout.write(line + "\n")
    sys.stdout.flush()
    for error in result.errors:
        sys.stderr.write(f"imprint: {error.message}\n")
        if error.fix:
            sys.stderr.write(f"  {error.fix}\n")


def failure(name: str, error: Exception) -> Result:
    """What is told of an error; a bug ends in a log, not in a traceback."""
    match error:
        case ImprintError():
            return Result(name, exit_code=error.exit_code, errors=(ErrorItem.of(error),))
        case OSError():
            return _failed(name, "system", _one_line(error))
        case _:
            fix = f"please report it with {_logged(error)}"
            return _failed(name, "internal", "Imprint has a bug", fix)


def _failed(name: str, code: str, message: str, fix: str = "") -> Result:
    error = ErrorItem(code, message, fix)
    return Result(name, exit_code=ExitCode.REFUSED, errors=(error,))


def _one_line(error: OSError) -> str:
    where = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or type(error).__name__}{where}"


def _logged(error: Exception) -> str:
    """Where the traceback is."""
    import traceback  # for a bug alone

    from imprint.base.log import write_crash  # for a bug alone
    from imprint.base.paths import Environment

    trace = "".join(traceback.format_exception(error))
    return str(write_crash(Environment.current(), trace, __version__))
