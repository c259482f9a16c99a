"""The suite's Windows parts, run under Wine: `python -m containers windows-tests`."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from containers.provisions import CHECKOUT
from containers.windows.python import lent_python, windows_python
from containers.windows.wine import wine
from imprint.base.paths import Environment

TESTS = (
    "tests/test_hook_entry.py",
    "tests/wsl",
    "tests/edit",
    "tests/base",
    "tests/memory",
    "tests/learn",
)
"""Hook entry, paths and launcher, edits and locks, configuration, store, learner.

What one of them needs and Wine does not have, it names itself (tests/capabilities.py).
"""

SECONDS = 1500
TEST_SECONDS = 120
"""After so long every thread's stack is printed: something hangs."""

_COPIED = ("imprint", "compat", "probes", "tests", "pyproject.toml", "README.md")


def run_suite(environment: Environment, arguments: Sequence[str] = ()) -> int:
    """pytest's exit code for `TESTS`, or for the `arguments` that name tests of their own.

    `NoWine`, `ContainerFailed`.
    """
    variables = environment.variables
    python = windows_python(environment.cache / "containers", variables)
    with wine(variables) as made:
        _copy(made.drive / "checkout")
        program = lent_python(python, made.drive / "Python", "C:\\checkout")
        options = ("-p", "no:cacheprovider", "-o", f"faulthandler_timeout={TEST_SECONDS}")
        words = ["-m", "pytest", "-q", *options, "--basetemp", "C:\\t", *_wanted(arguments)]
        ended = made.run(
            [str(program), *words],
            SECONDS,
            cwd=made.drive / "checkout",
            further={"PYTHONDONTWRITEBYTECODE": "1"},
            show=sys.stdout.buffer,
        )
    return ended.exit_code


def _wanted(arguments: Sequence[str]) -> Sequence[str]:
    is_named = any(one.startswith("tests") for one in arguments)
    return arguments if is_named else (*TESTS, *arguments)


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
