"""The Imprint on Windows that distributions call, and how Windows sees into a distribution."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import imprint
from imprint.base.paths import Environment
from imprint.wsl.paths import unescape

PYTHON_VARIABLE = "IMPRINT_WSL_PYTHON"
"""The Windows path of another interpreter for the launcher: how tests and containers do it."""

SHARE_VARIABLE = "IMPRINT_WSL_SHARE"
"""A folder with a distribution's root per name, in the place of `\\\\wsl.localhost`."""

_SHARE = "\\\\wsl.localhost\\"


@dataclass(frozen=True, slots=True)
class WindowsSide:
    """One installation: its interpreter's Windows path; `package` (the folder that holds the
    package `imprint`) and `store` (the Imprint home) as that interpreter opens them.
    """

    python: str
    package: str
    store: str
    version: str

    @classmethod
    def of(cls, environment: Environment) -> "WindowsSide":
        """The installation of this very process."""
        return cls(
            python=environment.get(PYTHON_VARIABLE) or _exact_case(sys.executable),
            package=os.fspath(Path(imprint.__file__).absolute().parents[1]),
            store=os.fspath(environment.imprint_home),
            version=imprint.__version__,
        )


class Share(Protocol):
    """How the files of distributions are opened from here."""

    def local(self, windows: str) -> Path:
        """The path that this process opens for a Windows path, `\\\\wsl.localhost` or a drive's."""
        ...


class NativeShare:
    """Windows itself: every Windows path can be opened as it is."""

    def local(self, windows: str) -> Path:
        """The same path."""
        return Path(windows)


@dataclass(frozen=True, slots=True)
class FolderShare:
    """Stands in for `\\\\wsl.localhost`: `folder`/NAME is the root of the distribution NAME."""

    folder: Path

    def local(self, windows: str) -> Path:
        """Below the folder, with the names that the distribution itself uses."""
        if not windows.startswith(_SHARE):
            return Path(windows)
        name, *parts = windows.removeprefix(_SHARE).split("\\")
        return self.folder.joinpath(name, *(unescape(part) for part in parts))


def share_of(environment: Environment) -> Share:
    """The share that this world has."""
    folder = environment.get(SHARE_VARIABLE)
    return FolderShare(Path(folder)) if folder else NativeShare()


def _exact_case(program: str) -> str:
    """The name as the disk has it, which Linux compares; links are not followed."""
    path = os.path.abspath(program)  # noqa: PTH100 - Path.absolute keeps `..`
    real = os.path.realpath(program)
    return real if real.lower() == path.lower() else path
