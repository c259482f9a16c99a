"""The sessions in which a tool is called again and again, each time with another answer.

What a hook answers is chosen by the name of the file that the call is to make, so each shape is
tried alone in a call of its own. Calls that a release might end a session for come last.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.cases import Case, case_hook
from imprint.observe.hook_answers.spelling import SPELLINGS, spelled, write_spelled
from imprint.observe.scenario import Scenario
from imprint.observe.scene import Scene
from imprint.observe.shapes import CONTEXT_SHAPES, context, nested
from imprint.sandbox.script import CallTool, CallTools, Say, Turn

PRE, POST, START = "preToolUse", "postToolUse", "sessionStart"

MODIFICATIONS = ("modified_top", "updated_top", "updated_nested")
BATCH = ("one", "two", "three")
DENIED_OF_BATCH = "two"
DENIALS = ("decision_block", "permission_top", "permission_nested", "exit1", "exit2")

STEPS = (
    *(f"context.{shape}" for shape in CONTEXT_SHAPES),
    *(f"modify.{shape}" for shape in MODIFICATIONS),
    "batch",
    *(f"deny.{denial}" for denial in DENIALS),
)
"""The model's turns but the last, in order."""

SERIAL_SECONDS = 0.8
"""How long the hook of each call of the batch takes: they would overlap if they could."""

NAMES: Mapping[str, str] = MappingProxyType(
    {spelling: f"hook_answers.tools_{spelling}" for spelling in SPELLINGS}
)


def kept(name: str) -> str:
    """The file, in the session's directory, that a call makes when nothing is done to it."""
    return f"{name}.kept"


def changed(name: str) -> str:
    """The file that it makes when its arguments were changed."""
    return f"{name}.changed"


def _create(scene: Scene, file: str) -> dict[str, object]:
    return {"path": str(scene.work / file), "file_text": "made"}


def _call(scene: Scene, name: str) -> CallTool:
    return CallTool("create", _create(scene, kept(name)))


def _turns(scene: Scene) -> tuple[Turn, ...]:
    batch = CallTools(tuple(_call(scene, f"batch.{name}") for name in BATCH))
    steps = (batch if step == "batch" else _call(scene, step) for step in STEPS)
    return (*steps, Say(f"Done: {scene.words.answer}"))


def _context_cases(scene: Scene, event: str, key: str) -> list[Case]:
    return [
        Case(
            f"context.{shape}",
            kept(f"context.{shape}"),
            answer=context(event, shape, scene.word(f"{key}.{shape}")),
        )
        for shape in CONTEXT_SHAPES
    ]


def _change(scene: Scene, event: str, shape: str) -> str:
    arguments = _create(scene, changed(f"modify.{shape}"))
    match shape:
        case "modified_top":
            return json.dumps({"modifiedArgs": arguments})
        case "updated_top":
            return json.dumps({"updatedInput": arguments})
        case _:
            return nested(event, updatedInput=arguments)


def _denial(event: str, name: str) -> Case:
    reason = {"permissionDecision": "deny", "permissionDecisionReason": "a probe says no"}
    case, needle = f"deny.{name}", kept(f"deny.{name}")
    match name:
        case "exit1" | "exit2":
            return Case(case, needle, answer="", error="a probe says no", code=int(name[-1]))
        case "decision_block":
            answer = json.dumps({"decision": "block", "reason": "a probe says no"})
        case "permission_top":
            answer = json.dumps(reason)
        case _:
            answer = nested(event, **reason)
    return Case(case, needle, answer=answer)


def _batch_cases() -> list[Case]:
    """The denied call first: were the calls given together, its case is the one that fits."""
    denied = json.dumps({"permissionDecision": "deny", "permissionDecisionReason": "no"})
    order = sorted(BATCH, key=lambda name: name != DENIED_OF_BATCH)
    return [
        Case(
            f"batch.{name}",
            kept(f"batch.{name}"),
            answer=denied if name == DENIED_OF_BATCH else "{}",
            seconds=SERIAL_SECONDS,
        )
        for name in order
    ]


def _scenario(spelling: str) -> Scenario:
    pre, post, start = (spelled(event, spelling) for event in (PRE, POST, START))

    def arrange(scene: Scene) -> None:
        before = [
            *_context_cases(scene, pre, "pre"),
            *(
                Case(f"modify.{shape}", kept(f"modify.{shape}"), answer=_change(scene, pre, shape))
                for shape in MODIFICATIONS
            ),
            *_batch_cases(),
            *(_denial(pre, name) for name in DENIALS),
        ]
        given = context(start, "top", scene.words.context)
        hooks = {
            START: [scene.hook(START, answer=given)],
            PRE: [case_hook(scene, PRE, before)],
            POST: [case_hook(scene, POST, _context_cases(scene, post, "post"))],
        }
        write_spelled(scene, spelling, hooks)

    return Scenario(NAMES[spelling], arrange, _turns)


SCENARIOS = tuple(_scenario(spelling) for spelling in SPELLINGS)
