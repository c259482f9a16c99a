"""Scenarios: a session that is resumed and continued, one on autopilot, one that is killed."""

import json
import shlex
from hashlib import sha256
from uuid import UUID

from imprint.observe.scenario import PROMPT, Scenario, Useless
from imprint.observe.scene import BOGUS_EVENT, Entry, Scene
from imprint.sandbox.script import SHELL, CallTool, Say, Turn

RESUMED_PROMPT = "Please run the second probe."
CONTINUED_PROMPT = "Please run the third probe."
CONTEXT_EVENTS = ("userPromptSubmitted", "preToolUse", "postToolUse")

_ENDS_EARLY = frozenset({Useless.EXIT_CODE, Useless.MODEL_NOT_ASKED})


def context_word(scene: Scene, event: str) -> str:
    """The word that the hook of an event gives as context."""
    return scene.word(f"context of {event}")


def chosen_id(scene: Scene) -> str:
    """A session id of the caller's: a UUID, which is what releases ask for."""
    digest = sha256(scene.words.never.encode("ascii")).digest()
    return str(UUID(bytes=digest[:16], version=4))


def _arrange_begun(scene: Scene) -> None:
    plain = ("sessionStart", "agentStop", "sessionEnd")
    hooks: dict[str, list[Entry]] = {event: [scene.hook(event)] for event in plain}
    for event in CONTEXT_EVENTS:
        answer = json.dumps({"additionalContext": context_word(scene, event)})
        hooks[event] = [scene.hook(event, answer=answer)]
    scene.write_hooks("hooks/begun.json", {**hooks, BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]})


def _arrange_killed(scene: Scene) -> None:
    """The hook's shell is a child of Copilot itself, which it kills a second later.

    Until then the file is written as far as it ever is: releases write with some delay.
    """
    recorder = shlex.join(scene.recorder("kill", seconds=1))
    kill: Entry = {"type": "command", "bash": f"{recorder}; kill -9 $PPID"}
    hooks = {"postToolUse": [kill], BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]}
    scene.write_hooks("hooks/kill.json", hooks)


def _arrange_plain(scene: Scene) -> None:
    hooks = {event: [scene.hook(event)] for event in ("agentStop", BOGUS_EVENT)}
    scene.write_hooks("hooks/plain.json", hooks)


def _add_nothing(_: Scene) -> None:
    """The home is that of the session before."""


def _says(scene: Scene) -> tuple[Turn, ...]:
    return (Say(f"Done: {scene.words.answer}"),)


def _runs_a_tool(scene: Scene) -> tuple[Turn, ...]:
    return (CallTool(SHELL, {"command": "echo fine", "description": "Say fine"}), *_says(scene))


def _by_id(scene: Scene) -> tuple[str, ...]:
    folders = sorted(scene.scratch.sessions.glob("*/events.jsonl"))
    return tuple(f"--resume={path.parent.name}" for path in folders[:1])


SCENARIOS = (
    Scenario(
        "transcripts.begun",
        _arrange_begun,
        _runs_a_tool,
        # Every event as it happens, ephemeral ones too.
        arguments=lambda _: ("--output-format", "json"),
    ),
    Scenario(
        "transcripts.resumed",
        _add_nothing,
        _says,
        prompt=RESUMED_PROMPT,
        arguments=_by_id,
        after="transcripts.begun",
    ),
    Scenario(
        "transcripts.continued",
        _add_nothing,
        _says,
        prompt=CONTINUED_PROMPT,
        arguments=lambda _: ("--continue",),
        after="transcripts.resumed",
    ),
    Scenario(
        "transcripts.autopilot",
        _arrange_plain,
        _says,
        prompt=PROMPT,
        arguments=lambda _: ("--autopilot", "--max-autopilot-continues", "1"),
        tolerates=_ENDS_EARLY,
    ),
    Scenario(
        "transcripts.killed",
        _arrange_killed,
        _runs_a_tool,
        tolerates=frozenset({Useless.EXIT_CODE}),
    ),
    Scenario(
        "transcripts.chosen",
        _arrange_plain,
        _says,
        arguments=lambda scene: ("--session-id", chosen_id(scene)),
        tolerates=_ENDS_EARLY,
    ),
    Scenario(
        "transcripts.chosen_by_resume",
        _arrange_plain,
        _says,
        arguments=lambda scene: (f"--resume={chosen_id(scene)}",),
        tolerates=_ENDS_EARLY,
    ),
)
