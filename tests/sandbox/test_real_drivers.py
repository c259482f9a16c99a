"""A real release in its terminal UI and as a server, offline: once each."""

import pytest

from imprint.sandbox.agent_host import run_acp, run_sdk
from imprint.sandbox.isolation import IsolationKind, ScratchHome
from imprint.sandbox.script import SHELL, CallTool, Say, Script
from imprint.sandbox.session import SessionSpec
from imprint.sandbox.terminal import run_terminal

PROMPT, MORE = "Remember the heron.", "And the egret."

pytestmark = pytest.mark.copilot

WAYS = {"terminal": run_terminal, "sdk": run_sdk, "acp": run_acp}


@pytest.mark.parametrize("way", WAYS)
def test_a_real_conversation_of_two_prompts_comes_to_its_end(way, fetch, host, tmp_path, workdir):
    release = fetch("newest")
    touch = CallTool(SHELL, {"command": "touch heron", "description": "make a file"})
    spec = SessionSpec(
        release=release,
        prompt=PROMPT,
        turns=(touch, Say("Noted, the heron.")),
        scratch=ScratchHome(tmp_path / "scratch"),
        workdir=workdir,
        host=host,
        scripts=(Script(MORE, (Say("Noted, the egret."),)),),
        deadline=240,
    )
    result = WAYS[way](spec, MORE)
    assert (result.exit_code, result.report.stuck) == (0, ""), result.report.screen
    assert result.copilot_version == release.version
    assert result.isolation.kind is IsolationKind.NETWORK_NAMESPACE, result.isolation.reason
    asked = [(one.script, one.turn) for one in result.model_requests if one.turn is not None]
    assert asked == [(0, 0), (0, 1), (1, 0)]
    # Permission was asked for, and given.
    assert result.report.questions == 1
    assert (workdir / "heron").exists()
    assert result.report.trust_questions == (way == "terminal")
