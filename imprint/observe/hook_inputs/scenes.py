"""Scenarios: every event of a spelling, in a session with changed files, skill and subagent."""

from imprint.observe.scenario import Scenario
from imprint.observe.scenarios import CAMEL_EVENTS, PASCAL_EVENTS
from imprint.observe.scene import BOGUS_EVENT, Entry, Scene
from imprint.observe.subagents import start_subagent, subagent_script
from imprint.sandbox.script import CallTool, Say, Turn

SKILL = "probing"
CREATED = "created.txt"
EDITED = "edited.txt"


def skill_word(scene: Scene) -> str:
    """The word of the skill's text."""
    return scene.word("skill")


def began(event: str) -> str:
    """The mark of a hook that was started, whether or not its input ever ends."""
    return f"{event}.began"


def _hook(scene: Scene, event: str) -> Entry:
    entry = scene.hook(event)
    return {**entry, "bash": f": > '{scene.marks / began(event)}'; {entry['bash']}"}


def _scenario(spelling: str, events: tuple[str, ...]) -> Scenario:
    def arrange(scene: Scene) -> None:
        hooks = {event: [_hook(scene, event)] for event in events}
        scene.write_hooks("hooks/all.json", {**hooks, BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]})
        (scene.work / EDITED).write_text("two\n", encoding="utf-8")
        head = f"---\nname: {SKILL}\ndescription: Use this skill when probing.\n---\n"
        text = f"{head}The skill says {skill_word(scene)}.\n"
        scene.write(f"skills/{SKILL}/SKILL.md", text)

    return Scenario(f"hook_inputs.{spelling}", arrange, _turns, scripts=subagent_script)


def _turns(scene: Scene) -> tuple[Turn, ...]:
    return (
        CallTool("create", {"path": str(scene.work / CREATED), "file_text": "one\n"}),
        CallTool("edit", {"path": str(scene.work / EDITED), "old_str": "two", "new_str": "three"}),
        CallTool("skill", {"skill": SKILL}),
        start_subagent(),
        Say(f"Done: {scene.words.answer}"),
    )


SCENARIOS = (_scenario("camel", CAMEL_EVENTS), _scenario("pascal", PASCAL_EVENTS))
