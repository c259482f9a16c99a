"""Under `--live` the user's own Copilot is asked, in a scratch home, and only the truth is kept."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.checks import Check, Status
from imprint.copilot import live
from imprint.copilot.checks.ids import Id
from tests.copilot.checks.conftest import Patient
from tests.copilot.conftest import put, tree
from tests.observe.support import fake_copilot

_ADDED = Path(__file__).with_name("serving.py")


def with_stand_in(patient: Patient, folder: Path, *knobs: str, version: str = "1.0.102") -> Patient:
    """A Copilot on PATH that has hooks, servers and instructions."""
    program = fake_copilot(folder, *knobs, version=version)
    text = program.read_text(encoding="utf-8")
    before, start, rest = text.rpartition("\nif not other_way(")
    assert start
    added = _ADDED.read_text(encoding="utf-8")
    program.write_text(f"{before}\n{added}\n{start}{rest}", encoding="utf-8")
    return patient.with_variables(PATH=f"{folder}:{os.defpath}")


@pytest.fixture
def connected(patient: Patient, tmp_path: Path) -> Patient:
    """A home after setup, with such a Copilot."""
    return with_stand_in(patient, tmp_path / "bin").setup()


def ask(patient: Patient) -> dict[Id, list[Check]]:
    """What the live checks and those after them say, in the order of a run."""
    found: dict[Id, list[Check]] = {}
    for check in patient.look(live=True):
        found.setdefault(Id(check.id), []).append(check)
    return found


def about(checks: Iterable[Check], claim: str) -> Check:
    (check,) = (check for check in checks if claim in check.detail)
    return check


def recorded(patient: Patient) -> list[Path]:
    folder = patient.environment.layout().observed
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_setups_files_are_seen_to_work_and_no_home_is_touched(connected: Patient) -> None:
    home, own = tree(connected.folder), tree(connected.environment.imprint_home)
    found = ask(connected)
    assert [check.status for check in found[Id.LIVE_COPILOT]] == [Status.OK]
    assert {check.status for check in found[Id.LIVE_SETUP]} == {Status.OK}
    kept = [check.detail for check in found[Id.LIVE_SETUP]]
    assert len(kept) == len(set(kept)) == 4
    assert tree(connected.folder) == home
    after = tree(connected.environment.imprint_home)
    assert {name: data for name, data in after.items() if not name.startswith("observed")} == own
    (file,) = recorded(connected)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_each_claim_is_set_beside_the_matrix(connected: Patient) -> None:
    claims = ask(connected)[Id.LIVE_CLAIMS]
    same = about(claims, "hooks.context.session_start")
    assert (same.status, "as the matrix says" in same.detail) == (Status.OK, True)
    differs = about(claims, "hooks.names.pascal")  # the stand-in knows fewer events
    assert differs.status is Status.ATTENTION
    assert "SessionEnd no, not yes" in differs.detail
    assert "imprint setup" in differs.fix


def test_a_release_that_nobody_knows_is_known_after_it_was_asked(
    patient: Patient, tmp_path: Path
) -> None:
    strange = with_stand_in(patient, tmp_path / "bin", version="7.7.7").setup()
    before = strange.one(Id.RELEASE)
    assert before.status is Status.ATTENTION
    assert "--live" in before.fix
    found = ask(strange)
    assert about(found[Id.LIVE_CLAIMS], "hooks.file.home_dir").detail.endswith("did not know")
    assert [check.status for check in found[Id.RELEASE]] == [Status.OK]
    decisions = [check.detail for check in found[Id.DECISIONS]]
    assert "register-events: pascal (local in 7.7.7)" in decisions
    assert strange.one(Id.RELEASE).status is Status.OK


def test_what_was_seen_counts_for_that_very_program_alone(patient: Patient, tmp_path: Path) -> None:
    strange = with_stand_in(patient, tmp_path / "bin", version="7.7.7").setup()
    ask(strange)
    program = tmp_path / "bin" / "copilot"
    program.write_text(program.read_text(encoding="utf-8") + "# another build\n", encoding="utf-8")
    assert strange.one(Id.RELEASE).status is Status.ATTENTION


def test_a_hook_that_does_nothing_is_broken(patient: Patient, tmp_path: Path) -> None:
    gone = replace(patient.runtime, hook_entry=tmp_path / "gone" / "hook_entry.py")
    found = ask(with_stand_in(patient, tmp_path / "bin").setup(gone))
    broken = {check.detail for check in found[Id.LIVE_SETUP] if check.status is Status.BROKEN}
    assert len(broken) == 2
    assert all("no context" in one or "nothing was learned" in one for one in broken)


def test_servers_that_never_start_prove_nothing_about_entries(
    patient: Patient, tmp_path: Path
) -> None:
    found = ask(with_stand_in(patient, tmp_path / "bin", "no-servers").setup())
    for claim in ("mcp.file.home", "mcp.type", "mcp.tools"):
        assert about(found[Id.LIVE_CLAIMS], claim).status is Status.UNKNOWN
    assert about(found[Id.LIVE_SETUP], "recall").status is Status.BROKEN


@pytest.mark.parametrize(
    ("knob", "said"),
    [
        ("wants-login", "model-not-asked"),
        ("says-another-version", "9.9.9"),
        ("updates-itself", "changed while it was asked"),
    ],
)
def test_a_run_that_proves_nothing_records_nothing(
    patient: Patient, tmp_path: Path, knob: str, said: str
) -> None:
    found = ask(with_stand_in(patient, tmp_path / "bin", knob).setup())
    (check,) = found[Id.LIVE_COPILOT]
    assert (check.status, said in check.detail) == (Status.UNKNOWN, True), check.detail
    assert check.fix
    assert Id.LIVE_CLAIMS not in found
    assert recorded(patient) == []


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exec sleep 600", "did not end within"),
        ("exit 3", "ended with 3"),
        ("echo 1.0.102", "not a Copilot"),
        ("kill -SEGV $$", "not a Copilot"),
    ],
)
def test_a_program_that_is_no_copilot_is_told_in_a_line(
    patient: Patient, tmp_path: Path, script: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "START_SECONDS", 1.0)
    program = put(tmp_path / "bin" / "copilot", f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    # Its version is known: nothing but `--live` runs it.
    put(tmp_path / "bin" / "package.json", '{"name": "@github/copilot", "version": "1.0.102"}')
    bad = patient.with_variables(PATH=f"{program.parent}:{os.defpath}").setup()
    (check,) = ask(bad)[Id.LIVE_COPILOT]
    assert (check.status, said in check.detail) == (Status.UNKNOWN, True), check.detail
    assert recorded(bad) == []


def test_without_a_copilot_there_is_nothing_to_ask(patient: Patient) -> None:
    (check,) = ask(patient.setup())[Id.LIVE_COPILOT]
    assert check.status is Status.OK
    assert "no Copilot CLI" in check.detail


def test_nothing_is_asked_unless_told_to(connected: Patient) -> None:
    asked = {Id.LIVE_COPILOT, Id.LIVE_SETUP, Id.LIVE_CLAIMS}
    assert asked.isdisjoint(check.id for check in connected.look())
