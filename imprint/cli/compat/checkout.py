"""What `bisect` and `sweep` stand on: a checkout of Imprint, and what its probes need."""

import importlib.metadata
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from imprint.base.errors import ImprintError, RefusedError
from imprint.compat import data_folder

_EXTRA = "probes"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


class NoCheckout(RefusedError):
    """An installation has no probes: they are in a checkout only."""

    code = "no-checkout"


class NoProbes(ImprintError):
    """The checkout is there, and what its probes need is not installed."""

    code = "missing-extra"


@dataclass(frozen=True, slots=True)
class Checkout:
    """A clone of Imprint; `data` is its data folder."""

    root: Path

    @property
    def data(self) -> Path:
        """Claims, releases, observations, matrix."""
        return self.root / "compat"

    @property
    def reports(self) -> Path:
        """The generated report."""
        return self.root / "reports"


def find_checkout() -> Checkout:
    """The checkout that this program runs from, ready to probe; `NoCheckout`, `NoProbes` else."""
    folder = data_folder()
    root = folder.parent if isinstance(folder, Path) else Path()
    if not (root / "probes" / "plugin.py").is_file() or not (root / "pyproject.toml").is_file():
        raise NoCheckout(
            "asking releases needs a checkout of Imprint: the installed package has no probes",
            fix=f"in a clone: pip install -e '.[{_EXTRA}]'",
        )
    missing = missing_packages(root / "pyproject.toml")
    if missing:
        raise NoProbes(
            f"the probes need {', '.join(missing)}",
            fix=f"cd {root} && pip install -e '.[{_EXTRA}]'",
        )
    return Checkout(root)


def missing_packages(pyproject: Path) -> tuple[str, ...]:
    """Packages of the extra that are not installed."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    named = [_NAME.match(line) for line in project["optional-dependencies"][_EXTRA]]
    return tuple(match[0] for match in named if match and not _is_installed(match[0]))


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
