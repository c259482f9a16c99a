"""The log below `IMPRINT_HOME/log`: what failed, never what was said.

The hooks' own lines are written by `hook_entry` (which can't import this); here are reading
them back, lines of other processes, and a bug's traceback.
"""

import datetime as dt
import os
from pathlib import Path

from imprint.base.paths import Environment, make_private
from imprint.hook_entry import append_log


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def note(folder: Path, name: str, line: str) -> None:
    """Append a line to `folder`/`name`.log, 1 MB x 3; the caller keeps conversation text out."""
    make_private(folder)
    append_log(os.fspath(folder / f"{name}.log"), f"{_now()} {line}\n")


def last_lines(folder: Path, name: str, count: int) -> list[str]:
    """The newest `count` lines of a log; none where there is no log."""
    try:
        text = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.splitlines()[-count:]


def write_crash(environment: Environment, trace: str, version: str) -> Path:
    """Keep a bug's traceback for a report; returns the file, even where it couldn't be written."""
    folder = environment.layout().log
    path = folder / "crash.log"
    try:
        make_private(folder)
        append_log(os.fspath(path), f"{_now()} imprint {version}\n{trace}\n")
    except OSError:
        return Path(os.devnull)
    return path
