"""Which releases are asked, and how each is got."""

import shutil
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

import pytest

from imprint.base.errors import ImprintError
from imprint.base.paths import Environment
from imprint.compat import data_folder, load_releases
from imprint.sandbox.release import Release, from_binary
from imprint.sandbox.releases import release_store

PROGRAM = "copilot"


@dataclass(frozen=True, slots=True)
class Choice:
    """The versions to ask, oldest first; `installed` is the program of the one on PATH."""

    versions: tuple[str, ...]
    installed: str = ""
    installed_version: str = ""


def chosen_versions(option: Namespace, host: Environment) -> Choice:
    """What the options name; else the installed Copilot, the newest cached, the newest on npm."""
    named = [*option.copilot, *(_range(option.copilot_range) if option.copilot_range else ())]
    if option.copilot_installed or not named:
        program = shutil.which(PROGRAM, path=host.get("PATH"))
        if program:
            return _with_installed(named, program, host)
        if option.copilot_installed:
            raise pytest.UsageError("there is no copilot on PATH")
    return Choice(tuple(dict.fromkeys(named)) or (_newest(host),))


def open_release(version: str, choice: Choice, host: Environment) -> Release:
    """The release of a version; `ImprintError` where it can't be had."""
    if choice.installed and version == choice.installed_version:
        return from_binary(Path(choice.installed), host)
    return release_store(host).fetch(version)


def _with_installed(named: list[str], program: str, host: Environment) -> Choice:
    try:
        version = from_binary(Path(program), host).version
    except ImprintError as error:
        raise pytest.UsageError(error.message) from error
    return Choice(tuple(dict.fromkeys([*named, version])), program, version)


def _range(text: str) -> tuple[str, ...]:
    first, separator, last = text.partition("..")
    if not separator:
        raise pytest.UsageError(f"--copilot-range {text}: give A..B")
    line = load_releases(data_folder()).line()
    try:
        places = line.place(first), line.place(last)
    except ImprintError as error:
        raise pytest.UsageError(error.message) from error
    return line.versions[places[0] : places[1] + 1]


def _newest(host: Environment) -> str:
    store = release_store(host)
    cached = store.cached()
    return cached[-1] if cached else store.newest().version
