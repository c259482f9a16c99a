"""Control runs: what a Copilot without Imprint writes, and what this release can do at all."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from imprint.copilot.commandline import posix_line, powershell_line
from imprint.sandbox.isolation import ScratchHome
from imprint.sandbox.script import Say
from imprint.sandbox.session import SessionSpec, run_prompt
from imprint.trial.scenario import made_up_word

_SPELLINGS = {"PascalCase": ("SessionStart", "Stop"), "camelCase": ("sessionStart", "agentStop")}
_SHAPES = ("top-level", "nested")
_PROGRAM = """\
import sys
open(sys.argv[1], "a").close()
sys.stdout.write(sys.argv[2] if len(sys.argv) > 2 else "{}")
"""


@dataclass(frozen=True, slots=True)
class HookAbility:
    """What plain hooks, no part of Imprint, were seen to do on this very release.

    `context` names the spellings and shapes whose context reached the model, `stop` the
    spellings whose Stop hook ran; `runs` counts the sessions that could be judged.
    """

    context: tuple[str, ...]
    stop: tuple[str, ...]
    runs: int


def hook_ability(
    spec: SessionSpec, root: Path, python: Sequence[str], platform: str
) -> HookAbility:
    """Try each spelling and shape alone: several hooks of one event can hide each other."""
    context: list[str] = []
    stop: list[str] = []
    runs = 0
    for spelling, events in _SPELLINGS.items():
        for shape in _SHAPES:
            folder = root / f"{spelling}-{shape}"
            seen = _one(spec, folder, python, events, shape, platform)
            if seen is None:
                continue
            runs += 1
            reached, stopped = seen
            context += [f"{spelling} {shape}"] if reached else []
            stop += [spelling] if stopped and spelling not in stop else []
    return HookAbility(tuple(context), tuple(stop), runs)


def _one(
    spec: SessionSpec,
    folder: Path,
    python: Sequence[str],
    events: tuple[str, str],
    shape: str,
    platform: str,
) -> tuple[bool, bool] | None:
    """Whether the canary reached the model, and whether Stop ran; None if nothing was asked."""
    scratch = ScratchHome(folder / "scratch").make()
    program, marks, canary = folder / "hook.py", folder / "marks", made_up_word()
    marks.mkdir()
    program.write_text(_PROGRAM, encoding="utf-8")
    start, stop = events
    answer = _answer(canary, shape)
    quote = powershell_line if platform == "win32" else posix_line
    lines = {
        start: quote((*python, str(program), str(marks / "start"), answer)),
        stop: quote((*python, str(program), str(marks / "stop"))),
    }
    hooks = scratch.copilot / "hooks"
    hooks.mkdir()
    (hooks / "control.json").write_text(_hooks_file(lines, platform), encoding="utf-8")
    prompt = "Say hello."
    result = run_prompt(replace(spec, scratch=scratch, prompt=prompt, turns=(Say("Hello."),)))
    if not result.model_requests:
        return None
    reached = any(request.contains(canary) for request in result.model_requests)
    return reached, (marks / "stop").exists()


def _answer(canary: str, shape: str) -> str:
    if shape == "top-level":
        return json.dumps({"additionalContext": canary})
    nested = {"hookEventName": "SessionStart", "additionalContext": canary}
    return json.dumps({"hookSpecificOutput": nested})


def _hooks_file(lines: dict[str, str], platform: str) -> str:
    key = "powershell" if platform == "win32" else "bash"
    hooks = {
        event: [{"type": "command", key: line, "timeoutSec": 10}] for event, line in lines.items()
    }
    return json.dumps({"version": 1, "hooks": hooks})
