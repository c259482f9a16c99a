"""Copilot in its terminal UI and as a server: a stand-in plays it, whole or broken in one way."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.sandbox import driven
from imprint.sandbox.agent_host import run_acp, run_sdk
from imprint.sandbox.drivers import terminal as terminal_driver
from imprint.sandbox.drivers.order import Order
from imprint.sandbox.errors import AccountNeeded, CopilotNotStarted, HostRefused, MissingExtra
from imprint.sandbox.script import SHELL, CallTool, Say, Script
from imprint.sandbox.session import SessionSpec
from imprint.sandbox.terminal import run_terminal
from tests.observe.support import VERSION, fake_release
from tests.sandbox.support import alive

PROMPT, MORE = "Remember the heron.", "And the egret."

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")

WAYS = {"terminal": run_terminal, "sdk": run_sdk, "acp": run_acp}


@pytest.fixture
def spec_of(scratch, workdir, world_host, tmp_path):
    def spec_of(*knobs, seconds=30):
        return SessionSpec(
            release=fake_release(tmp_path / "bin", *knobs),
            prompt=PROMPT,
            turns=(CallTool(SHELL, {"command": "echo fine"}), Say("Noted, the heron.")),
            scratch=scratch,
            workdir=workdir,
            host=world_host,
            scripts=(Script(MORE, (Say("Noted, the egret."),)),),
            deadline=seconds,
        )

    return spec_of


@pytest.mark.parametrize("way", WAYS)
def test_a_conversation_of_two_prompts_comes_to_its_end(spec_of, way):
    result = WAYS[way](spec_of(), MORE)
    assert (result.exit_code, result.timed_out, result.report.stuck) == (0, False, "")
    asked = [(one.script, one.turn) for one in result.model_requests]
    assert asked == [(0, 0), (0, 1), (1, 0)]
    assert result.copilot_version == VERSION


def test_a_terminal_shows_what_is_said_and_its_dialogs_are_answered(spec_of):
    report = run_terminal(spec_of(), MORE).report
    assert (report.trust_questions, report.questions) == (1, 2)
    assert "Noted, the heron." in report.screen
    assert "\x1b" not in report.screen


def test_a_terminal_without_dialogs_is_no_different(spec_of):
    report = run_terminal(spec_of("no-dialogs"), MORE).report
    assert (report.trust_questions, report.questions, report.stuck) == (0, 0, "")


def test_permission_is_given_to_an_acp_agent_that_asks(spec_of):
    assert run_acp(spec_of(), MORE).report.questions == 2


def test_the_sdk_chooses_the_sessions_id(spec_of):
    result = run_sdk(spec_of(), MORE)
    assert result.report.chosen_id == result.session_folder.name


def test_an_old_server_that_cannot_be_stopped_is_ended(spec_of):
    result = run_sdk(spec_of("old-server"), MORE)
    assert (result.exit_code, result.timed_out) == (0, False)


@pytest.mark.parametrize(
    ("way", "knob", "waited_for"),
    [
        ("terminal", "never-answers", "the answer"),
        ("terminal", "dies", "the answer"),
        ("terminal", "hangs", "the input line"),
        ("sdk", "mute", "the end of the turn"),
        ("sdk", "dies", "the server"),
        ("acp", "mute", "an answer to initialize"),
        ("acp", "dies", "an answer to session/prompt"),
    ],
)
def test_what_does_not_come_is_told_and_nobody_is_left(spec_of, way, knob, waited_for):
    result = WAYS[way](spec_of(knob, seconds=6), MORE)
    assert (result.timed_out, result.report.stuck) == (True, waited_for)
    assert result.duration_ms < 1000 * (8 + driven.MARGIN_SECONDS)


def test_nothing_but_a_spinner_for_long_is_no_answer(spec_of, monkeypatch, workdir):
    monkeypatch.setattr(terminal_driver, "_PATIENCE_SECONDS", 1.5)
    program = workdir / "spins"
    program.write_text(
        "import time\n"
        "for n in range(10**6):\n"
        "    print(f'\\x1b[2J\\x1b[HThinking {n % 7} (Esc to cancel)', flush=True)\n"
        "    time.sleep(0.05)\n",
        encoding="utf-8",
    )
    command = (sys.executable, "-IS", str(program))
    report = terminal_driver.drive(Order(command, str(workdir), (), seconds=60))
    assert report.stuck == "the input line"
    assert report.exit_code < 0


def test_an_agent_that_asks_for_login_says_so(spec_of):
    with pytest.raises(AccountNeeded, match="Authentication required"):
        run_acp(spec_of("asks-login"), MORE)


def test_a_server_with_ids_of_its_own_is_refused_by_the_sdk(spec_of):
    with pytest.raises(HostRefused, match="sessionId"):
        run_sdk(spec_of("own-ids"), MORE)


@pytest.mark.parametrize("way", WAYS)
def test_a_program_that_is_gone_is_one_clear_error(spec_of, way):
    spec = spec_of()
    gone = replace(spec.release, command=("/no/such/copilot",))
    with pytest.raises(CopilotNotStarted, match="/no/such/copilot"):
        WAYS[way](replace(spec, release=gone), MORE)


@pytest.mark.parametrize(("way", "module"), [("terminal", "pexpect"), ("sdk", "copilot")])
def test_without_the_extra_the_line_to_type_is_told(spec_of, monkeypatch, way, module):
    monkeypatch.setattr(driven, "find_spec", lambda name: None if name == module else object())
    with pytest.raises(MissingExtra, match=module) as caught:
        WAYS[way](spec_of(), MORE)
    assert "pip install -e '.[probes]'" in caught.value.fix


def test_a_driver_that_says_nothing_is_a_result(spec_of, monkeypatch):
    monkeypatch.setattr(driven.sys, "executable", "/bin/false")
    result = driven.run_driven(spec_of(), "acp")
    assert (result.timed_out, result.report.stuck) == (True, "the driver's report")


def test_the_deadline_ends_a_copilot_on_a_terminal_of_its_own(spec_of):
    spec = spec_of()
    script = Path(spec.release.command[0])
    pid = spec.workdir / "pid"
    text = script.read_text(encoding="utf-8").replace(
        "import http.client", f"import os; open({str(pid)!r}, 'w').write(str(os.getpid()))\n"
        "import http.client", 1,
    )  # fmt: skip
    script.write_text(
        text.replace("if not other_way", "time.sleep(300)\nif not other_way"), "utf-8"
    )
    result = run_terminal(replace(spec, deadline=1.5), MORE)
    assert result.timed_out
    assert not alive(int(pid.read_text(encoding="utf-8")))
