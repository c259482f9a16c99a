"""A home that this very Imprint was set up in, to be damaged and looked at."""

import datetime as dt
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from imprint.base.checks import Check, CheckContext, Status
from imprint.base.paths import Environment, make_private
from imprint.copilot.checks import checkers
from imprint.copilot.checks.ids import Id
from imprint.copilot.contract import CopilotContract
from imprint.copilot.homes import find_home
from imprint.copilot.runtime import Runtime
from imprint.copilot.setup import plan_setup
from imprint.edit.apply import apply
from tests.copilot.conftest import put

NOW = dt.datetime(2026, 11, 1, 12, 0, tzinfo=dt.UTC)


@dataclass
class Patient:
    """One world under examination."""

    environment: Environment

    @property
    def folder(self) -> Path:
        return find_home(self.environment).path

    @property
    def runtime(self) -> Runtime:
        return Runtime.current(self.environment)

    def setup(self, runtime: Runtime | None = None, **more: bool) -> "Patient":
        plan = plan_setup(
            self.environment,
            find_home(self.environment),
            CopilotContract.for_version(None, "linux"),
            runtime=runtime or self.runtime,
            now=NOW,
            **more,
        )
        make_private(self.environment.imprint_home)
        keep = self.environment.layout().installed
        apply(plan.plan, locks=self.environment.locks, keep=keep)
        return self

    def put(self, name: str, content: object) -> Path:
        """A file in the home; what is neither text nor bytes is written as JSON."""
        data = content if isinstance(content, str | bytes) else json.dumps(content)
        return put(self.folder / name, data)

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def servers(self, **others: object) -> None:
        """Entries of others beside ours."""
        path = self.folder / "mcp-config.json"
        value = json.loads(path.read_text(encoding="utf-8"))
        value["mcpServers"] |= others
        self.put("mcp-config.json", value)

    def entry(self, **changes: object) -> None:
        """Our entry with other members."""
        path = self.folder / "mcp-config.json"
        value = json.loads(path.read_text(encoding="utf-8"))
        value["mcpServers"]["imprint"] |= changes
        self.put("mcp-config.json", value)

    def with_variables(self, **variables: str) -> "Patient":
        merged = {**self.environment.variables, **variables}
        return Patient(replace(self.environment, variables=merged))

    def with_copilot(self, folder: Path, version: str = "1.0.102") -> "Patient":
        """A Copilot CLI on PATH that says its version in its package."""
        program = put(folder / "copilot", "#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
        put(folder / "package.json", json.dumps({"name": "@github/copilot", "version": version}))
        return self.with_variables(PATH=f"{folder}:{os.defpath}")

    def look(self, **more: object) -> tuple[Check, ...]:
        """Every check of this room."""
        context = CheckContext(self.environment, NOW, **more)
        return tuple(check for checker in checkers(context) for check in checker.run())

    def found(self, name: Id, **more: object) -> tuple[Check, ...]:
        """What the checker of one id says."""
        context = CheckContext(self.environment, NOW, **more)
        (checker,) = (checker for checker in checkers(context) if checker.id == name)
        return tuple(checker.run())

    def one(self, name: Id, **more: object) -> Check:
        (check,) = self.found(name, **more)
        return check

    def worst(self) -> set[str]:
        """The ids that are not fine."""
        return {check.id for check in self.look() if check.status is not Status.OK}


@pytest.fixture
def patient(world: Environment) -> Patient:
    """A world with an empty Copilot home."""
    (world.home / ".copilot").mkdir()
    return Patient(replace(world, variables={"PATH": os.defpath}))


@pytest.fixture
def healthy(patient: Patient, tmp_path: Path) -> Patient:
    """The same after setup, with a Copilot CLI of a known release."""
    return patient.with_copilot(tmp_path / "bin").setup()


def statuses(checks: Iterable[Check]) -> list[Status]:
    return [check.status for check in checks]
