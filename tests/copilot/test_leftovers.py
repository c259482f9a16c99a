"""After an uninstall without disconnect, what is left in the Copilot home must be harmless."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.copilot.contract import CopilotContract
from imprint.copilot.homes import CopilotHome, HomeSource
from imprint.copilot.runtime import Runtime
from imprint.copilot.setup import plan_setup
from imprint.edit.apply import apply
from imprint.sandbox.isolation import ScratchHome
from imprint.sandbox.release import Release
from imprint.sandbox.script import SHELL, CallTool, Say
from imprint.sandbox.session import SessionResult, SessionSpec, run_prompt

ANSWER = "All three words: done, done, done."


def installed(world: Environment, scratch: ScratchHome, runtime: Runtime) -> None:
    home = CopilotHome.at(scratch.make().copilot, HomeSource.GIVEN)
    plan = plan_setup(
        world,
        home,
        CopilotContract.for_version(None, "linux"),
        runtime=runtime,
        now=dt.datetime.now(dt.UTC),
    )
    apply(plan.plan, locks=world.locks, keep=world.layout().installed)
    assert (home.path / "hooks" / "imprint.json").is_file()


def session(release: Release, scratch: ScratchHome, workdir: Path, host: Environment):
    workdir.mkdir(exist_ok=True)
    turns = (
        CallTool(SHELL, {"command": "echo tool-ran", "description": "Run a tool"}),
        Say(ANSWER),
    )
    return run_prompt(
        SessionSpec(
            release=release,
            prompt="Run a tool, then answer.",
            turns=turns,
            scratch=scratch,
            workdir=workdir,
            host=host,
        )
    )


def what_the_user_saw(result: SessionResult) -> tuple[int, bool, bool, int]:
    tool_ran = any(request.contains("tool-ran", "tool") for request in result.model_requests)
    turns = sum(request.turn is not None for request in result.model_requests)
    return result.exit_code, ANSWER in result.stdout, tool_ran, turns


@pytest.mark.copilot
@pytest.mark.parametrize("name", ["newest", "early"])
@pytest.mark.parametrize("gone", ["interpreter", "program", "store"])
def test_a_deleted_imprint_blocks_no_turn_denies_no_tool_and_makes_no_noise(
    name: str,
    gone: str,
    tmp_path: Path,
    world: Environment,
    fetch: Callable[[str], Release],
    host: Environment,
) -> None:
    release = fetch(name)
    current = Runtime.current(world)
    lost = {
        "interpreter": replace(current, python=tmp_path / "venv" / "bin" / "python"),
        "program": replace(current, hook_entry=tmp_path / "site" / "hook_entry.py"),
        "store": replace(current, imprint_home=tmp_path / "no-store"),
    }
    scratch = ScratchHome(tmp_path / "user")
    installed(world, scratch, lost[gone])
    result = session(release, scratch, tmp_path / "work", host)
    assert what_the_user_saw(result) == (0, True, True, 2), (result.stdout, result.stderr)
    said = result.stdout + result.stderr
    assert "imprint" not in said.lower(), said
