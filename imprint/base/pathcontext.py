"""How a path that Copilot recorded relates to a path that can be opened here.

On one machine they are the same; for a WSL distribution read from Windows they are not
(`imprint.wsl` brings its own context).
"""

from pathlib import Path
from typing import Protocol


class PathContext(Protocol):
    """Translates between recorded paths and paths of this process."""

    @property
    def name(self) -> str:
        """A short stable name for messages, such as `native` or `wsl:Ubuntu`."""
        ...

    def local(self, recorded: str) -> Path:
        """The path that this process opens for a recorded one; ValueError if there is none."""
        ...


class NativePaths:
    """Copilot and Imprint on the same system: nothing to translate."""

    name = "native"

    def local(self, recorded: str) -> Path:
        """The same path."""
        return Path(recorded)
