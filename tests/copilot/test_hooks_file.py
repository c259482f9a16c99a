"""The hooks file: its text, its command lines, and telling Imprint's own from an edited one."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint import hook_entry
from imprint.base.paths import Environment
from imprint.copilot.commandline import split_line
from imprint.copilot.contract import CopilotContract
from imprint.copilot.hooks_file import hook_argv, hook_lines, is_generated, mentions_imprint, render
from imprint.copilot.runtime import Runtime
from tests.copilot.conftest import put

CONTRACT = CopilotContract.for_version(None, "linux")
ON_WINDOWS = CopilotContract.for_version(None, "win32")
WINDOWS = Runtime(
    Path("C:\\Users\\Jö O'Brien\\venv\\Scripts\\python.exe"),
    Path("C:\\Users\\Jö O'Brien\\venv\\Lib\\site-packages\\imprint\\hook_entry.py"),
    Path("C:\\Users\\Jö O'Brien\\AppData\\Local\\imprint"),
    "1.0.0",
)


def test_the_file_registers_both_events_with_their_limits(runtime: Runtime) -> None:
    content = json.loads(render(runtime, CONTRACT))
    start, stop = hook_lines(runtime, CONTRACT)
    assert content == {
        "version": 1,
        "hooks": {
            "SessionStart": [{"type": "command", "bash": start.line, "timeoutSec": 10}],
            "Stop": [{"type": "command", "bash": stop.line, "timeoutSec": 120}],
        },
    }


def test_a_line_names_the_program_the_action_and_the_store(runtime: Runtime) -> None:
    words = hook_argv(runtime, "stop")
    assert words[:4] == (str(runtime.python), "-I", "-S", "-c")
    assert words[5:] == (
        str(runtime.hook_entry),
        "stop",
        "--store",
        str(runtime.imprint_home),
    )
    for hook in hook_lines(runtime, CONTRACT):
        assert hook.action in hook_entry.ACTIONS
        assert split_line(hook.line) == hook_argv(runtime, hook.action)


def test_on_windows_the_lines_are_powershells() -> None:
    content = json.loads(render(WINDOWS, ON_WINDOWS))
    handler = content["hooks"]["Stop"][0]
    assert set(handler) == {"type", "powershell", "timeoutSec"}
    assert split_line(handler["powershell"]) == hook_argv(WINDOWS, "stop")
    assert PureWindowsPath(hook_argv(WINDOWS, "stop")[0]).is_absolute()


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_registered_line_answers_in_a_shell_below_a_nasty_folder(
    shell: str, world: Environment, tmp_path: Path
) -> None:
    nasty = tmp_path / "Jörg's $HOME & [co] `x` 50% 日本"
    nasty.mkdir()
    store = nasty / "store"
    current = Runtime.current(world)
    copied = nasty / "hook_entry.py"
    copied.write_bytes(current.hook_entry.read_bytes())
    runtime = replace(current, hook_entry=copied, imprint_home=store)
    start, _ = hook_lines(runtime, CONTRACT)
    assert json.loads(answer_of(start.line, shell)) == {}


def answer_of(line: str, shell: str = "sh", payload: bytes = b"{}") -> bytes:
    """What a registered line prints; it must succeed without a word on stderr."""
    done = subprocess.run(
        [shell, "-c", line], input=payload, capture_output=True, check=True, timeout=20, env={}
    )
    assert done.stderr == b""
    return done.stdout


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_line_whose_program_was_deleted_still_answers_without_a_word(
    shell: str, world: Environment, tmp_path: Path
) -> None:
    runtime = replace(Runtime.current(world), hook_entry=tmp_path / "gone/hook_entry.py")
    for hook in hook_lines(runtime, CONTRACT):
        assert json.loads(answer_of(hook.line, shell)) == {}


def test_nothing_beside_the_program_can_hide_the_standard_library(
    world: Environment, tmp_path: Path
) -> None:
    current = Runtime.current(world)
    program = tmp_path / "hook_entry.py"
    program.write_bytes(current.hook_entry.read_bytes())
    for name in ("os.py", "stat.py", "posixpath.py", "codecs.py", "json.py", "time.py"):
        (tmp_path / name).write_text("raise SystemExit('hidden')", encoding="utf-8")
    runtime = replace(current, hook_entry=program, imprint_home=tmp_path / "store")
    put(
        tmp_path / "store/digests/global.json",
        json.dumps({"version": 1, "directory": "", "text": "remembered"}),
    )
    start, _ = hook_lines(runtime, CONTRACT)
    assert json.loads(answer_of(start.line)) == {"additionalContext": "remembered"}


@pytest.mark.parametrize("context", ["top-level", "nested", "none"])
@pytest.mark.parametrize("key", ["timeoutSec", "timeout", "timeoutSeconds"])
@pytest.mark.parametrize("spelling", ["pascal", "camel"])
def test_what_any_contract_generated_is_known_as_generated(
    runtime: Runtime, spelling: str, key: str, context: str
) -> None:
    actions = {
        "register-events": spelling,
        "set-time-limit": key,
        "answer-context": context,
        "answer-camel-context": context,
    }
    for runs, system, shells in (
        (runtime, "linux", ("bash", "command")),
        (WINDOWS, "win32", ("powershell", "command")),
    ):
        for shell in shells:
            contract = CopilotContract.recorded(actions | {"set-command": shell}, None, system)
            data = render(runs, contract)
            assert is_generated(data)
            assert f'"{shell}": ' in data.decode()
            assert f'"{key}": 120' in data.decode()


def test_the_answers_shape_is_in_the_action_of_the_line(runtime: Runtime) -> None:
    def start(**actions: str) -> str:
        recorded = {name.replace("_", "-"): action for name, action in actions.items()}
        return hook_lines(runtime, CopilotContract.recorded(recorded, None, "linux"))[0].action

    assert start() == "copilot-session-start"
    assert start(answer_context="nested") == "session-start"
    assert start(answer_context="none") == "copilot-session-start"
    camel = start(register_events="camel", answer_camel_context="nested")
    assert camel == "session-start"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"timeoutSec": 10', b'"timeoutSec": 11'),
        (b"\n}\n", b"\n}"),
        (b'"version": 1', b'"version":1'),
        (b" stop ", b" stop --verbose "),
        (b"-I -S", b"-I"),
    ],
)
def test_any_edit_makes_it_an_edited_file_that_still_runs_imprint(
    runtime: Runtime, old: bytes, new: bytes
) -> None:
    data = render(runtime, CONTRACT)
    assert old in data
    edited = data.replace(old, new)
    assert not is_generated(edited)
    assert mentions_imprint(edited)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"null",
        b'{"version": 1}',
        b'{"version": 1, "hooks": {}}',
        b'{"version": 1, "hooks": {"Stop": []}}',
        b'{"hooks": {"Stop": [{"bash": 5, "timeoutSec": 3}], "X": []}}',
        b"\xff\xfe{\x00}\x00",
        b'{"version": 1, "hooks": {"Stop": [{"type": "command", "bash": "echo"}]}}',
    ],
)
def test_files_of_others_are_not_imprints(data: bytes) -> None:
    assert not is_generated(data)
    assert not mentions_imprint(data)


@given(st.binary())
def test_no_bytes_make_the_check_fail(data: bytes) -> None:
    assert not is_generated(data)
