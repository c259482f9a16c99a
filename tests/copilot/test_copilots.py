"""Which Copilots use a home, and of which versions, without running what need not be run."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.compat import Code
from imprint.copilot.clients import ClientKind, find_clients
from imprint.copilot.copilots import Copilot, contract_for, copilots_of
from imprint.copilot.homes import find_home
from tests.copilot.conftest import put

PACKAGE = "node_modules/@github/copilot/package.json"


def found(environment: Environment, **more: bool) -> tuple[Copilot, ...]:
    home = find_home(environment)
    return copilots_of(environment, home, find_clients(environment), **more)


def package(version: str) -> str:
    return json.dumps({"name": "@github/copilot", "version": version})


@pytest.fixture
def editing(world: Environment) -> Environment:
    """Somebody with VS Code."""
    (world.home / ".config/Code/User").mkdir(parents=True)
    return world


def with_cli(environment: Environment, folder: Path, script: str = "exit 1") -> Environment:
    put(folder / "copilot", f"#!/bin/sh\n{script}\n").chmod(0o755)
    return replace(environment, variables={"PATH": f"{folder}:{os.defpath}"})


def test_where_there_is_none_nothing_is_known(world: Environment) -> None:
    assert found(world) == ()
    made = contract_for(world, ())
    assert {one.code for one in made.decisions} == {Code.NO_VERSION}


def test_a_cli_is_known_by_its_package(world: Environment, tmp_path: Path) -> None:
    put(tmp_path / "bin" / "package.json", package("1.0.40"))
    (one,) = found(with_cli(world, tmp_path / "bin"))
    assert (one.kind, one.version) == (ClientKind.CLI, "1.0.40")
    assert one.program == tmp_path / "bin" / "copilot"


def test_of_several_on_path_only_the_first_is_ever_started(
    world: Environment, tmp_path: Path
) -> None:
    for name, version in (("first", "1.0.40"), ("second", "1.0.80")):
        put(tmp_path / name / "package.json", package(version))
        with_cli(world, tmp_path / name)
    environment = replace(world, variables={"PATH": f"{tmp_path}/first:{tmp_path}/second"})
    assert [one.version for one in found(environment)] == ["1.0.40"]


def test_nothing_is_run_to_look(world: Environment, tmp_path: Path) -> None:
    environment = with_cli(world, tmp_path / "bin", f"touch {tmp_path}/ran; echo 1.0.40")
    assert [one.version for one in found(environment, ask=False)] == [None]
    assert not (tmp_path / "ran").exists()
    assert [one.version for one in found(environment)] == ["1.0.40"]
    assert (tmp_path / "ran").exists()
    assert [one.version for one in found(environment, ask=False)] == ["1.0.40"], "remembered"


@pytest.mark.parametrize(
    "place",
    [
        ".vscode/extensions/github.copilot-chat-0.71.0",
        ".vscode/extensions/copilot",
    ],
)
def test_an_editors_copilot_is_known_by_the_package_that_it_brings(
    editing: Environment, place: str
) -> None:
    put(editing.home / place / PACKAGE, package("1.0.60"))
    assert found(editing) == (Copilot(ClientKind.VSCODE, "1.0.60"),)


@pytest.mark.parametrize(
    "place",
    ["bin/abc/extensions/copilot", "cli/servers/Stable-abc/server/extensions/copilot"],
)
def test_an_editors_server_brings_one_too(world: Environment, place: str) -> None:
    put(world.home / ".vscode-server" / place / PACKAGE, package("1.0.60"))
    assert found(world) == (Copilot(ClientKind.VSCODE_SERVER, "1.0.60"),)


@pytest.mark.parametrize("versions", [(), ("1.0.60", "1.0.70"), ("nonsense",), ("",)])
def test_an_editor_whose_copilot_is_not_found_or_not_one_is_of_unknown_version(
    editing: Environment, versions: tuple[str, ...]
) -> None:
    for number, version in enumerate(versions):
        folder = editing.home / ".vscode/extensions" / f"github.copilot-chat-0.{number}.0"
        put(folder / PACKAGE, package(version))
    assert found(editing) == (Copilot(ClientKind.VSCODE, None),)


def test_a_cli_beside_an_editor_of_unknown_version_gets_what_is_safe(
    editing: Environment, tmp_path: Path
) -> None:
    put(tmp_path / "bin" / "package.json", package("1.0.40"))
    copilots = found(with_cli(editing, tmp_path / "bin"))
    assert [one.version for one in copilots] == ["1.0.40", None]
    made = contract_for(editing, copilots)
    assert not any(one.is_known for one in made.decisions)
    assert made.decisions[0].code is Code.NO_VERSION
    assert made.version == "1.0.40"


def test_a_cli_beside_an_editor_of_a_known_version_gets_what_is_right_for_both(
    editing: Environment, tmp_path: Path
) -> None:
    put(tmp_path / "bin" / "package.json", package("1.0.40"))
    put(editing.home / ".vscode/extensions/copilot" / PACKAGE, package("1.0.60"))
    made = contract_for(editing, found(with_cli(editing, tmp_path / "bin")))
    events = next(one for one in made.decisions if one.decides == "register-events")
    assert events.is_known
    assert {one.version for one in events.evidence} == {"1.0.40", "1.0.60"}
