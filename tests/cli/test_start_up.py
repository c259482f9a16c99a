"""A command imports what it needs and no more: what every command imports, every user waits for."""

import os
import re
import subprocess
import sys

import pytest

_IMPORTED = re.compile(r"^import time:.*\| +([\w.]+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A home that is set up, with a note in the memory."""
    home = tmp_path_factory.mktemp("home")
    (home / ".copilot").mkdir()
    env = {"PATH": os.defpath, "HOME": str(home), "IMPRINT_HOME": str(home / "imprint")}
    for words in (("setup",), ("remember", "the walrus")):
        command = [sys.executable, "-P", "-m", "imprint", *words]
        subprocess.run(command, env=env, capture_output=True, check=True)
    return env


def imported(env: dict[str, str], *words: str) -> set[str]:
    """The modules that a command imports, with the packages that they lie in."""
    command = [sys.executable, "-P", "-X", "importtime", "-m", "imprint", *words]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    found = set(_IMPORTED.findall(done.stderr))
    assert {"argparse", "imprint.cli._main"} <= found, done.stderr
    return found


_BARE = ("imprint.base.paths", "imprint.base.results", "msgspec", "dataclasses", "pathlib")
_UNNEEDED = {
    "--version": _BARE,
    "--help": _BARE,
    "recall walrus": (
        *("imprint.compat", "imprint.copilot", "imprint.edit", "imprint.learn", "imprint.sandbox"),
        *("imprint.base.envelope", "semver", "subprocess", "tomllib", "mcp"),
    ),
    "status": (
        *("imprint.compat.loader", "imprint.compat.catalogue", "imprint.edit.apply"),
        *("imprint.learn", "imprint.memory", "imprint.observe", "imprint.sandbox"),
        *("sqlite3", "subprocess", "tomllib", "mcp"),
    ),
    "doctor": (
        *("imprint.compat.loader", "imprint.compat.catalogue", "imprint.edit.apply"),
        *("imprint.copilot.parts", "imprint.copilot.live", "imprint.learn.reader"),
        *("imprint.memory.store", "imprint.observe", "imprint.sandbox", "imprint.wsl"),
        *("tomllib", "mcp"),
    ),
}


@pytest.mark.parametrize("command", _UNNEEDED)
def test_a_command_does_not_import_what_it_does_not_use(command: str, env: dict[str, str]) -> None:
    assert imported(env, *command.split()).intersection(_UNNEEDED[command]) == set()


def test_what_a_command_uses_is_seen_by_this_test(env: dict[str, str]) -> None:
    assert {"imprint.memory.search", "sqlite3"} <= imported(env, "recall", "walrus")
    assert {"imprint.compat.decide", "subprocess", "msgspec"} <= imported(env, "doctor")


@pytest.mark.parametrize(
    ("call", "is_changed"),
    [("sys.argv = ['imprint', '--version']; main()", True), ("main(['--version'])", False)],
)
def test_only_a_process_of_its_own_gets_another_rhythm_of_garbage_collection(
    call: str, is_changed: bool, env: dict[str, str]
) -> None:
    code = f"import gc, sys; before = gc.get_threshold(); from imprint.cli import main; {call}"
    told = f"{code}; print(gc.get_threshold() != before)"
    command = [sys.executable, "-P", "-c", told]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(is_changed)
