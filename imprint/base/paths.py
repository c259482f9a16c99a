"""Where everything lives. Nothing else in Imprint reads the environment."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

APP = "imprint"


@dataclass(frozen=True, slots=True)
class Environment:
    """The world that a command runs in; passed in, so that tests can hand out another one.

    `variables` are the process's environment variables, `platform` is `sys.platform`,
    `home` the user's home directory; the three folders are the platform's own places for
    an application's data, cache and state.
    """

    variables: Mapping[str, str]
    platform: str
    home: Path
    data_folder: Path
    cache_folder: Path
    state_folder: Path

    @classmethod
    def current(cls) -> "Environment":
        """The environment of this very process."""
        return cls(
            variables=dict(os.environ),
            platform=sys.platform,
            home=Path.home(),
            data_folder=Path(platformdirs.user_data_dir(APP, appauthor=False)),
            cache_folder=Path(platformdirs.user_cache_dir(APP, appauthor=False)),
            state_folder=Path(platformdirs.user_state_dir(APP, appauthor=False)),
        )

    @classmethod
    def scratch(cls, root: Path, variables: Mapping[str, str] | None = None) -> "Environment":
        """A world of its own below `root`, for `imprint try` and for tests."""
        return cls(
            variables=dict(variables or {}),
            platform=sys.platform,
            home=root / "home",
            data_folder=root / "imprint",
            cache_folder=root / "cache",
            state_folder=root / "state",
        )

    def get(self, name: str) -> str:
        """A variable's value; unset and empty are both the empty string."""
        return self.variables.get(name, "")

    @property
    def imprint_home(self) -> Path:
        """`IMPRINT_HOME`, else the platform's user data folder."""
        return self._folder("IMPRINT_HOME", self.data_folder)

    @property
    def cache(self) -> Path:
        """`IMPRINT_CACHE`, else the platform's user cache folder: downloaded releases."""
        return self._folder("IMPRINT_CACHE", self.cache_folder)

    @property
    def state(self) -> Path:
        """Locks that two installations must share, hence never below `IMPRINT_HOME`."""
        return self.state_folder

    @property
    def locks(self) -> Path:
        """One lock file per home that is being changed."""
        return self.state / "locks"

    def _folder(self, variable: str, default: Path) -> Path:
        given = self.get(variable)
        return Path(given).expanduser().absolute() if given else default

    def layout(self) -> "Layout":
        """The files below `imprint_home`."""
        return Layout(self.imprint_home)


@dataclass(frozen=True, slots=True)
class Layout:
    """Names of what lies in an `IMPRINT_HOME`."""

    root: Path

    @property
    def store(self) -> Path:
        """The SQLite memory."""
        return self.root / "memory.db"

    @property
    def config(self) -> Path:
        """The user's own configuration (TOML)."""
        return self.root / "config.toml"

    @property
    def spool(self) -> Path:
        """One file per Stop hook that was not imported yet; its format belongs to hook_entry."""
        return self.root / "spool"

    @property
    def pauses(self) -> Path:
        """When learning was paused."""
        return self.root / "pauses.json"

    @property
    def skipped(self) -> Path:
        """The sessions that were not learned, and why; no conversation text."""
        return self.root / "skipped.json"

    @property
    def health(self) -> Path:
        """What was odd about what was learned; no conversation text."""
        return self.root / "health.json"

    @property
    def learning(self) -> Path:
        """The lock of whoever is learning, so that two do not do the same work."""
        return self.root / "learning.lock"

    @property
    def digests(self) -> Path:
        """What SessionStart gives back, prepared per project when things were learned."""
        return self.root / "digests"

    @property
    def log(self) -> Path:
        """Failures that hooks swallowed; no conversation text."""
        return self.root / "log"

    @property
    def observed(self) -> Path:
        """What `doctor --live` saw of the Copilots on this computer."""
        return self.root / "observed"

    @property
    def wsl(self) -> Path:
        """What was set up in distributions of WSL, one small file each."""
        return self.root / "wsl"

    @property
    def installed(self) -> Path:
        """A receipt per Copilot home, with backups and journal."""
        return self.root / "installed"


def make_private(folder: Path) -> Path:
    """Create `folder` for its owner alone (0700) where it is missing; return it."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def is_folder(path: Path) -> bool:
    """Whether a folder is there for us; one that we may not even look at is not.

    `Path.is_dir` raises for the latter, and somebody else's folder must not stop a command.
    """
    return os.path.isdir(path)  # noqa: PTH112
