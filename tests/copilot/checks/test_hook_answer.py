"""The registered lines are run as Copilot runs them, within bounds, and nothing follows from it."""

import json
import os
import select
import shlex
import time
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.checks import Status
from imprint.copilot.checks import hook_answer
from imprint.copilot.checks.ids import Id
from imprint.copilot.hooks_file import STOP_ACTION, hook_argv
from imprint.hook_entry import SPOOL_SUFFIX
from tests.copilot.checks.conftest import Patient, statuses
from tests.copilot.conftest import put, tree

FILE = "hooks/imprint.json"


def with_line(patient: Patient, shell: str) -> Patient:
    """Our Stop line replaced by a shell's commands that look like one of ours."""
    line = f"{shell} # hook_entry.py stop --store x"
    handlers = [{"type": "command", "bash": line, "timeoutSec": 10}]
    patient.put(FILE, {"version": 1, "hooks": {"Stop": handlers}})
    return patient


def test_both_lines_answer(healthy: Patient) -> None:
    check = healthy.one(Id.HOOKS_ANSWER)
    assert check.status is Status.OK
    assert "SessionStart in" in check.detail
    assert "Stop in" in check.detail


def test_lines_answer_wherever_imprint_and_its_store_are(patient: Patient, tmp_path: Path) -> None:
    folder = tmp_path / "O'Brien & söhne $HOME `x` [1] 100% 記憶"
    store = folder / "store"
    store.mkdir(parents=True)
    real = patient.runtime
    python = folder / "python"
    python.symlink_to(os.path.realpath(real.python))
    entry = put(folder / "hook_entry.py", real.hook_entry.read_bytes())
    moved = replace(patient, environment=replace(patient.environment, data_folder=store))
    moved.setup(replace(real, python=python, hook_entry=entry, imprint_home=store))
    entry_owner = moved.folder / "mcp-config.json"
    config = json.loads(entry_owner.read_text(encoding="utf-8"))
    config["mcpServers"]["imprint"]["command"] = str(real.python)
    moved.put(entry_owner.name, config)
    assert statuses(moved.found(Id.HOOKS_ANSWER)) == [Status.OK]


@pytest.mark.parametrize(
    ("shell", "said"),
    [
        ("exit 3", "exit code 3"),
        ("echo oops >&2; exit 1", "oops"),
        ("/no/such/python", "exit code 127"),
        ("true", "one JSON object"),
        ("echo '{} {}'", "one JSON object"),
        ("echo '[]'", "one JSON object"),
        ("echo hello; echo '{}'", "one JSON object"),
    ],
)
def test_a_line_that_does_not_answer_is_broken(healthy: Patient, shell: str, said: str) -> None:
    check = with_line(healthy, shell).one(Id.HOOKS_ANSWER)
    assert check.status is Status.BROKEN
    assert said in check.detail
    assert "imprint setup" in check.fix


def test_a_line_that_complains_needs_attention(healthy: Patient) -> None:
    check = with_line(healthy, "echo old python >&2; echo '{}'").one(Id.HOOKS_ANSWER)
    assert check.status is Status.ATTENTION
    assert "old python" in check.detail


def test_a_line_that_hangs_is_ended_with_all_that_it_started(
    healthy: Patient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_answer, "SECONDS", 2.0)
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        hanging = with_line(healthy, f"exec 3>{shlex.quote(str(fifo))}; sleep 600 & sleep 600")
        began = time.monotonic()
        check = hanging.one(Id.HOOKS_ANSWER)
        assert time.monotonic() - began < 10
        assert check.status is Status.BROKEN
        assert "within 2 s" in check.detail
        # The end of the pipe: nobody who was started is alive.
        assert select.select([reader], [], [], 10)[0]
        assert os.read(reader, 1) == b""
    finally:
        os.close(reader)


def test_a_line_that_leaves_somebody_behind_delays_nothing(healthy: Patient) -> None:
    began = time.monotonic()
    check = with_line(healthy, "sleep 600 & echo '{}'").one(Id.HOOKS_ANSWER)
    assert check.status is Status.OK
    assert time.monotonic() - began < 10


def test_where_a_line_cannot_be_started_those_that_were_are_ended(
    healthy: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, started = hook_answer.Trial, []

    def start(argv, env, payload):
        if started:
            raise OSError(11, "Resource temporarily unavailable")
        started.append(real(argv, env, payload))
        return started[0]

    monkeypatch.setattr(hook_answer, "Trial", start)
    with pytest.raises(OSError, match="temporarily"):
        healthy.found(Id.HOOKS_ANSWER)
    assert started[0]._process.returncode is not None


def test_without_bash_it_is_named(healthy: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_answer, "BASH", Path("/no/bash"))
    check = healthy.one(Id.HOOKS_ANSWER)
    assert check.status is Status.BROKEN
    assert "/no/bash" in check.detail


def test_no_start_up_file_of_the_shell_is_read(healthy: Patient, tmp_path: Path) -> None:
    rc = put(tmp_path / "rc", "echo noise")
    put(healthy.environment.home / ".bashrc", "echo noise")
    patient = healthy.with_variables(HOME=str(healthy.environment.home), ENV=str(rc))
    assert statuses(patient.found(Id.HOOKS_ANSWER)) == [Status.OK]


def test_windows_lines_go_to_powershell_without_a_profile() -> None:
    argv = hook_answer.shell_argv("& 'C:\\x'", "win32")
    assert argv[0].startswith("powershell")
    assert "-NoProfile" in argv
    assert argv[-2:] == ("-Command", "& 'C:\\x'")


def test_nothing_is_noted_or_started_even_where_the_spool_waits_for_an_importer(
    healthy: Patient,
) -> None:
    store = healthy.environment.imprint_home
    put(store / "spool" / f"1{SPOOL_SUFFIX}", "{}")
    before = tree(store)
    assert statuses(healthy.found(Id.HOOKS_ANSWER)) == [Status.OK]
    assert tree(store) == before


def test_the_sample_is_answered_by_the_line_that_setup_registers(healthy: Patient) -> None:
    assert hook_argv(healthy.runtime, STOP_ACTION)[-1] == str(healthy.environment.imprint_home)
    payload = json.loads(hook_answer.sample_payload("Stop"))
    assert payload["session_id"] == payload["transcript_path"] == ""
