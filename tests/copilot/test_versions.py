"""The installed Copilot's version is read, or asked for within bounds."""

import os
import select
import time
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.copilot.cached_builds import cached_builds
from imprint.copilot.clients import Client, ClientKind
from imprint.copilot.versions import CopilotVersion, VersionSource, installed_version


@pytest.fixture
def shell_world(world: Environment) -> Environment:
    """A world whose programs find `sh` and its friends."""
    return replace(world, variables={"PATH": os.defpath})


def make_cli(folder: Path, script: str) -> Client:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "copilot"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return Client(ClientKind.CLI, path, "on PATH")


def put_build(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "index.js").write_text("", encoding="utf-8")


def asked(world: Environment, client: Client, seconds: float = 20) -> CopilotVersion:
    return installed_version(world, client, seconds=seconds)


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("1.0.40", "1.0.40"),
        ("GitHub Copilot CLI 1.0.102.", "1.0.102"),
        ("0.0.334 Commit: 1234abc", "0.0.334"),
        ("v1.0.79-6", "1.0.79-6"),
    ],
)
def test_the_program_is_asked(
    shell_world: Environment, tmp_path: Path, output: str, version: str
) -> None:
    client = make_cli(tmp_path / "bin", f"echo '{output}'")
    found = asked(shell_world, client)
    assert (found.version, found.source) == (version, VersionSource.ASKED)


def test_a_program_is_asked_once_until_it_changes(shell_world: Environment, tmp_path: Path) -> None:
    client = make_cli(tmp_path / "bin", "echo 1.0.40; echo x >>calls")
    assert asked(shell_world, client).source == VersionSource.ASKED
    assert asked(shell_world, client).source == VersionSource.CACHE
    changed = make_cli(tmp_path / "bin", "echo 1.0.102 # another size")
    found = asked(shell_world, changed)
    assert (found.version, found.source) == ("1.0.102", VersionSource.ASKED)


def test_what_was_learned_is_kept_for_its_owner_alone(
    shell_world: Environment, tmp_path: Path
) -> None:
    asked(shell_world, make_cli(tmp_path / "bin", "echo 1.0.40"))
    cache = shell_world.imprint_home / "copilot-versions.json"
    assert cache.stat().st_mode & 0o777 == 0o600
    assert cache.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in cache.parent.iterdir()] == [cache.name]


def test_a_damaged_cache_is_asked_anew(shell_world: Environment, tmp_path: Path) -> None:
    shell_world.imprint_home.mkdir()
    (shell_world.imprint_home / "copilot-versions.json").write_bytes(b"{")
    assert asked(shell_world, make_cli(tmp_path / "bin", "echo 1.0.40")).version == "1.0.40"


def test_the_npm_package_says_its_version_without_being_run(
    shell_world: Environment, tmp_path: Path
) -> None:
    package = tmp_path / "node_modules/@github/copilot"
    real = make_cli(package, "touch ran; exit 1")
    (package / "package.json").write_text(
        '{"name": "@github/copilot", "version": "1.0.80"}', encoding="utf-8"
    )
    link = tmp_path / "bin/copilot"
    link.parent.mkdir()
    link.symlink_to(real.path)
    found = asked(shell_world, Client(ClientKind.CLI, link, "on PATH"))
    assert (found.version, found.source) == ("1.0.80", VersionSource.PACKAGE)
    assert not list(tmp_path.rglob("ran"))


def test_a_package_of_another_name_says_nothing(shell_world: Environment, tmp_path: Path) -> None:
    client = make_cli(tmp_path / "bin", "echo 1.0.40")
    (tmp_path / "package.json").write_text(
        '{"name": "my-app", "version": "9.9.9"}', encoding="utf-8"
    )
    assert asked(shell_world, client).version == "1.0.40"


