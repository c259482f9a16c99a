"""The sessions of subagents, of blocked prompts and stops, and of large contexts."""

import json
from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.cases import Case, case_hook
from imprint.observe.hook_answers.spelling import SPELLINGS, spelled, write_spelled
from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scene import Scene
from imprint.observe.shapes import CONTEXT_SHAPES, context
from imprint.sandbox.script import CallTool, Say, Script, Turn

START, SUBAGENT, STOP, PROMPTED = (
    "sessionStart",
    "subagentStart",
    "agentStop",
    "userPromptSubmitted",
)
PRE, POST = "preToolUse", "postToolUse"

SUBAGENTS: Mapping[str, str] = MappingProxyType(
    {spelling: f"hook_answers.subagents_{spelling}" for spelling in SPELLINGS}
)

PROMPT_DENIALS: Mapping[str, str] = MappingProxyType(
    {name: f"hook_answers.prompt_{name}" for name in ("exit2", "decision_block")}
)

CONTINUED = "hook_answers.continued"

SIZES = (60_000, 11_000, 9_000, 1_000)
"""Bytes, the largest first."""

SIZED: Mapping[int, str] = MappingProxyType(
    {size: f"hook_answers.size_{size // 1000}" for size in SIZES}
)
"""By the size of what SessionStart gives; tools are called in the first of them alone."""


def text_of(word: str, size: int) -> str:
    """A text of `size` bytes, every line of which has the word."""
    lines = "".join(f"{word} {number}\n" for number in range(size // len(word) + 1))
    return f"{lines[: size - 1]}."


def _start(scene: Scene, spelling: str) -> dict[str, object]:
    answer = context(spelled(START, spelling), "top", scene.words.context)
    return scene.hook(START, answer=answer)


def _part(number: int) -> str:
    return f"Please do part {number}."


def _subagents(spelling: str) -> Scenario:
    """One subagent per shape; what its hook answers goes by how many there were before."""
    event = spelled(SUBAGENT, spelling)

    def arrange(scene: Scene) -> None:
        cases = [
            Case(shape, run=number, answer=context(event, shape, scene.word(shape)))
            for number, shape in enumerate(CONTEXT_SHAPES)
        ]
        hooks = {START: [_start(scene, spelling)], SUBAGENT: [case_hook(scene, SUBAGENT, cases)]}
        write_spelled(scene, spelling, hooks)

    def turns(scene: Scene) -> tuple[Turn, ...]:
        tasks = (
            CallTool(
                "task",
                {
                    "prompt": _part(number),
                    "description": f"part {number}",
                    "name": f"part-{number}",
                    "agent_type": "task",
                    "mode": "sync",
                },
            )
            for number in range(len(CONTEXT_SHAPES))
        )
        return (*tasks, Say(f"Done: {scene.words.answer}"))

    def scripts(_: Scene) -> tuple[Script, ...]:
        numbers = range(len(CONTEXT_SHAPES))
        return tuple(Script(_part(number), (Say("The part is done."),)) for number in numbers)

    return Scenario(SUBAGENTS[spelling], arrange, turns, scripts=scripts)


def _prompt_denial(name: str) -> Scenario:
    def arrange(scene: Scene) -> None:
        reason = scene.word("reason")
        block = json.dumps({"decision": "block", "reason": reason})
        case = (
            Case(name, answer="", error=reason, code=2)
            if name == "exit2"
            else Case(name, answer=block)
        )
        write_spelled(scene, "camel", {PROMPTED: [case_hook(scene, PROMPTED, [case])]})

    tolerates = frozenset({Useless.MODEL_NOT_ASKED, Useless.EXIT_CODE})
    return Scenario(PROMPT_DENIALS[name], arrange, _says, tolerates=tolerates)


def _says(scene: Scene) -> tuple[Turn, ...]:
    return (Say(f"Done: {scene.words.answer}"),)


def _arrange_continued(scene: Scene) -> None:
    """The first Stop blocks, the next ones don't."""
    block = json.dumps({"decision": "block", "reason": f"Go on: {scene.word('reason')}"})
    stop = case_hook(scene, STOP, [Case("block", run=0, answer=block)])
    write_spelled(scene, "camel", {START: [_start(scene, "camel")], STOP: [stop]})


def _two_turns(scene: Scene) -> tuple[Turn, ...]:
    return (Say(f"Done: {scene.words.answer}"), Say("Went on."))


def _calls(scene: Scene) -> tuple[Turn, ...]:
    made = ({"path": str(scene.work / _file(size)), "file_text": "made"} for size in SIZES)
    return (*(CallTool("create", one) for one in made), *_says(scene))


def _file(size: int) -> str:
    return f"sized.{size}.txt"


def _sized(size: int) -> Scenario:
    """What SessionStart gives is alone in its session; around tools each size has its call."""
    with_tools = size == SIZES[0]

    def arrange(scene: Scene) -> None:
        given = context(START, "top", text_of(scene.words.context, size))
        hooks = {START: [case_hook(scene, START, [Case(str(size), answer=given)])]}
        for event in (PRE, POST) if with_tools else ():
            cases = [
                Case(
                    str(one),
                    _file(one),
                    answer=context(event, "top", text_of(scene.word(f"{event}.{one}"), one)),
                )
                for one in SIZES
            ]
            hooks[event] = [case_hook(scene, event, cases)]
        write_spelled(scene, "camel", hooks)

    return Scenario(SIZED[size], arrange, _calls if with_tools else _says)


SCENARIOS = (
    *(_subagents(spelling) for spelling in SPELLINGS),
    *(_prompt_denial(name) for name in PROMPT_DENIALS),
    Scenario(CONTINUED, _arrange_continued, _two_turns),
    *(_sized(size) for size in SIZES),
)
