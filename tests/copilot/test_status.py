"""Status says which homes are connected, by whom, and why not."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from imprint.copilot.parts import PartState
from imprint.copilot.receipts import receipt_path
from imprint.copilot.status import Connection, homes_status
from tests.copilot.conftest import Installer, make_runtime, put, tree


def test_a_home_without_imprint_is_not_connected(installer: Installer) -> None:
    status = installer.status()
    assert (status.connected, status.state) == (False, Connection.NOT_CONNECTED)
    assert set(status.parts.values()) == {PartState.ABSENT}


def test_a_home_after_setup_is_connected_and_names_the_version(installer: Installer) -> None:
    installer.setup()
    status = installer.status()
    assert (status.connected, status.state) == (True, Connection.CONNECTED)
    assert status.written_by == "1.2.3"
    assert set(status.parts) == {"entry", "block", "hooks"}


def test_looking_changes_nothing(installer: Installer) -> None:
    installer.setup()
    before = tree(installer.environment.home.parent)
    installer.status()
    assert tree(installer.environment.home.parent) == before


@pytest.mark.parametrize(
    ("part", "damage"),
    [
        (
            "entry",
            lambda home: put(home.mcp_config, home.mcp_config.read_bytes().replace(b'"*"', b"")),
        ),
        ("block", lambda home: home.instructions.unlink()),
        ("hooks", lambda home: put(home.hooks_file, "{}")),
    ],
)
def test_a_part_that_is_not_as_it_should_be_is_named(
    installer: Installer, part: str, damage
) -> None:
    installer.setup()
    damage(installer.home)
    status = installer.status()
    assert status.state == Connection.OUTDATED
    assert part in status.why
    assert "run setup" in status.why


def test_without_its_entry_a_home_is_not_connected(installer: Installer) -> None:
    installer.setup()
    put(installer.home.mcp_config, "{}")
    status = installer.status()
    assert status.state == Connection.NOT_CONNECTED
    assert "run setup" in status.why


def test_an_older_version_is_named(installer: Installer) -> None:
    older = replace(installer.runtime, version="0.9.0")
    Installer(installer.environment, older).setup()
    status = installer.status()
    assert (status.connected, status.state) == (True, Connection.OUTDATED)
    assert "0.9.0" in status.why


def test_a_moved_environment_is_not_connected(installer: Installer, tmp_path: Path) -> None:
    installer.setup()
    installer.runtime.python.unlink()
    runtime = make_runtime(tmp_path / "new", installer.runtime.imprint_home)
    status = Installer(installer.environment, runtime).status()
    assert status.state == Connection.NOT_CONNECTED
    assert "is gone" in status.why


def test_another_imprint_is_named(installer: Installer, tmp_path: Path) -> None:
    other = installer.other(tmp_path / "other")
    other.setup()
    status = installer.status()
    assert status.state == Connection.PROTECTED
    assert status.protected_by == str(other.runtime.python)
    assert other.status().state == Connection.CONNECTED


def test_a_lost_record_is_said(installer: Installer) -> None:
    installer.setup()
    receipt_path(installer.environment.layout(), installer.folder).unlink()
    status = installer.status()
    assert status.state == Connection.OUTDATED
    assert "lost" in status.why


def test_a_home_that_cannot_be_read_is_a_state_with_the_place(installer: Installer) -> None:
    put(installer.home.mcp_config, "{")
    status = installer.status()
    assert status.state == Connection.UNREADABLE
    assert "mcp-config.json:1:" in status.why


def test_homes_of_receipts_are_listed_wherever_the_variable_points_now(
    installer: Installer, tmp_path: Path
) -> None:
    (tmp_path / "second").mkdir()
    environment = replace(
        installer.environment, variables={"COPILOT_HOME": str(tmp_path / "second")}
    )
    second = Installer(environment, installer.runtime)
    second.setup()
    seen = homes_status(installer.environment, installer.runtime).homes
    assert [(home.source, home.connected) for home in seen] == [
        ("default", False),
        ("receipt", True),
    ]
    seen = homes_status(environment, installer.runtime).homes
    assert [(home.source, home.connected) for home in seen] == [
        ("COPILOT_HOME", True),
        ("default", False),
    ]


def test_clients_are_listed_at_their_home_with_the_reason(
    installer: Installer, tmp_path: Path
) -> None:
    program = put(tmp_path / "bin/copilot", "#!/bin/sh\n")
    program.chmod(0o755)
    (installer.environment.home / ".config/Code/User").mkdir(parents=True)
    environment = replace(installer.environment, variables={"PATH": str(tmp_path / "bin")})
    data = homes_status(environment, installer.runtime)
    assert [(client.kind, client.why) for client in data.homes[0].clients] == [
        ("copilot-cli", "on PATH"),
        ("vscode", "its user folder exists"),
    ]
    assert data.other_clients == ()


def test_one_home_can_be_asked_for(installer: Installer, tmp_path: Path) -> None:
    data = homes_status(installer.environment, installer.runtime, given=str(tmp_path / "x"))
    assert [(home.path, home.exists) for home in data.homes] == [(str(tmp_path / "x"), False)]


def test_the_data_encodes_to_the_envelopes_form(installer: Installer) -> None:
    installer.setup()
    data = homes_status(installer.environment, installer.runtime)
    (home,) = json.loads(msgspec.json.encode(data))["homes"]
    assert home["parts"] == {"entry": "current", "block": "current", "hooks": "current"}
    assert home["state"] == "connected"
