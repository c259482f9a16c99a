"""A whole session, with a stand-in for Copilot."""

import http.client
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.sandbox.errors import CopilotNotStarted, PortInUse, ScratchUnusable
from imprint.sandbox.isolation import IsolationKind
from imprint.sandbox.model import AnsweredBy, listen
from imprint.sandbox.script import SHELL, CallTool, Say, tool_ending
from imprint.sandbox.session import SessionSpec, run_prompt

PROMPT = "Remember the heron."


@pytest.fixture
def spec(fake_release, scratch, workdir, world_host):
    return SessionSpec(
        release=fake_release,
        prompt=PROMPT,
        turns=(Say("Noted, the heron."),),
        scratch=scratch,
        workdir=workdir,
        host=world_host,
        deadline=30,
    )


def test_a_session_performs_its_script_and_brings_back_everything(spec):
    command = "echo at $PWD, with ${SECRET:-no} secret"
    turns = (
        CallTool(SHELL, {"command": command}),
        CallTool(tool_ending("recall"), {"query": "heron"}),
        Say("All done."),
    )
    result = run_prompt(replace(spec, turns=turns))
    assert (result.exit_code, result.stdout, result.timed_out) == (0, "All done.\n", False)
    assert [request.turn for request in result.model_requests] == [0, 1, 2]
    assert {request.answered_by for request in result.model_requests} == {AnsweredBy.TURN}
    last = result.model_requests[-1]
    assert last.contains(f"at {spec.workdir}, with no secret", "tool")
    assert last.contains("recalled {'query': 'heron'}", "tool")
    assert 0 < result.duration_ms < 30_000


def test_the_version_and_the_hooks_are_those_of_the_transcript(spec):
    result = run_prompt(spec)
    assert result.transcript is not None
    assert result.transcript.is_relative_to(spec.scratch.sessions)
    assert result.copilot_version == "9.8.7"
    assert result.facts.session_id == result.session_folder.name
    hooks = [(hook.phase, hook.hook, hook.success) for hook in result.hook_records]
    assert hooks == [("start", "agentStop", None), ("end", "agentStop", True)]


def test_a_second_session_in_the_same_home_finds_its_own_transcript(spec):
    first, second = run_prompt(spec), run_prompt(spec)
    assert first.session_folder != second.session_folder
    assert len(list(spec.scratch.sessions.iterdir())) == 2


def test_extra_variables_and_arguments_reach_the_program(spec):
    turns = (CallTool(SHELL, {"command": "echo $EXTRA"}), Say("ok"))
    result = run_prompt(
        replace(spec, turns=turns, environment={"EXTRA": "seen"}, arguments=("--no-color",))
    )
    assert result.model_requests[-1].contains("seen", "tool")


def test_a_run_on_the_hosts_network_says_so(spec):
    assert run_prompt(replace(spec, isolate=False)).isolation.kind is IsolationKind.NONE


@pytest.mark.parametrize("isolate", [True, False])
def test_a_program_that_hangs_is_ended_at_the_deadline_and_the_result_says_so(spec, isolate):
    result = run_prompt(
        replace(spec, environment={"FAKE_COPILOT": "hang"}, deadline=1.0, isolate=isolate)
    )
    assert result.timed_out
    assert result.exit_code < 0
    assert result.duration_ms < 10_000
    assert (result.session_folder, result.transcript, result.copilot_version) == (None, None, "")


def test_a_program_that_talks_without_end_costs_no_memory_without_end(spec):
    result = run_prompt(replace(spec, environment={"FAKE_COPILOT": "flood"}))
    assert result.exit_code == 0
    assert len(result.stdout) == 4 * 1024 * 1024


def test_a_program_that_fails_at_once_is_a_result_and_no_error(spec):
    result = run_prompt(replace(spec, release=replace(spec.release, command=("/bin/false",))))
    assert (result.exit_code, result.model_requests, result.session_folder) == (1, (), None)


@pytest.mark.parametrize("isolate", [True, False])
def test_a_program_that_is_gone_is_one_clear_error(spec, isolate):
    gone = replace(spec.release, command=("/no/such/copilot",))
    with pytest.raises(CopilotNotStarted, match="/no/such/copilot"):
        run_prompt(replace(spec, release=gone, isolate=isolate))


def test_a_port_in_use_is_one_clear_error(spec):
    with listen() as taken, pytest.raises(PortInUse):
        run_prompt(replace(spec, port=taken.getsockname()[1], isolate=False))


def test_a_file_in_the_place_of_the_scratch_home_is_one_clear_error(spec):
    spec.scratch.root.write_text("a file", encoding="utf-8")
    with pytest.raises(ScratchUnusable, match=str(spec.scratch.root)):
        run_prompt(spec)


def test_the_scratch_home_is_the_owners_alone(spec):
    run_prompt(spec)
    assert spec.scratch.root.stat().st_mode & 0o777 == 0o700


def test_nothing_is_left_outside_the_scratch_home(spec, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    descriptors = len(list(Path("/dev/fd").iterdir()))
    run_prompt(spec)
    assert list(temporary.iterdir()) == []
    assert list(spec.workdir.iterdir()) == []
    assert list(spec.host.home.iterdir()) == []
    assert len(list(Path("/dev/fd").iterdir())) == descriptors


def test_the_model_is_gone_after_the_session(spec):
    turns = (CallTool(SHELL, {"command": "echo $COPILOT_PROVIDER_BASE_URL"}), Say("ok"))
    result = run_prompt(replace(spec, turns=turns, isolate=False))
    url = json.loads(json.dumps(result.model_requests[-1].messages[-1][1])).strip()
    host, _, port = url.removeprefix("http://").removesuffix("/v1").partition(":")
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection(host, int(port), timeout=5).request("GET", "/v1/models")
