"""An installation in a scratch world: setup and disconnect, planned and carried out."""

import datetime as dt
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.compat import Basis, Code, Decision
from imprint.copilot.contract import CopilotContract
from imprint.copilot.disconnect import DisconnectPlan, plan_disconnect
from imprint.copilot.homes import CopilotHome, find_home
from imprint.copilot.runtime import Runtime
from imprint.copilot.setup import SetupPlan, plan_setup
from imprint.copilot.status import HomeStatus, homes_status
from imprint.edit.apply import apply
from imprint.edit.plan import Plan

NOW = dt.datetime(2026, 11, 1, 12, 0, tzinfo=dt.UTC)

CONTRACT = CopilotContract.for_version(None, "linux")


def contract(**actions: str) -> CopilotContract:
    """One that decided some things otherwise than the safe way, as `set_time_limit="timeout"`."""
    decided = tuple(
        Decision("some.claim", name.replace("_", "-"), action, Code.KNOWN, Basis.OBSERVED, ())
        for name, action in actions.items()
    )
    recorded = {one.decides: one.action for one in decided}
    return replace(CopilotContract.recorded(recorded, "1.0.50", "linux"), decisions=decided)


Tree = dict[str, bytes | None]


def tree(folder: Path) -> Tree:
    """Every file's bytes (None for a folder) below `folder`, by relative name."""
    if not folder.exists():
        return {}
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def put(path: Path, content: str | bytes) -> Path:
    """A file with the folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def make_runtime(folder: Path, store: Path, version: str = "1.2.3") -> Runtime:
    """An installation whose interpreter exists in `folder`."""
    python = put(folder / "bin/python", "")
    entry = put(folder / "lib/imprint/hook_entry.py", "")
    return Runtime(python, entry, store, version)


@dataclass
class Installer:
    """One Imprint at work in one world."""

    environment: Environment
    runtime: Runtime
    contract: CopilotContract = CONTRACT

    @property
    def home(self) -> CopilotHome:
        """The home as it is now."""
        return find_home(self.environment)

    @property
    def folder(self) -> Path:
        """The home's folder."""
        return self.home.path

    def plan_setup(self, **more: bool) -> SetupPlan:
        return plan_setup(
            self.environment, self.home, self.contract, runtime=self.runtime, now=NOW, **more
        )

    def plan_disconnect(self, **more: bool) -> DisconnectPlan:
        return plan_disconnect(self.environment, self.home, runtime=self.runtime, **more)

    def setup(self, **more: bool) -> SetupPlan:
        planned = self.plan_setup(**more)
        self.apply(planned.plan)
        return planned

    def disconnect(self, **more: bool) -> DisconnectPlan:
        planned = self.plan_disconnect(**more)
        self.apply(planned.plan)
        return planned

    def apply(self, plan: Plan) -> None:
        keep = self.environment.layout().installed
        apply(plan, locks=self.environment.state / "locks", keep=keep)

    def status(self) -> HomeStatus:
        return homes_status(self.environment, self.runtime).homes[0]

    def other(self, folder: Path, store: Path | None = None) -> "Installer":
        """Another installation in the same world, with its own store unless one is given."""
        home = store or folder / "store"
        environment = replace(self.environment, data_folder=home)
        return Installer(environment, make_runtime(folder, home), self.contract)


@pytest.fixture
def installer(world: Environment, tmp_path: Path) -> Installer:
    """An Imprint in a scratch world with an empty Copilot home."""
    return make_installer(world, tmp_path)


@pytest.fixture
def runtime(installer: Installer) -> Runtime:
    """That Imprint's facts about itself."""
    return installer.runtime


def make_installer(world: Environment, folder: Path) -> Installer:
    (world.home / ".copilot").mkdir(exist_ok=True)
    return Installer(world, make_runtime(folder / "O'Brien venv", world.imprint_home))
