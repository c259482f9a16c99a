"""A conversation in which the model starts a subagent, for scenarios of several areas."""

from imprint.observe.scene import Scene
from imprint.sandbox.script import SHELL, CallTool, Say, Script

SUBAGENT_PROMPT = "Count the probes, subagent."
SUBAGENT_TURNS = 2


def start_subagent(*, background: bool = False) -> CallTool:
    """The call; releases that know nothing of the background wait for the subagent."""
    arguments = {
        "agent_type": "general-purpose",
        "name": "counter",
        "description": "Count probes",
        "prompt": SUBAGENT_PROMPT,
        "mode": "background" if background else "sync",
    }
    return CallTool("task", arguments)


def subagent_script(scene: Scene, command: str = "echo counted") -> tuple[Script, ...]:
    """What the subagent does: run a command, and say its own word."""
    run = CallTool(SHELL, {"command": command, "description": "Count"})
    return (Script(SUBAGENT_PROMPT, (run, Say(f"Counted: {subagent_word(scene)}"))),)


def subagent_word(scene: Scene) -> str:
    """The word that the subagent alone says."""
    return scene.word("subagent")
