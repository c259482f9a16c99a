"""Copilot homes: where they are, and which places only look like one.

The home is `COPILOT_HOME`, else `~/.copilot` (`%USERPROFILE%\\.copilot` on Windows): ADR 0057.
Everything here follows from an `Environment`; nothing is executed or written.
"""

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath, PureWindowsPath

from imprint.base.errors import RefusedError
from imprint.base.paths import Environment, is_folder

HOME_VARIABLE = "COPILOT_HOME"

_DRIVE = re.compile(r"^([A-Za-z]):[\\/]?")
_MOUNTED_DRIVE = re.compile(r"^/mnt/([A-Za-z])(?:/|$)")


class BadHomeError(RefusedError):
    """A Copilot home that cannot be meant."""

    code = "bad-copilot-home"


class HomeSource(StrEnum):
    """How a home was found."""

    GIVEN = "given"
    VARIABLE = "COPILOT_HOME"
    DEFAULT = "default"
    SNAP = "snap"
    RECEIPT = "receipt"


@dataclass(frozen=True, slots=True)
class CopilotHome:
    """A Copilot home's place; `exists` says whether a folder is there now."""

    path: Path
    source: HomeSource
    exists: bool

    @classmethod
    def at(cls, path: Path, source: HomeSource) -> "CopilotHome":
        """The home at `path`; raises BadHomeError where a folder cannot be."""
        exists = _is_folder(path)
        return cls(path, source, exists)

    @property
    def mcp_config(self) -> Path:
        """The MCP servers that Copilot starts."""
        return self.path / "mcp-config.json"

    @property
    def instructions(self) -> Path:
        """The user's always-on instructions."""
        return self.path / "copilot-instructions.md"

    @property
    def hooks_folder(self) -> Path:
        """Copilot reads every `*.json` in it."""
        return self.path / "hooks"

    @property
    def hooks_file(self) -> Path:
        """The one hooks file that is Imprint's."""
        return self.hooks_folder / "imprint.json"


def is_wsl(environment: Environment) -> bool:
    """Whether this is a Linux inside Windows."""
    return environment.platform == "linux" and bool(
        environment.get("WSL_DISTRO_NAME") or environment.get("WSL_INTEROP")
    )


def is_mounted_drive(path: Path) -> bool:
    """Whether a folder of WSL lies on a drive of Windows."""
    return bool(_MOUNTED_DRIVE.match(os.path.realpath(path)))


def find_home(environment: Environment, given: str | None = None) -> CopilotHome:
    """The home that Copilot itself would use here: `given`, else `COPILOT_HOME`, else the default.

    Raises BadHomeError, with what to do, for a value that Copilot would take otherwise than
    it was meant.
    """
    if given is not None:
        # Typed on a command line: relative to where the user is.
        _refuse_other_system(environment, given, "--home")
        path = Path(given).expanduser().absolute() if given else _refuse_empty()
        return CopilotHome.at(path, HomeSource.GIVEN)
    value = environment.get(HOME_VARIABLE)
    if value:
        return CopilotHome.at(variable_home(environment, value), HomeSource.VARIABLE)
    return CopilotHome.at(default_home(environment), HomeSource.DEFAULT)


def variable_home(environment: Environment, value: str) -> Path:
    """The folder that `COPILOT_HOME=value` names; BadHomeError where it cannot be meant."""
    _refuse_other_system(environment, value, HOME_VARIABLE)
    if value.startswith("~"):
        meant = environment.home / value[2:] if value[1:2] in {"/", "\\"} else environment.home
        raise BadHomeError(
            f"{HOME_VARIABLE}={value} has a ~ that no shell expanded; Copilot takes it literally",
            fix=f"set {HOME_VARIABLE} to the full path, such as {meant}",
        )
    absolute = (
        PureWindowsPath(value).is_absolute()
        if environment.platform == "win32"
        else PurePosixPath(value).is_absolute()
    )
    if not absolute:
        raise BadHomeError(
            f"{HOME_VARIABLE}={value} is relative: another folder in every directory",
            fix=f"set {HOME_VARIABLE} to a full path, or unset it",
        )
    return Path(value)


