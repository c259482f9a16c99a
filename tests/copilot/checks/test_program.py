"""Which Copilot it is, where its version comes from, and what only looks like one."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.checks import Status
from imprint.copilot import versions
from imprint.copilot.checks.ids import Id
from tests.copilot.checks.conftest import Patient
from tests.copilot.conftest import put, tree


def script(patient: Patient, folder: Path, text: str) -> Patient:
    program = put(folder / "copilot", f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return patient.with_variables(PATH=f"{folder}:{os.defpath}")


def test_the_package_says_the_version(healthy: Patient) -> None:
    check = healthy.one(Id.VERSION)
    assert "1.0.102" in check.detail
    assert "package.json" in check.detail


def test_the_program_is_asked_once_and_what_it_said_is_kept_outside_of_every_home(
    patient: Patient, tmp_path: Path
) -> None:
    asked = script(patient, tmp_path / "bin", f"echo asked >>{tmp_path}/asked; echo 1.0.40")
    before = tree(patient.environment.home), tree(patient.environment.imprint_home)
    assert "says the program" in asked.one(Id.VERSION).detail
    assert "last asked" in asked.one(Id.VERSION).detail
    assert (tmp_path / "asked").read_text(encoding="utf-8") == "asked\n"
    assert (tree(patient.environment.home), tree(patient.environment.imprint_home)) == before


def test_a_program_that_says_nothing_and_fails_has_an_unknown_version(
    patient: Patient, tmp_path: Path
) -> None:
    check = script(patient, tmp_path / "bin", "exit 1").one(Id.VERSION)
    assert check.status is Status.UNKNOWN
    assert "exit code 1" in check.detail
    assert "--version" in check.fix


def test_a_program_that_waits_for_an_answer_does_not_hang_doctor(
    patient: Patient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions.installed_version, "__kwdefaults__", {"ask": True, "seconds": 0.5})
    waiting = script(patient, tmp_path / "bin", "exec sleep 600")
    began = time.monotonic()
    check = waiting.one(Id.VERSION)
    assert time.monotonic() - began < 20
    assert check.status is Status.UNKNOWN
    assert "within 0.5 s" in check.detail


def test_a_newer_build_that_the_program_starts_is_noticed(healthy: Patient) -> None:
    put(healthy.environment.home / ".cache/copilot/pkg/linux-x64/1.0.200/index.js", "")
    check = healthy.one(Id.VERSION)
    assert "1.0.200" in check.detail
    assert "newer build" in check.detail


def test_vscodes_shim_is_named_and_never_run(patient: Patient, tmp_path: Path) -> None:
    folder = tmp_path / "globalStorage/github.copilot-chat/copilotCli"
    shim = script(patient, folder, f"touch {tmp_path}/ran; read answer")
    (patient.environment.home / ".config/Code/User").mkdir(parents=True)
    check = shim.one(Id.VERSION)
    assert check.status is Status.OK
    assert "VS Code's script that asks" in check.detail
    assert not (tmp_path / "ran").exists()


def test_a_windows_program_in_wsl_is_named(patient: Patient, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("imprint.copilot.clients.is_mounted_drive", lambda path: True)
    shim = script(patient, tmp_path / "bin", "exit 1").with_variables(WSL_DISTRO_NAME="Ubuntu")
    check = Patient(replace(shim.environment, platform="linux")).one(Id.VERSION)
    assert check.status is Status.ATTENTION
    assert "a Windows program" in check.detail
