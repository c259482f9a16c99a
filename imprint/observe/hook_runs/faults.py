"""What goes on all the same when a hook is at fault: its program missing, or too slow.

A hook of a tool is at fault in one call alone, so that what it does to that call is seen, and the
session goes on. Every hook leaves its mark before its program is found missing, or takes too long.
"""

import json
import shlex
from collections.abc import Callable, Mapping
from types import MappingProxyType

from imprint.observe.cases import Case, write_cases
from imprint.observe.judged import NOT_RUN, Judged, SessionsByName, nothing_strange, unjudged
from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scenarios import CAMEL_EVENTS
from imprint.observe.scene import BOGUS_EVENT, Entry, Scene
from imprint.observe.sessions import Seen
from imprint.sandbox.model import AnsweredBy
from imprint.sandbox.script import CallTool, Say, Script, Turn, tool_ending

MISSING = "hook_runs.missing"
TOO_SLOW = "hook_runs.too_slow"

LIMIT_SECONDS = 1
SLOW_SECONDS = 4.0

FAULTY = "faulty"
"""The case in which a hook is at fault."""

_NEEDLES: Mapping[str, str] = MappingProxyType(
    {
        "preToolUse": "pre.made",
        "permissionRequest": "permission.made",
        "postToolUse": "post.made",
        "postToolUseFailure": "absent.txt",
    }
)
"""Of the events of tools, what stdin holds in the call whose hook is at fault."""

_STEPS = ("pre", "permission", "post", "absent", "server", "subagent")
"""The model's turns but the last, in order."""

_SUBAGENT_PROMPT = "Please do the part."
_TOOL = "probe_one"
_OTHERWISE = 3
"""What a recorder exits with where its hook is not at fault: the hook's shell then ends with 0."""


def made(name: str) -> str:
    """The file, in the session's directory, that a call makes."""
    return f"{name}.made"


def _turns(scene: Scene) -> tuple[Turn, ...]:
    def create(name: str) -> CallTool:
        return CallTool("create", {"path": str(scene.work / made(name)), "file_text": "made"})

    task = {
        "prompt": _SUBAGENT_PROMPT,
        "description": "a part",
        "name": "part",
        "agent_type": "task",
        "mode": "sync",
    }
    return (
        create("pre"),
        create("permission"),
        create("post"),
        CallTool("view", {"path": str(scene.work / "absent.txt")}),
        CallTool(tool_ending(_TOOL), {}),
        CallTool("task", task),
        Say(f"Done: {scene.words.answer}"),
    )


def _scripts(_: Scene) -> tuple[Script, ...]:
    return (Script(_SUBAGENT_PROMPT, (Say("The part is done."),)),)


def _missing(scene: Scene, event: str) -> Entry:
    """A recorder that leaves the word to a program that isn't there, in the faulty case."""
    cases = [
        Case(FAULTY, _NEEDLES.get(event, ""), answer=""),
        Case("fine", code=_OTHERWISE),
    ]
    recorder = shlex.join(scene.recorder(event, answer=write_cases(scene, event, cases)))
    absent = shlex.quote(str(scene.root / "imprint-no-such-program"))
    return {"type": "command", "bash": f"if {recorder}; then exec {absent}; fi"}


def _too_slow(scene: Scene, event: str) -> Entry:
    cases = [Case(FAULTY, _NEEDLES.get(event, ""), seconds=SLOW_SECONDS)]
    entry = scene.hook(event, answer=write_cases(scene, event, cases))
    return {**entry, "timeoutSec": LIMIT_SECONDS}


def _scenario(name: str, hook: Callable[[Scene, str], Entry]) -> Scenario:
    def arrange(scene: Scene) -> None:
        hooks: dict[str, list[Entry]] = {event: [hook(scene, event)] for event in CAMEL_EVENTS}
        hooks[BOGUS_EVENT] = [scene.hook(BOGUS_EVENT)]
        scene.write_hooks("hooks/faults.json", hooks)
        server = scene.server("probe", [_TOOL], type="local", tools=["*"])
        scene.write("mcp-config.json", json.dumps({"mcpServers": {"probe": server}}))

    tolerates = frozenset({Useless.EXIT_CODE, Useless.MODEL_NOT_ASKED})
    return Scenario(name, arrange, _turns, scripts=_scripts, tolerates=tolerates)


def missing_program(sessions: SessionsByName) -> Judged:
    """By event whose hook ran up to where its program was missing: whether its action went on."""
    return _judged(sessions[MISSING], lambda _: True)


def too_slow(sessions: SessionsByName) -> Judged:
    """By event whose hook was stopped before its end: whether its action went on."""
    return _judged(sessions[TOO_SLOW], lambda ended: not ended)


def _judged(seen: Seen, is_fault: Callable[[bool], bool]) -> Judged:
    """What is not at fault must go on: the second file is made, whatever comes of the first."""
    value: dict[str, str | int | float] = {
        event: "open" if _went_on(seen, event) else "closed"
        for event in CAMEL_EVENTS
        if any(run.case == FAULTY and is_fault(run.ended) for run in seen.runs_of(event))
    }
    if not value:
        return unjudged(NOT_RUN)
    return Judged(
        value,
        dict(value),
        positive=(seen.scene.work / made("post")).exists(),
        negative=nothing_strange(seen),
    )


def _went_on(seen: Seen, event: str) -> bool:
    """Whether what the event announces, or follows, was done."""
    match event:
        case "preToolUse":
            return (seen.scene.work / made("pre")).exists()
        case "permissionRequest":
            return (seen.scene.work / made("permission")).exists()
        case "preMcpToolCall":
            return seen.scene.has_mark("probe.called")
        case "subagentStart":
            return _was_asked(seen, 0, script=1)
        case "sessionStart" | "userPromptSubmitted" | "userPromptTransformed":
            return _was_asked(seen, 0)
        case "postToolUse":
            return _was_asked(seen, _STEPS.index("post") + 1)
        case "postToolUseFailure":
            return _was_asked(seen, _STEPS.index("absent") + 1)
        case "subagentStop":
            return _was_asked(seen, _STEPS.index("subagent") + 1)
        case _:
            return seen.result.exit_code == 0 and not _was_made_to_go_on(seen)


def _was_asked(seen: Seen, turn: int, script: int = 0) -> bool:
    return any(one.script == script and one.turn == turn for one in seen.answered)


def _was_made_to_go_on(seen: Seen) -> bool:
    """Whether the model was asked for more than its turns."""
    return any(one.answered_by is AnsweredBy.EXHAUSTED for one in seen.result.model_requests)


SCENARIOS = (_scenario(MISSING, _missing), _scenario(TOO_SLOW, _too_slow))
