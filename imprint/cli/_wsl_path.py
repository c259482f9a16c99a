"""The work behind `imprint wsl path`: whose mounts count, and which way to go."""

import argparse
import string
from pathlib import Path

from imprint.base.errors import RefusedError
from imprint.base.paths import Environment
from imprint.wsl.mounts import DEFAULT_ROOT, parse_mountinfo
from imprint.wsl.paths import (
    Mounts,
    UntranslatableError,
    drive_mounts,
    is_windows_form,
    to_linux,
    to_windows,
)
from imprint.wsl.profile import load_profiles

_MOUNTINFO = Path("/proc/self/mountinfo")


class NoCounterpartError(RefusedError):
    """A path that the other side has no name for."""

    code = "no-counterpart"


def translate(arguments: argparse.Namespace, environment: Environment) -> tuple[str, str]:
    """The direction and the path; NoCounterpartError where there is none."""
    path, name = arguments.path, arguments.distribution
    if name is None:
        name = environment.get("WSL_DISTRO_NAME")
    mounts = _mounts(arguments, environment, name)
    try:
        if is_windows_form(path) or ("\\" in path and not path.startswith("/")):
            return "to-linux", to_linux(path, name, mounts)
        found = to_windows(path, name, mounts)
        return "to-windows", found.replace("\\", "/") if arguments.mixed else found
    except UntranslatableError as error:
        fix = "" if name else "if it is about a distribution, name it with --distribution"
        raise NoCounterpartError(str(error), fix=fix) from error


def _mounts(arguments: argparse.Namespace, environment: Environment, name: str) -> Mounts:
    """What is mounted: as told, else as it is here, else as it was at setup, else by habit."""
    if arguments.mountinfo is not None:
        return _read_mountinfo(arguments.mountinfo)
    if arguments.automount_root is not None:
        return drive_mounts(arguments.automount_root, _drives(environment))
    if environment.platform == "linux" and environment.get("WSL_DISTRO_NAME"):
        return _read_mountinfo(_MOUNTINFO)
    for profile in load_profiles(environment.layout(), tolerant=True):
        if profile.distribution.lower() == name.lower():
            return profile.mounts
    return drive_mounts(DEFAULT_ROOT, _drives(environment))


def _read_mountinfo(path: Path) -> Mounts:
    try:
        return parse_mountinfo(path.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError as error:
        raise RefusedError(
            f"{path} cannot be read: {error.strerror or error}", fix="give another --mountinfo"
        ) from error


def _drives(environment: Environment) -> str:
    """The letters that are mounted by themselves: those of this Windows; elsewhere C alone."""
    if environment.platform != "win32":
        return "c"
    return "".join(one for one in string.ascii_lowercase if Path(f"{one}:\\").exists())
