"""An upgrade of Copilot can make something else right than what is installed."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.checks import CheckContext, Status
from imprint.copilot import contract as contracts
from imprint.copilot.checks import checkers
from imprint.copilot.checks.ids import Id
from imprint.copilot.clients import find_clients
from imprint.copilot.copilots import contract_for, copilots_of
from imprint.copilot.receipts import load_receipt
from imprint.copilot.runtime import Runtime
from imprint.copilot.status import Connection
from tests.copilot.conftest import NOW, Installer, put, tree
from tests.copilot.gates import EARLY, EVERYTHING, gate

FOUND = gate(v1_0_0=EARLY, v1_0_1=EVERYTHING)


class User(Installer):
    """Somebody whose Copilot is of one release today, and of another tomorrow."""

    def has(self, version: str) -> None:
        folder = self.environment.home.parent / "bin"
        put(folder / "copilot", "#!/bin/sh\nexit 1\n").chmod(0o755)
        package = {"name": "@github/copilot", "version": version}
        put(folder / "package.json", json.dumps(package))
        variables = {"PATH": f"{folder}:{os.defpath}"}
        self.environment = replace(self.environment, variables=variables)
        clients = find_clients(self.environment)
        self.contract = contract_for(
            self.environment, copilots_of(self.environment, self.home, clients)
        )

    def drift(self) -> list[tuple[Status, str]]:
        context = CheckContext(self.environment, NOW)
        (checker,) = (one for one in checkers(context) if one.id == Id.DRIFT)
        return [(check.status, check.detail) for check in checker.run()]

    def events(self) -> set[str]:
        return set(json.loads(self.home.hooks_file.read_bytes())["hooks"])


@pytest.fixture
def user(installer: Installer, monkeypatch: pytest.MonkeyPatch) -> User:
    monkeypatch.setattr(contracts, "shipped_gate", lambda: FOUND)
    monkeypatch.setattr(contracts, "machine_name", lambda system: f"{system}-x64")
    return User(installer.environment, Runtime.current(installer.environment))


def test_an_upgrade_that_wants_something_else_is_told_and_setup_mends_it(user: User) -> None:
    put(user.home.mcp_config, "{}")
    before = tree(user.folder)
    user.has("1.0.0")
    user.setup()
    assert user.events() == {"sessionStart", "agentStop"}
    assert user.status().state is Connection.CONNECTED
    assert [status for status, _ in user.drift()] == [Status.OK]

    user.has("1.0.1")
    status = user.status()
    assert (status.state, status.connected) == (Connection.OUTDATED, True)
    assert "register-events" in status.why
    assert "run setup" in status.why
    ((found, told),) = user.drift()
    assert found is Status.ATTENTION
    assert "1.0.0 at setup, 1.0.1 now" in told

    user.setup()
    assert user.events() == {"SessionStart", "Stop"}
    assert user.status().state is Connection.CONNECTED
    assert [status for status, _ in user.drift()] == [Status.OK]
    assert user.plan_setup().plan.is_empty
    user.disconnect()
    assert tree(user.folder) == before


def test_the_receipt_says_what_was_decided(user: User) -> None:
    user.has("1.0.0")
    user.setup()
    receipt = load_receipt(user.environment.layout(), user.folder)
    assert receipt is not None
    assert receipt.copilot_version == "1.0.0"
    assert receipt.decisions["register-events"] == "camel"
    assert receipt.decisions["set-time-limit"] == "timeoutSec"
    assert set(receipt.decisions) == {one.decides for one in user.contract.decisions}


def test_an_upgrade_that_wants_the_same_is_none(user: User) -> None:
    user.has("1.0.1")
    user.setup()
    user.has("1.0.3")
    assert user.status().state is Connection.CONNECTED
    assert [status for status, _ in user.drift()] == [Status.OK]


def test_a_copilot_that_is_not_found_just_now_is_no_drift(user: User) -> None:
    user.has("1.0.0")
    user.setup()
    user.environment = replace(user.environment, variables={"PATH": os.defpath})
    assert user.status().state is Connection.CONNECTED
    assert [status for status, _ in user.drift()] == [Status.OK]


def test_status_shows_todays_decisions_with_their_grounds(user: User) -> None:
    user.has("1.0.0")
    user.setup()
    user.has("1.0.1")
    decisions = {one.decides: one for one in user.status().decisions}
    assert decisions["register-events"].action == "pascal"
    assert decisions["register-events"].grounds == "observed in 1.0.1"


@pytest.mark.parametrize(
    ("claim", "value", "part"),
    [
        ("hooks.file.home_dir", "no", "hooks/imprint.json"),
        ("mcp.file.home", "no", "mcp-config.json"),
        ("instructions.home", "no", "copilot-instructions.md"),
    ],
)
def test_what_an_upgrade_does_not_use_any_more_is_taken_out(
    user: User, claim: str, value: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = gate(v1_0_0=EVERYTHING, v1_0_1={**EVERYTHING, claim: value})
    monkeypatch.setattr(contracts, "shipped_gate", lambda: found)
    user.has("1.0.0")
    user.setup()
    assert (user.folder / part).exists()
    user.has("1.0.1")
    assert user.status().state is Connection.OUTDATED
    planned = user.setup()
    assert any(what in planned.notes[0] for what in ("no hooks", "no server", "no instruct"))
    path = user.folder / part
    assert not path.exists() or b"imprint" not in path.read_bytes()
    assert user.status().state is Connection.CONNECTED, user.status().why
    assert user.plan_setup().plan.is_empty
    ids = {Id.ENTRY, Id.BLOCK, Id.HOOKS_FILE, Id.DRIFT}
    context = CheckContext(user.environment, NOW)
    checks = [check for one in checkers(context) if one.id in ids for check in one.run()]
    own = [check for check in checks if part in check.detail or check.id is Id.DRIFT]
    assert {check.status for check in own} == {Status.OK}, own
    user.disconnect()
    assert tree(user.folder) == {}


def test_setup_says_what_a_release_does_not_offer(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = {"pascal.top": "no", "pascal.nested": "no"}
    values = {**EVERYTHING, "hooks.context.session_start": none}
    monkeypatch.setattr(contracts, "shipped_gate", lambda: gate(v1_0_1=values))
    user.has("1.0.1")
    (note,) = user.plan_setup().notes
    assert "Copilot 1.0.1 gives no hook's context to the model" in note
    assert "`recall`" in note


def test_a_home_of_whose_record_nothing_is_left_has_no_drift(user: User, tmp_path: Path) -> None:
    user.has("1.0.0")
    user.setup()
    for path in user.environment.layout().installed.glob("*.json"):
        path.unlink()
    user.has("1.0.1")
    assert user.drift() == []
    assert "lost" in user.status().why or "not as setup writes" in user.status().why
