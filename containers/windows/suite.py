"""The suite's Windows parts, run under Wine: `python -m containers windows-tests`."""

import io
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from containers.provisions import CHECKOUT
from containers.windows.python import lent_python, windows_python
from containers.windows.wine import Wine, wine
from imprint.base.paths import Environment

LANES = (
    ("tests/test_hook_entry.py", "tests/wsl", "tests/base", "tests/memory", "tests/learn"),
    ("tests/edit",),
)
"""Hook entry, paths and launcher, configuration, store, learner; edits and locks. They run side by
side.

What one of them needs and Wine does not have, it names itself (tests/capabilities.py).
"""

SECONDS = 900
TEST_SECONDS = 120
"""Who takes longer hangs: every thread's stack is printed, and that lane is at its end."""

NOTHING_CHOSEN = 5
"""pytest's exit code for a lane in which nothing fits the arguments."""

_COPIED = ("imprint", "compat", "probes", "tests", "pyproject.toml", "README.md")


def run_suite(environment: Environment, arguments: Sequence[str] = ()) -> int:
    """pytest's exit code for `LANES`, or for the `arguments` that name tests of their own.

    `NoWine`, `ContainerFailed`.
    """
    variables = environment.variables
    python = windows_python(environment.cache / "containers", variables)
    with wine(variables) as made:
        _copy(made.drive / "checkout")
        program = lent_python(python, made.drive / "Python", "C:\\checkout")
        started = partial(_run, made, program)
        lanes = _lanes(arguments)
        with ThreadPoolExecutor(len(lanes)) as pool:
            codes = list(pool.map(started, range(len(lanes)), lanes))
    if all(code == NOTHING_CHOSEN for code in codes):
        return NOTHING_CHOSEN
    return next((code for code in codes if code not in {0, NOTHING_CHOSEN}), 0)


def _run(made: Wine, program: Path, number: int, lane: Sequence[str]) -> int:
    """The exit code of one pytest; what it prints is shown, of the others after its end."""
    options = ("-p", "no:cacheprovider", "-o", f"faulthandler_timeout={TEST_SECONDS}")
    ending = ("-o", "faulthandler_exit_on_timeout=true")
    few = ("--hypothesis-profile=windows", "--basetemp", f"C:\\t{number}")
    shown = sys.stdout.buffer
    kept = shown if number == 0 else io.BytesIO()
    try:
        ended = made.run(
            [str(program), "-m", "pytest", "-q", *options, *ending, *few, *lane],
            SECONDS,
            cwd=made.drive / "checkout",
            further={"PYTHONDONTWRITEBYTECODE": "1"},
            show=kept,
        )
    finally:
        if isinstance(kept, io.BytesIO):
            shown.write(kept.getvalue())
            shown.flush()
    return ended.exit_code


def _lanes(arguments: Sequence[str]) -> Sequence[Sequence[str]]:
    if any(one.startswith("tests") for one in arguments):
        return (arguments,)
    return tuple((*lane, *arguments) for lane in LANES)


def _copy(place: Path) -> None:
    """Nothing that runs there can write into the checkout."""
    place.mkdir()
    for name in _COPIED:
        there = CHECKOUT / name
        if there.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
            shutil.copytree(there, place / name, ignore=ignored)
        else:
            shutil.copy2(there, place / name)
