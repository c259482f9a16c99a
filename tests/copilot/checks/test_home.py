"""The home: there, writable, the one that is meant, and not the only one."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.checks import Status
from imprint.base.paths import Environment
from imprint.copilot.checks.ids import Id
from imprint.copilot.receipts import receipt_path
from tests.copilot.checks.conftest import Patient
from tests.copilot.conftest import put
from tests.support import as_nobody, give_to_nobody, let_nobody_in


def test_after_setup_everything_is_fine_and_every_id_is_there_once(healthy: Patient) -> None:
    checks = healthy.look()
    assert [check for check in checks if check.status is not Status.OK] == []
    once = [check.id for check in checks if check.id is not Id.DECISIONS]
    live = {Id.LIVE_COPILOT, Id.LIVE_SETUP, Id.LIVE_CLAIMS, Id.MCP_ANSWER}
    assert sorted(once) == sorted(set(Id) - live - {Id.DECISIONS})
    assert all(check.detail and not check.fix for check in checks)


def test_before_setup_it_is_said_that_nothing_is_set_up(patient: Patient) -> None:
    bad = [check for check in patient.look() if check.status is not Status.OK]
    missing = {Id.VERSION, Id.RECEIPT, Id.ENTRY, Id.BLOCK, Id.HOOKS_FILE}
    assert {check.id for check in bad} == missing
    assert {check.status for check in bad} == {Status.ATTENTION}
    assert all("imprint setup" in check.fix for check in bad if check.id != Id.VERSION)


def test_a_home_that_does_not_exist_needs_attention_and_ends_the_looking(
    patient: Patient,
) -> None:
    patient.folder.rmdir()
    check = patient.one(Id.HOME)
    assert check.status is Status.ATTENTION
    assert "imprint setup" in check.fix
    assert {found.id for found in patient.look()} == {Id.HOME, Id.HOMES, Id.VERSION}


def test_a_file_in_the_place_of_the_home_is_broken_and_all_that_is_said(patient: Patient) -> None:
    patient.folder.rmdir()
    put(patient.environment.home / ".copilot", "")
    (check,) = patient.look()
    assert (check.id, check.status) == (Id.HOME, Status.BROKEN)
    assert "is a file" in check.detail
    assert check.fix


def test_a_link_that_leads_nowhere_is_broken(patient: Patient) -> None:
    patient.folder.rmdir()
    (patient.environment.home / ".copilot").symlink_to("gone")
    (check,) = patient.look()
    assert (check.id, check.status) == (Id.HOME, Status.BROKEN)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("~/.copilot", "takes it literally"),
        ("copilot", "is relative"),
        ("C:\\Users\\me\\.copilot", "is a Windows path"),
    ],
)
def test_an_odd_copilot_home_is_named(patient: Patient, value: str, said: str) -> None:
    (check,) = patient.with_variables(COPILOT_HOME=value).look()
    assert (check.id, check.status) == (Id.HOME, Status.BROKEN)
    assert said in check.detail
    assert check.fix


def test_windows_path_inside_wsl_is_offered_in_its_translated_form(patient: Patient) -> None:
    wsl = patient.with_variables(COPILOT_HOME="C:\\Users\\me\\.copilot", WSL_DISTRO_NAME="Ubuntu")
    assert "/mnt/c/Users/me/.copilot" in wsl.one(Id.HOME).fix


def test_a_home_on_a_drive_of_windows_is_named_inside_wsl(
    healthy: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imprint.copilot.checks.home.is_mounted_drive", lambda path: True)
    wsl = healthy.with_variables(WSL_DISTRO_NAME="Ubuntu")
    check = replace(wsl, environment=replace(wsl.environment, platform="linux")).one(Id.HOME)
    assert check.status is Status.ATTENTION
    assert "belongs to Copilot on Windows" in check.detail


def test_wsl_as_root_is_named(healthy: Patient, tmp_path: Path) -> None:
    wsl = healthy.with_variables(WSL_DISTRO_NAME="Ubuntu", COPILOT_HOME=str(healthy.folder))
    root = replace(wsl.environment, platform="linux", home=Path("/root"))
    assert "WSL as root" in Patient(root).one(Id.HOME).detail


@pytest.mark.parametrize(("version", "status"), [("1.0.40", "attention"), ("1.0.102", "ok")])
def test_brackets_in_the_path_are_named_for_releases_that_stumble_over_them(
    patient: Patient, tmp_path: Path, version: str, status: str
) -> None:
    home = tmp_path / "home [work]"
    home.mkdir()
    there = patient.with_variables(COPILOT_HOME=str(home)).with_copilot(tmp_path / "bin", version)
    assert there.one(Id.HOME).status == status


def test_an_empty_copilot_home_counts_as_unset_and_is_named(patient: Patient) -> None:
    check = patient.with_variables(COPILOT_HOME="").one(Id.HOME)
    assert check.status is Status.OK
    assert "set but empty" in check.detail


def test_a_trailing_slash_changes_nothing(healthy: Patient) -> None:
    same = healthy.with_variables(COPILOT_HOME=f"{healthy.folder}/")
    assert same.worst() == set()


def test_the_home_named_by_the_user_is_the_one_looked_at(patient: Patient, tmp_path: Path) -> None:
    folder = tmp_path / "an other"
    folder.mkdir()
    checks = patient.look(home=str(folder))
    assert str(folder) in next(check for check in checks if check.id == Id.HOME).detail
    entry = next(check for check in checks if check.id == Id.ENTRY)
    assert f"imprint setup --home '{folder}'" in entry.fix


@pytest.mark.parametrize("name", ["mcp-config.json", "copilot-instructions.md"])
def test_a_read_only_file_is_named_with_what_to_type(healthy: Patient, name: str) -> None:
    (healthy.folder / name).chmod(0o444)
    check = healthy.one(Id.WRITABLE)
    assert check.status is Status.ATTENTION
    assert name in check.detail
    assert "chmod" in check.fix


def test_a_hooks_folder_that_links_to_a_read_only_one_is_named(
    patient: Patient, tmp_path: Path
) -> None:
    store = tmp_path / "nix"
    store.mkdir(mode=0o555)
    (patient.folder / "hooks").symlink_to(store)
    check = patient.one(Id.WRITABLE)
    assert check.status is Status.ATTENTION
    assert "read-only" in check.detail


def test_a_file_with_several_names_is_named(healthy: Patient, tmp_path: Path) -> None:
    os.link(healthy.folder / "mcp-config.json", tmp_path / "other-name")
    assert healthy.one(Id.WRITABLE).status is Status.ATTENTION


@pytest.mark.parametrize(("mode", "name"), [(0o000, Id.HOME), (0o500, Id.WRITABLE)])
def test_a_home_without_rights_is_broken(tmp_path: Path, mode: int, name: Id) -> None:
    root = tmp_path / "world"
    environment = replace(Environment.scratch(root), variables={"PATH": os.defpath})
    home = environment.home / ".copilot"
    home.mkdir(parents=True)
    let_nobody_in(tmp_path)
    give_to_nobody(root)
    home.chmod(mode)

    def task() -> str:
        return ",".join(f"{check.id}={check.status}" for check in Patient(environment).look())

    said = as_nobody(task).split(",")
    home.chmod(0o700)
    assert f"{name}={Status.BROKEN}" in said
    if name is Id.HOME:
        assert not [found for found in said if found.startswith("hooks.")]


def test_the_default_home_beside_copilot_home_is_listed_for_the_editor_that_uses_it(
    healthy: Patient, tmp_path: Path
) -> None:
    (tmp_path / "second").mkdir()
    (healthy.environment.home / ".config/Code/User").mkdir(parents=True)
    second = healthy.with_variables(COPILOT_HOME=str(tmp_path / "second")).setup()
    assert second.one(Id.HOMES).status is Status.OK
    shutil.rmtree(healthy.folder)
    healthy.folder.mkdir()
    receipt_path(healthy.environment.layout(), healthy.folder).unlink()
    check = second.one(Id.HOMES)
    assert check.status is Status.ATTENTION
    assert "vscode" in check.detail
    assert f"imprint setup --home {healthy.folder}" in check.fix


def test_a_home_set_up_under_a_variable_that_is_unset_now_is_listed(
    patient: Patient, tmp_path: Path
) -> None:
    (tmp_path / "second").mkdir()
    patient.with_variables(COPILOT_HOME=str(tmp_path / "second")).setup()
    assert str(tmp_path / "second") in patient.one(Id.HOMES).detail


def test_the_snaps_home_is_listed(patient: Patient) -> None:
    snap = patient.environment.home / "snap/copilot-cli/common/.copilot"
    snap.mkdir(parents=True)
    check = patient.one(Id.HOMES)
    assert check.status is Status.OK
    assert str(snap) in check.detail


@pytest.mark.parametrize("place", [".config/.copilot", ".local/state/.copilot"])
def test_places_of_old_releases_are_looked_at_and_not_written(healthy: Patient, place: str) -> None:
    old = healthy.environment.home / place
    put(old / "config.json", "{}")
    check = healthy.one(Id.HOMES)
    assert check.status is Status.OK
    assert str(old) in check.detail
    put(old / "mcp-config.json", '{"mcpServers": {"imprint": {}}}')
    check = healthy.one(Id.HOMES)
    assert check.status is Status.ATTENTION
    assert "mcp-config.json" in check.detail
