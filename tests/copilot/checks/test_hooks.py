"""Imprint's hooks file, its programs, and hooks in every other place."""

import json
import shlex
from pathlib import Path

import pytest

from imprint.base.checks import Status
from imprint.copilot.checks.documents import read_json
from imprint.copilot.checks.ids import Id
from imprint.copilot.checks.registered import Registered, registered_in
from imprint.copilot.commandline import powershell_line
from imprint.copilot.hooks_file import hook_argv
from tests.copilot.checks.conftest import Patient
from tests.copilot.conftest import make_runtime

FILE = "hooks/imprint.json"


def handler(line: str) -> dict[str, object]:
    return {"type": "command", "bash": line, "timeoutSec": 10}


def hooks(**events: str) -> dict[str, object]:
    return {"version": 1, "hooks": {event: [handler(line)] for event, line in events.items()}}


def our_line(patient: Patient, event: str = "Stop") -> str:
    file = json.loads((patient.folder / FILE).read_text(encoding="utf-8"))
    return file["hooks"][event][0]["bash"]


def test_a_lost_file_is_broken_where_setup_was_run(healthy: Patient) -> None:
    (healthy.folder / FILE).unlink()
    check = healthy.one(Id.HOOKS_FILE)
    assert check.status is Status.BROKEN
    assert "imprint setup" in check.fix


def test_an_edited_file_is_named(healthy: Patient) -> None:
    healthy.edit(FILE, '"timeoutSec": 10', '"timeoutSec": 11')
    check = healthy.one(Id.HOOKS_FILE)
    assert check.status is Status.ATTENTION
    assert "edited" in check.detail


@pytest.mark.parametrize("content", [{"version": 1}, {"version": 1, "hooks": {}}, "{", b"\xff\xfe"])
def test_a_file_of_ours_without_hooks_is_broken(healthy: Patient, content: object) -> None:
    healthy.put(FILE, content)
    assert healthy.one(Id.HOOKS_FILE).status is Status.BROKEN


@pytest.mark.parametrize("gone", ["python", "hook_entry"])
def test_lines_whose_program_is_gone_are_broken_though_they_answer(
    patient: Patient, tmp_path: Path, gone: str
) -> None:
    old = make_runtime(tmp_path / "old venv", patient.environment.imprint_home)
    old.python.chmod(0o755)
    patient.setup(old)
    lost: Path = getattr(old, gone)
    lost.unlink()
    check = patient.one(Id.HOOKS_PROGRAM)
    assert check.status is Status.BROKEN
    assert str(lost) in check.detail
    assert "imprint setup" in check.fix


def test_lines_without_a_store_are_broken_though_they_answer(healthy: Patient) -> None:
    store = healthy.environment.imprint_home
    store.rename(store.with_name("away"))
    check = healthy.one(Id.HOOKS_PROGRAM)
    assert check.status is Status.BROKEN
    assert f"no store {store}" in check.detail
    assert healthy.one(Id.HOOKS_ANSWER).status is Status.OK


def test_a_file_without_hooks_is_reported_and_not_passed_as_fine(healthy: Patient) -> None:
    path = healthy.put("hooks/other.json", {"version": 1})
    check = healthy.one(Id.HOOKS_EMPTY)
    assert check.status is Status.ATTENTION
    assert str(path) in check.detail


def test_a_hooks_file_that_is_no_json_is_named_with_its_place(healthy: Patient) -> None:
    path = healthy.put("hooks/other.json", '{\n  "version": 1,\n  nope\n}')
    check = healthy.one(Id.HOOKS_EMPTY)
    assert check.status is Status.ATTENTION
    assert f"{path}:3:" in check.detail


def test_ours_in_two_files_is_found(healthy: Patient) -> None:
    path = healthy.put("hooks/old.json", hooks(Stop=our_line(healthy)))
    check = healthy.one(Id.HOOKS_TWICE)
    assert check.status is Status.ATTENTION
    assert str(path) in check.detail


def test_ours_in_both_spellings_is_found(healthy: Patient) -> None:
    line = our_line(healthy, "SessionStart")
    healthy.put(FILE, hooks(SessionStart=line, sessionStart=line, Stop=our_line(healthy)))
    check = healthy.one(Id.HOOKS_TWICE)
    assert check.status is Status.ATTENTION
    assert "SessionStart in" in check.detail
    assert "sessionStart in" in check.detail
    assert "registered 2 times" in check.detail


def test_ours_inline_in_the_settings_beside_the_file_is_found(healthy: Patient) -> None:
    healthy.put("settings.json", {"hooks": {"Stop": [handler(our_line(healthy))]}})
    assert healthy.one(Id.HOOKS_TWICE).status is Status.ATTENTION
    check = healthy.one(Id.HOOKS_ELSEWHERE)
    assert check.status is Status.ATTENTION
    assert "settings.json" in check.detail


def test_hooks_of_others_inline_in_the_settings_are_fine(healthy: Patient) -> None:
    healthy.put("settings.json", {"hooks": {"Stop": [handler("true")]}})
    check = healthy.one(Id.HOOKS_ELSEWHERE)
    assert check.status is Status.OK
    assert "Stop" in check.detail


def test_hooks_in_config_json_are_warned_about_though_it_begins_with_comments(
    healthy: Patient,
) -> None:
    path = healthy.put("config.json", '// managed\n{"hooks": {"Stop": []},}')
    check = healthy.one(Id.HOOKS_ELSEWHERE)
    assert check.status is Status.ATTENTION
    assert str(path) in check.detail


