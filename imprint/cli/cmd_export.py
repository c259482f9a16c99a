"""`imprint export`: the memory as JSON lines."""

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from imprint.base.errors import RefusedError, UsageError
from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._store import NOTHING_YET, reading


@dataclass(frozen=True, slots=True)
class Exported:
    """How many lines went where; `-` is stdout."""

    lines: int
    file: str


def configure(parser: argparse.ArgumentParser) -> None:
    """Where to."""
    parser.add_argument("file", nargs="?", default="-", help="a new file (default: stdout)")


def run(arguments: argparse.Namespace, context: Context) -> Result | None:
    """Never writes over a file that is there."""
    to_stdout = arguments.file == "-"
    if to_stdout and arguments.json:
        raise UsageError("--json needs stdout for the envelope; give a file for the export")
    with reading(context.environment) as memory:
        if memory is None:
            raise RefusedError(NOTHING_YET)
        if to_stdout:
            for line in memory.export():
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            return None
        return Result(
            "export", Exported(_write(Path(arguments.file), memory.export()), arguments.file)
        )


def _write(path: Path, lines: Iterable[bytes]) -> int:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise RefusedError(f"{path} exists", fix="name a new file") from error
    count = 0
    with os.fdopen(descriptor, "wb") as file:
        for line in lines:
            file.write(line)
            count += 1
    return count


def text(result: Result) -> Iterable[str]:
    """What was written."""
    assert isinstance(result.data, Exported)
    yield f"{result.data.lines} lines in {result.data.file}"