@pytest.mark.parametrize(
    "script", ["exit 1", "echo no number; exit 1", "echo 1.0", "kill -9 $$", "echo 01.2.3"]
)
def test_no_version_in_the_answer_is_unknown_and_said(
    shell_world: Environment, tmp_path: Path, script: str
) -> None:
    found = asked(shell_world, make_cli(tmp_path / "bin", script))
    assert found.version is None
    assert "no version" in found.detail


def test_a_program_that_cannot_be_run_is_unknown(shell_world: Environment, tmp_path: Path) -> None:
    client = make_cli(tmp_path / "bin", "")
    client.path.write_bytes(b"#!/no/such/interpreter\n")
    assert "cannot be run" in asked(shell_world, client).detail


def test_a_program_that_asks_a_question_gets_no_answer_and_no_time(
    shell_world: Environment, tmp_path: Path
) -> None:
    client = make_cli(tmp_path / "bin", "printf 'Install? (y/N) '; read answer; echo got $answer")
    started = time.monotonic()
    assert asked(shell_world, client).version is None
    assert time.monotonic() - started < 10


def test_a_program_that_hangs_is_ended_with_all_that_it_started(
    shell_world: Environment, tmp_path: Path
) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        script = f"exec 3>'{fifo}'; echo started >&3; sleep 600 & sleep 600"
        found = asked(shell_world, make_cli(tmp_path / "bin", script), seconds=1)
        assert found.version is None
        assert "within 1 s" in found.detail
        assert os.read(reader, 100) == b"started\n"
        readable, _, _ = select.select([reader], [], [], 10)
        # End of file: nobody who was started holds the other end any more.
        assert readable
        assert os.read(reader, 100) == b""
    finally:
        os.close(reader)


def test_a_child_that_keeps_the_output_open_delays_nothing(
    shell_world: Environment, tmp_path: Path
) -> None:
    client = make_cli(tmp_path / "bin", "sleep 600 & echo 1.0.40")
    started = time.monotonic()
    assert asked(shell_world, client).version == "1.0.40"
    assert time.monotonic() - started < 10


def test_the_program_is_told_not_to_update_itself(shell_world: Environment, tmp_path: Path) -> None:
    client = make_cli(tmp_path / "bin", '[ "$COPILOT_AUTO_UPDATE" = false ] && echo 1.0.40')
    assert asked(shell_world, client).version == "1.0.40"


@pytest.mark.parametrize("kind", [ClientKind.VSCODE_SHIM, ClientKind.WINDOWS_SHIM])
def test_a_look_alike_is_never_run(
    shell_world: Environment, tmp_path: Path, kind: ClientKind
) -> None:
    client = make_cli(tmp_path / "bin", f"touch '{tmp_path}/ran'; echo 1.0.40")
    found = asked(shell_world, replace(client, kind=kind))
    assert (found.version, found.source) == (None, VersionSource.NONE)
    assert not (tmp_path / "ran").exists()


def test_a_newer_build_that_the_program_starts_is_noticed(
    shell_world: Environment, tmp_path: Path
) -> None:
    client = make_cli(tmp_path / "bin", "echo 1.0.79")
    put_build(shell_world.home / ".cache/copilot/pkg/linux-x64/1.0.79-6")
    assert asked(shell_world, client).version == "1.0.79"
    put_build(shell_world.home / ".copilot/pkg/universal/1.0.100")
    put_build(shell_world.home / ".copilot/pkg/universal/1.0.99")
    found = asked(shell_world, client)
    assert (found.version, found.source) == ("1.0.100", VersionSource.CACHED_BUILD)
    assert "1.0.79" in found.detail
    fixed = replace(
        shell_world, variables={**shell_world.variables, "COPILOT_AUTO_UPDATE": "False"}
    )
    assert asked(fixed, client).version == "1.0.79"


def test_only_filled_folders_with_a_version_for_a_name_are_builds(world: Environment) -> None:
    place = world.home / ".cache/copilot/pkg/universal"
    (place / "1.0.5").mkdir(parents=True)
    put_build(place / "tmp")
    put_build(place / "1.0.6")
    assert list(cached_builds(world)) == ["1.0.6"]
