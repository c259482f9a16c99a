"""Hosts, stand-ins and scratch folders for the sandbox's own tests."""

from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.sandbox.isolation import ScratchHome
from imprint.sandbox.release import Kind, Release
from tests.sandbox.support import HERE, Registry, fake_copilot_source, script


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry that serves nothing yet, and a host whose npm asks it."""
    monkeypatch.setattr("imprint.sandbox.releases._machine", lambda _: "linux-x64")
    folder = tmp_path / "registry"
    folder.mkdir()
    source = (HERE / "fake_npm.py").read_text(encoding="utf-8")
    npm = script(tmp_path / "bin" / "npm", source)
    host = Environment.scratch(
        tmp_path / "world",
        {"PATH": f"{npm.parent}:/usr/bin:/bin", "FAKE_REGISTRY": str(folder)},
    )
    host.home.mkdir(parents=True)
    return Registry(folder, host)


@pytest.fixture
def world_host(tmp_path: Path) -> Environment:
    """A host with the system's own programs and nothing else."""
    host = Environment.scratch(tmp_path / "world", {"PATH": "/usr/bin:/bin", "SECRET": "s3cret"})
    host.home.mkdir(parents=True)
    return host


@pytest.fixture
def fake_release(tmp_path: Path) -> Release:
    """A stand-in that can be run as a release."""
    program = script(tmp_path / "fake" / "copilot", fake_copilot_source("9.8.7"))
    return Release("9.8.7", Kind.NATIVE, (str(program),), program.parent)


@pytest.fixture
def scratch(tmp_path: Path) -> ScratchHome:
    """A scratch home that isn't made yet."""
    return ScratchHome(tmp_path / "scratch")


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    """The folder that a session works in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder
