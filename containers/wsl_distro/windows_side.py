"""The Windows side of a distribution: what it is asked, and what those who play it are given.

Two play it: a Linux Python in a container (`linux_python`), and Windows' CPython under Wine
(`wine_python`). The rest of the world is the same with both.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from containers.engine import Engine
from containers.running import Ended
from imprint.base.paths import Environment

NAME = "Ubuntu-24.04"
"""The distribution's."""

OWNER = 1000
"""The user on both sides: the share of WSL shows files as the distribution's user's."""

INTEROP = "1_interop"
"""Where the Windows side listens, in the folder `run`; `DISTRIBUTION` is for `wsl.exe`."""

DISTRIBUTION = "distribution"


@dataclass(frozen=True, slots=True)
class Ground:
    """What both sides share: `folder` with `run`, `home` and `source` in it, the image, and the
    `mounts` (Python's modules) of every container.
    """

    engine: Engine
    image: str
    folder: Path
    mounts: Mapping[Path, str]
    host: Environment

    @property
    def run(self) -> Path:
        """The folder of sockets, with the log of what was asked."""
        return self.folder / "run"


class WindowsSide(Protocol):
    """An Imprint on Windows, and what takes the programs that the distribution starts."""

    @property
    def drive(self) -> Path:
        """`C:`, on this machine; the distribution has it as `/mnt/c`."""
        ...

    def imprint(self, *words: str) -> Ended:
        """`imprint WORDS` there."""
        ...


Player = Callable[[Ground], AbstractContextManager[WindowsSide]]
"""Starts a Windows side that listens; it is gone afterwards."""
