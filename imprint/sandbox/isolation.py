"""What a sandboxed Copilot may see: scratch folders and a cleared environment."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from imprint.base.paths import Environment

_PROGRAMS = ("sh", "bash", "cat", "env", "git", "node", "ps", "pwsh", "powershell", "cmd")
"""What Copilot itself starts, and the Node of a copilot that npm installed; their folders make its
PATH, nothing else of the user's."""

_WINDOWS = ("SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "PROCESSOR_ARCHITECTURE")
"""Without these a Windows program finds no DLL and no shell."""


class IsolationKind(StrEnum):
    """How far a run was cut off from the network."""

    NETWORK_NAMESPACE = "network-namespace"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Isolation:
    """How a run was cut off; `reason` says why it was not."""

    kind: IsolationKind
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ScratchHome:
    """Every folder that a sandboxed Copilot may take for the user's."""

    root: Path

    @property
    def home(self) -> Path:
        """`HOME` and `USERPROFILE`."""
        return self.root / "home"

    @property
    def copilot(self) -> Path:
        """`COPILOT_HOME`."""
        return self.root / "copilot"

    @property
    def cache(self) -> Path:
        """`XDG_CACHE_HOME`."""
        return self.root / "cache"

    @property
    def copilot_cache(self) -> Path:
        """`COPILOT_CACHE_HOME`: where a native Copilot unpacks itself, on every platform."""
        return self.cache / "copilot"

    @property
    def temporary(self) -> Path:
        """`TMPDIR`, `TEMP`, `TMP`."""
        return self.root / "tmp"

    @property
    def sessions(self) -> Path:
        """One folder per session, each with its transcript."""
        return self.copilot / "session-state"

    def make(self) -> "ScratchHome":
        """Create what is missing, for the owner alone."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.home, self.copilot, self.cache, self.temporary):
            folder.mkdir(mode=0o700, exist_ok=True)
        return self

    def variables(self) -> dict[str, str]:
        """The environment variables that name these folders."""
        return {
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "COPILOT_HOME": str(self.copilot),
            "COPILOT_CACHE_HOME": str(self.copilot_cache),
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_DATA_HOME": str(self.root / "data"),
            "XDG_STATE_HOME": str(self.root / "state"),
            "APPDATA": str(self.root / "config"),
            "LOCALAPPDATA": str(self.root / "data"),
            "TMPDIR": str(self.temporary),
            "TEMP": str(self.temporary),
            "TMP": str(self.temporary),
        }


def sealed_environment(
    host: Environment, scratch: ScratchHome, extra: Mapping[str, str]
) -> dict[str, str]:
    """A cleared environment: scratch folders, a PATH of what Copilot starts, offline switches.

    `extra` wins; the model's address is added when it is known (`model_environment`).
    """
    kept = {name: host.get(name) for name in _WINDOWS if host.get(name)}
    return {
        **(kept if host.platform == "win32" else {}),
        **scratch.variables(),
        "PATH": minimal_path(host),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_OFFLINE": "true",
        **extra,
    }


def model_environment(base_url: str, model: str) -> dict[str, str]:
    """What makes Copilot speak to a model of one's own, without an account."""
    return {
        "COPILOT_PROVIDER_BASE_URL": base_url,
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_MODEL": model,
    }


def minimal_path(host: Environment) -> str:
    """The folders of the few programs that Copilot starts itself, in the user's order."""
    search = host.get("PATH") or None
    found = (shutil.which(program, path=search) for program in _PROGRAMS)
    folders = {str(Path(program).parent) for program in found if program}
    separator = ";" if host.platform == "win32" else ":"
    order = (search or "").split(separator)
    return separator.join(sorted(folders, key=lambda f: order.index(f) if f in order else -1))