def default_home(environment: Environment) -> Path:
    """`~/.copilot`; on Windows `%USERPROFILE%\\.copilot`."""
    profile = environment.get("USERPROFILE") if environment.platform == "win32" else ""
    return (Path(profile) if profile else environment.home) / ".copilot"


def snap_home(environment: Environment) -> Path | None:
    """Where Ubuntu's snap of the Copilot CLI keeps its home; None off Linux."""
    if environment.platform != "linux":
        return None
    return environment.home / "snap" / "copilot-cli" / "common" / ".copilot"


def old_places(environment: Environment) -> tuple[Path, ...]:
    """Homes of old releases, below the XDG folders: looked at, never written."""
    if environment.platform == "win32":
        return ()
    folders = []
    for variable, default in (("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state")):
        value = environment.get(variable)
        folders.append((Path(value) if value else environment.home / default) / ".copilot")
    return tuple(folders)


def known_homes(environment: Environment) -> tuple[CopilotHome, ...]:
    """Every home that a client here may use, the one of this shell first, each place once.

    With `COPILOT_HOME` set the default is listed too: an editor started from the desktop does
    not see the shell's variables. Raises BadHomeError like `find_home`.
    """
    homes = [find_home(environment)]
    homes.append(CopilotHome.at(default_home(environment), HomeSource.DEFAULT))
    snap = snap_home(environment)
    if snap is not None and is_folder(snap):
        homes.append(CopilotHome.at(snap, HomeSource.SNAP))
    return unique(homes)


def unique(homes: list[CopilotHome]) -> tuple[CopilotHome, ...]:
    """The homes without those that are the same folder as an earlier one."""
    seen: dict[str, CopilotHome] = {}
    for home in homes:
        seen.setdefault(real_key(home.path), home)
    return tuple(seen.values())


def real_key(path: Path) -> str:
    """What two spellings of one folder have in common: the real path, in the system's case."""
    return os.path.normcase(os.path.realpath(path))


def _is_folder(path: Path) -> bool:
    if path.is_dir():
        return True
    if path.is_symlink():
        raise BadHomeError(
            f"the Copilot home {path} is a link to {path.readlink()}, which is no folder",
            fix="create the folder that the link names, or remove the link",
        )
    if path.exists():
        raise BadHomeError(
            f"the Copilot home {path} is a file, not a folder",
            fix=f"move the file away, or set {HOME_VARIABLE} to a folder",
        )
    return False


def _refuse_other_system(environment: Environment, value: str, what: str) -> None:
    drive, mounted = _DRIVE.match(value), _MOUNTED_DRIVE.match(value)
    if environment.platform != "win32" and drive:
        rest = value[drive.end() :].replace("\\", "/")
        there = f"/mnt/{drive[1].lower()}/{rest}"
        raise BadHomeError(
            f"{what}={value} is a Windows path, but this is {_system_name(environment)}",
            fix=f"use {there}, or run Imprint on Windows" if is_wsl(environment) else _unset(what),
        )
    if environment.platform == "win32" and mounted:
        rest = value[mounted.end() :].replace("/", "\\")
        raise BadHomeError(
            f"{what}={value} is a path of WSL, but this is Windows",
            fix=f"use {mounted[1].upper()}:\\{rest}, or run Imprint inside WSL",
        )


def _refuse_empty() -> Path:
    raise BadHomeError("--home is empty", fix="give a folder, or leave --home out")


def _unset(what: str) -> str:
    return f"unset {what}, or give it a path of this system"


def _system_name(environment: Environment) -> str:
    if is_wsl(environment):
        return "WSL"
    return {"darwin": "macOS", "linux": "Linux"}.get(environment.platform, environment.platform)
