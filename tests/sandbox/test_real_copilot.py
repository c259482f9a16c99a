"""The sandbox's own promises, on real releases: once each, since every run takes seconds."""

from dataclasses import replace

import pytest

from imprint.sandbox.isolation import IsolationKind, ScratchHome
from imprint.sandbox.model import AnsweredBy
from imprint.sandbox.script import SHELL, CallTool, Say, Script
from imprint.sandbox.session import SessionSpec, run_prompt

PROMPT = "Remember the heron."
SUB_PROMPT = "Count the birds."
SUBAGENT = CallTool(
    "task",
    {
        "description": "birds",
        "prompt": SUB_PROMPT,
        "agent_type": "general-purpose",
        "name": "birds",
        "mode": "sync",
    },
)

pytestmark = pytest.mark.copilot


@pytest.fixture
def spec_of(fetch, host, tmp_path, workdir):
    def spec_of(name):
        return SessionSpec(
            release=fetch(name),
            prompt=PROMPT,
            turns=(Say("Done."),),
            scratch=ScratchHome(tmp_path / "scratch"),
            workdir=workdir,
            host=host,
        )

    return spec_of


@pytest.mark.parametrize("name", ["newest", "early"])
def test_a_real_session_performs_the_script_subagent_and_all(spec_of, name):
    spec = spec_of(name)
    echo = CallTool(SHELL, {"command": "echo tool-$((40+2))", "description": "echo"})
    turns = (SUBAGENT, echo, Say("All done."))
    result = run_prompt(replace(spec, turns=turns, scripts=(Script(SUB_PROMPT, (Say("Three."),)),)))
    assert result.exit_code == 0, result.stderr
    assert result.copilot_version == spec.release.version
    assert result.isolation.kind is IsolationKind.NETWORK_NAMESPACE, result.isolation.reason
    answered = [(request.script, request.turn) for request in result.model_requests]
    assert answered == [(0, 0), (1, 0), (0, 1), (0, 2)]
    assert {request.answered_by for request in result.model_requests} == {AnsweredBy.TURN}
    last = result.model_requests[-1]
    assert last.contains("Three.", "tool")
    assert last.contains("tool-42", "tool")
    assert not last.contains("tool-43")
    assert "All done." in result.stdout
    assert "subagent.completed" in result.facts.event_types


def test_the_script_goes_on_after_a_real_compaction(spec_of):
    lines = [
        CallTool(SHELL, {"command": f"seq 1000{n} 10999", "description": f"count {n}"})
        for n in range(5)
    ]
    small = {
        "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "22000",
        "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": "2000",
    }
    spec = replace(spec_of("newest"), turns=(*lines, Say("All done.")), environment=small)
    result = run_prompt(spec)
    by = [request.answered_by for request in result.model_requests]
    assert AnsweredBy.COMPACTION in by, "no compaction happened, so nothing was tried"
    turns = [request.turn for request in result.model_requests if request.turn is not None]
    assert turns == list(range(6))
    assert "All done." in result.stdout
