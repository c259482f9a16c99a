"""What a scenario is: one run of a release in a scratch home, which serves many claims."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from imprint.observe.scene import Scene
from imprint.sandbox.script import Script, Turn
from imprint.sandbox.session import (
    DEADLINE_SECONDS,
    SessionResult,
    SessionSpec,
    run_command,
    run_prompt,
)

PROMPT = "Please run the probe now."

Drive = Callable[[SessionSpec], SessionResult]
"""How a release is run; `run_prompt` and its like."""


class Useless(StrEnum):
    """Why a run proves nothing, unless its scenario expects it."""

    TIMED_OUT = "timed-out"
    MODEL_NOT_ASKED = "model-not-asked"
    EXIT_CODE = "exit-code"


def _no_words(_: Scene) -> tuple[str, ...]:
    return ()


def _no_scripts(_: Scene) -> tuple[Script, ...]:
    return ()


def _no_variables(_: Scene) -> Mapping[str, str]:
    return {}


def _work(scene: Scene) -> Path:
    return scene.work


@dataclass(frozen=True, slots=True)
class Scenario:
    """`arrange` writes the files of the home, `turns` are what the model does.

    `arguments`, `environment`, `scripts` (of subagents) and `workdir` are made when the scene is
    there. `after` names a scenario in whose home this one runs, once it has ended: its files stay,
    and `arrange` adds to them. `drive` is another way to run than `copilot -p`. `tolerates` what
    the run may end with and still prove something. `deadline` is in seconds.
    """

    name: str
    arrange: Callable[[Scene], None]
    turns: Callable[[Scene], tuple[Turn, ...]]
    prompt: str = PROMPT
    arguments: Callable[[Scene], tuple[str, ...]] = _no_words
    environment: Callable[[Scene], Mapping[str, str]] = _no_variables
    scripts: Callable[[Scene], tuple[Script, ...]] = _no_scripts
    workdir: Callable[[Scene], Path] = _work
    after: str = ""
    drive: Drive = run_prompt
    tolerates: frozenset[Useless] = frozenset()
    deadline: float = DEADLINE_SECONDS


def command(*arguments: str) -> Drive:
    """A drive that runs `copilot ARGUMENTS`: it has no conversation, so `tolerates` must say so."""

    def drive(spec: SessionSpec) -> SessionResult:
        return run_command(replace(spec, arguments=arguments))

    return drive