@pytest.mark.parametrize("name", ["settings.json", "config.json", "hooks/all.json"])
def test_a_switch_that_turns_hooks_off_is_told_and_left_alone(healthy: Patient, name: str) -> None:
    path = healthy.put(name, '{"disableAllHooks": true}')
    check = healthy.one(Id.HOOKS_DISABLED)
    assert check.status is Status.ATTENTION
    assert str(path) in check.detail
    assert "1.0.102" in check.detail
    assert path.read_text(encoding="utf-8") == '{"disableAllHooks": true}'


@pytest.mark.parametrize(("version", "status"), [("1.0.40", "attention"), ("1.0.102", "ok")])
@pytest.mark.parametrize("event", ["SessionStart", "sessionStart"])
@pytest.mark.parametrize("name", ["hooks/zzz.json", "settings.json"])
def test_other_hooks_at_session_start_are_named(
    healthy: Patient, tmp_path: Path, name: str, event: str, version: str, status: str
) -> None:
    path = healthy.put(name, hooks(**{event: "echo '{}'"}))
    check = healthy.with_copilot(tmp_path / "another", version).one(Id.HOOKS_OTHERS)
    assert check.status == status
    assert str(path) in check.detail
    assert "1.0.92 and 1.0.102 all of it" in check.detail


def test_other_hooks_at_other_events_are_not_worth_a_word(healthy: Patient) -> None:
    healthy.put("hooks/guard.json", hooks(PreToolUse="true"))
    assert healthy.worst() == set()


@pytest.mark.parametrize("key", ["imprint", "imprintStore", "Imprint"])
def test_a_key_of_ours_in_the_settings_is_named(healthy: Patient, key: str) -> None:
    healthy.put("settings.json", {key: {}})
    check = healthy.one(Id.SETTINGS)
    assert check.status is Status.ATTENTION
    assert key in check.detail


@pytest.mark.parametrize("content", ["{nope", b"\xff\xfe{\0}\0"])
def test_settings_that_cannot_be_read_are_named_and_hide_nothing_else(
    healthy: Patient, content: str | bytes
) -> None:
    healthy.put("settings.json", content)
    assert healthy.worst() == {Id.SETTINGS}


@pytest.mark.parametrize("content", ["null", "[]", "42", '""', ""])
def test_settings_that_are_no_object_disturb_nothing(healthy: Patient, content: str) -> None:
    healthy.put("settings.json", content)
    healthy.put("config.json", content)
    healthy.put("hooks/other.json", {"version": 1, "hooks": {"Stop": [handler("true")]}})
    assert healthy.worst() == set()


@pytest.mark.parametrize(
    "content",
    [
        {"hooks": []},
        {"hooks": {"Stop": None}},
        {"hooks": {"Stop": [1, None, "x", {}]}},
        {"hooks": {"Stop": [{"bash": 1, "command": None}]}},
        {"hooks": {"Stop": [{"hooks": [{"hooks": [{"command": "true"}]}]}]}},
    ],
)
def test_hooks_of_any_shape_are_read(healthy: Patient, content: object) -> None:
    path = healthy.put("hooks/odd.json", content)
    assert all(hook.file == path for hook in registered_in(read_json(path)))
    assert healthy.worst() <= {Id.HOOKS_EMPTY}


def test_our_lines_are_known_in_every_form_that_an_imprint_writes(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path / "stop it", tmp_path / "session-start")
    argv = hook_argv(runtime, "stop")
    windows = ["C:\\py thon.exe", *argv[1:5], "C:\\stop\\hook_entry.py", *argv[6:]]
    lines = [
        shlex.join(argv),
        shlex.join(["/usr/bin/python3", "-I", "-S", "/x/hook_entry.py", "stop", "--store", "/s"]),
        powershell_line(windows),
        "'/home/x/.copilot/imprint-wsl' hook stop",
        "imprint hook stop",
    ]
    for line in lines:
        hook = Registered(tmp_path, "Stop", {"command": line})
        assert (hook.is_ours, hook.action) == (True, "stop"), line


@pytest.mark.parametrize("line", ["true", "blueprint hook stop", "python other_hook.py --store x"])
def test_lines_of_others_are_not_ours(tmp_path: Path, line: str) -> None:
    assert not Registered(tmp_path, "Stop", {"bash": line}).is_ours


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("My text.\n", "no block"),
        ("<!-- imprint:end -->\n", "half a block"),
    ],
)
def test_a_block_that_is_not_there_or_half_is_named(healthy: Patient, text: str, said: str) -> None:
    healthy.put("copilot-instructions.md", text)
    check = healthy.one(Id.BLOCK)
    assert check.status is Status.ATTENTION
    assert said in check.detail
    assert healthy.setup().one(Id.BLOCK).status is Status.OK


def test_a_block_that_is_there_twice_is_named(healthy: Patient) -> None:
    path = healthy.folder / "copilot-instructions.md"
    healthy.put(path.name, path.read_text(encoding="utf-8") * 2)
    assert "several times" in healthy.one(Id.BLOCK).detail


def test_an_edited_block_is_named_and_text_around_it_is_not(healthy: Patient) -> None:
    name = "copilot-instructions.md"
    text = (healthy.folder / name).read_text(encoding="utf-8")
    healthy.put(name, f"Mine.\r\n\r\n{text}More of mine")
    assert healthy.one(Id.BLOCK).status is Status.OK
    healthy.edit(name, "recall", "forget")
    assert healthy.one(Id.BLOCK).status is Status.ATTENTION


def test_instructions_in_another_encoding_are_broken(healthy: Patient) -> None:
    healthy.put("copilot-instructions.md", "Mine".encode("utf-16"))
    assert healthy.one(Id.BLOCK).status is Status.BROKEN
