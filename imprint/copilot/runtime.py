"""The Imprint that is running: what it writes into Copilot's files about itself."""

import sys
from dataclasses import dataclass
from pathlib import Path

import imprint
from imprint import hook_entry
from imprint.base.paths import Environment


@dataclass(frozen=True, slots=True)
class Runtime:
    """One installation of Imprint: its interpreter, hook program, store and version.

    All paths are absolute. The interpreter is not resolved: that of a virtual environment is a
    link, and only the link's own place brings the environment's packages.
    """

    python: Path
    hook_entry: Path
    imprint_home: Path
    version: str

    @classmethod
    def current(cls, environment: Environment) -> "Runtime":
        """The installation of this very process."""
        return cls(
            python=Path(sys.executable).absolute(),
            hook_entry=Path(hook_entry.__file__).absolute(),
            imprint_home=environment.imprint_home,
            version=imprint.__version__,
        )
