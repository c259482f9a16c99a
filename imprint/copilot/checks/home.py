"""The home itself: there, writable, the one that is meant, and not the only one."""

import os
from collections.abc import Iterator
from pathlib import Path

from imprint.base.checks import Check, Status
from imprint.base.errors import ImprintError
from imprint.copilot.checks import seen
from imprint.copilot.checks.documents import read_text
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.clients import clients_of
from imprint.copilot.homes import (
    HOME_VARIABLE,
    CopilotHome,
    HomeSource,
    is_mounted_drive,
    is_wsl,
    known_homes,
    old_places,
    real_key,
    unique,
)
from imprint.copilot.receipts import installed_homes
from imprint.edit.errors import FileError
from imprint.edit.permissions import check_writable
from imprint.edit.target import inspect

_SOURCES = {
    HomeSource.GIVEN: "named with --home",
    HomeSource.VARIABLE: f"from {HOME_VARIABLE}",
    HomeSource.DEFAULT: "the default place",
    HomeSource.SNAP: "the snap's place",
    HomeSource.RECEIPT: "from the record of setup",
}

_RIGHTS = "give this user (the one that runs Copilot) the rights to the folder"


def unreadable(home: CopilotHome) -> str:
    """Why a home that is there cannot be looked into; empty where it can."""
    try:
        with os.scandir(home.path):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def check_home(facts: Facts) -> Iterator[Check]:
    """Whether there is a folder that this user can use."""
    home = facts.home
    where = f"{home.path} ({_SOURCES[home.source]})"
    if not home.exists:
        yield Check(
            Id.HOME,
            Status.ATTENTION,
            f"there is no folder {where}: Copilot was not started yet, or uses another home",
            f"start Copilot once, or type `{facts.setup_command}`, which makes it",
        )
        return
    problem = unreadable(home)
    if problem:
        yield Check(Id.HOME, Status.BROKEN, f"{where} cannot be read: {problem}", _RIGHTS)
        return
    doubts = [*_doubts(facts)]
    yield from doubts
    if doubts:
        return
    if HOME_VARIABLE in facts.environment.variables and home.source is HomeSource.DEFAULT:
        where += f"; {HOME_VARIABLE} is set but empty, which counts as not set"
    yield Check(Id.HOME, Status.OK, where)


def _doubts(facts: Facts) -> Iterator[Check]:
    """A home that this Imprint, or some Copilot, cannot serve."""
    home, environment = facts.home, facts.environment
    if is_wsl(environment) and is_mounted_drive(home.path):
        yield Check(
            Id.HOME,
            Status.ATTENTION,
            f"{home.path} belongs to Copilot on Windows, which cannot start this Imprint in WSL",
            f"run Imprint on Windows, or unset {HOME_VARIABLE} for the Copilot inside WSL",
        )
    if is_wsl(environment) and environment.home.as_posix() == "/root":
        yield Check(
            Id.HOME,
            Status.ATTENTION,
            "this is WSL as root: Copilot of another user, or of Windows, is not reached",
            "run Imprint as the user who runs Copilot",
        )
    if set("[]") & set(os.path.realpath(home.path)) and not facts.is_harmless(seen.BRACKETS):
        yield Check(
            Id.HOME,
            Status.ATTENTION,
            f"{home.path} has [ or ] in its path: {seen.BRACKETS.told}",
            "update Copilot, or keep its home in a folder without brackets",
        )


def check_writable_files(facts: Facts) -> Iterator[Check]:
    """Whether setup and disconnect could change their files, and Copilot keep its sessions."""
    home = facts.home
    if not os.access(home.path, os.W_OK | os.X_OK):
        yield Check(
            Id.WRITABLE,
            Status.BROKEN,
            f"{home.path} is not writable for this user: no session can be kept there",
            _RIGHTS,
        )
        return
    problems = 0
    for path in (home.mcp_config, home.instructions, home.hooks_file):
        try:
            check_writable(inspect(path))
        except FileError as error:
            problems += 1
            what = error.message.removesuffix("; nothing was changed")
            yield Check(
                Id.WRITABLE, Status.ATTENTION, f"{what}; setup refuses to change it", error.fix
            )
    if not problems:
        yield Check(Id.WRITABLE, Status.OK, "home and files can be changed by this user")


def check_homes(facts: Facts) -> Iterator[Check]:
    """Other homes here: connected or not, used by whom; places of old releases."""
    others = [home for home in _all_homes(facts) if not _is_same(home, facts.home)]
    found = [check for home in others if home.exists for check in _other(facts, home)]
    found += [check for folder in old_places(facts.environment) for check in _old(facts, folder)]
    yield from found
    if not found:
        yield Check(Id.HOMES, Status.OK, "no other Copilot home on this computer")


def _all_homes(facts: Facts) -> tuple[CopilotHome, ...]:
    """A variable that makes no sense hides no other home."""
    environment = facts.environment
    try:
        known = known_homes(environment)
    except ImprintError:
        known = ()
    return unique([*known, *installed_homes(environment.layout())])


def _other(facts: Facts, home: CopilotHome) -> Iterator[Check]:
    from imprint.copilot.status import Connection, home_status  # few have a second home

    users = clients_of(facts.environment, home, facts.clients)
    status = home_status(facts.environment, home, facts.runtime, users)
    names = ", ".join(dict.fromkeys(client.kind.value for client in users))
    what = f"{home.path} ({_SOURCES[home.source]}): {status.state}, {status.why}"
    if status.state is Connection.CONNECTED:
        yield Check(Id.HOMES, Status.OK, what)
    elif users:
        yield Check(
            Id.HOMES,
            Status.ATTENTION,
            f"{what}; {names} may use that home and then has no memory",
            f"`imprint setup --home {facts.quoted(home.path)}`",
        )
    else:
        yield Check(Id.HOMES, Status.OK, f"{what}; no program found that uses it")


def _old(facts: Facts, folder: Path) -> Iterator[Check]:
    """A place below the XDG folders, which old releases used."""
    if not folder.is_dir() or real_key(folder) == real_key(facts.home.path):
        return
    names = ("mcp-config.json", "copilot-instructions.md", "hooks/imprint.json")
    holds = [name for name in names if "imprint" in read_text(folder / name).text]
    if holds:
        yield Check(
            Id.HOMES,
            Status.ATTENTION,
            f"{folder} (a home of old releases) names Imprint in {', '.join(holds)};"
            " Imprint neither writes nor learns there",
            f"if no old Copilot is in use, take Imprint out of these files in {folder}",
        )
    else:
        what = f"{folder} is a home of old releases; Imprint neither writes nor learns there"
        yield Check(Id.HOMES, Status.OK, what)


def _is_same(one: CopilotHome, other: CopilotHome) -> bool:
    return real_key(one.path) == real_key(other.path)
