"""The sessions that a release is asked in; each has a home of its own, and serves many claims.

What is asked "alone" (a shape of context, a form of MCP entry) has a session of its own. A hook
and an MCP entry know nothing of each other, so the shapes and the forms share sessions.
"""

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scene import BOGUS_EVENT, Entry, Scene
from imprint.observe.shapes import context
from imprint.sandbox.script import SHELL, CallTool, Say, Turn, tool_ending

CAMEL_EVENTS = (
    "sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse",
    "postToolUseFailure", "agentStop", "subagentStart", "subagentStop", "preCompact",
    "permissionRequest", "notification", "preMcpToolCall", "userPromptTransformed",
    "errorOccurred", "postResult", "prePRDescription",
)  # fmt: skip
PASCAL_EVENTS = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse",
    "PostToolUseFailure", "Stop", "SubagentStart", "SubagentStop", "PreCompact",
    "PermissionRequest", "Notification", "PreMcpToolCall", "UserPromptTransformed",
    "ErrorOccurred", "PostResult", "PrePRDescription",
)  # fmt: skip

START = {"pascal": "SessionStart", "camel": "sessionStart"}
STOP = {"pascal": "Stop", "camel": "agentStop"}
PROMPTED = {"pascal": "UserPromptSubmit", "camel": "userPromptSubmitted"}

PROMPT_WORD = "prompted"
"""The key of the word that the hook of a prompt gives as context, in the shape of its session."""

TOOLS = ("probe_one", "probe_two")
SIBLING_TOOL = "sibling_one"

TIMEOUT_KEYS: Mapping[str, int] = MappingProxyType(
    {"timeout": 1, "timeoutSec": 1, "timeoutSeconds": 1, "timeoutMs": 1000}
)
SLEEP_SECONDS = 3.0
"""Longer than every limit that is set, shorter than any default that was seen."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A session that tries one shape of context in one spelling, and one form of MCP entry.

    `entry` is the form (empty: no MCP file); `keys` what the form gives the entry.
    """

    spelling: str
    shape: str
    entry: str
    keys: Mapping[str, object]
    wide: bool = False

    @property
    def name(self) -> str:
        """Such as `pascal.top`."""
        return f"{self.spelling}.{self.shape}"


_STAR = ["*"]

SHAPES = (
    Shape("pascal", "top", "stdio", {"type": "stdio", "tools": _STAR}, wide=True),
    Shape("camel", "top", "local", {"type": "local", "tools": _STAR}, wide=True),
    Shape("pascal", "nested", "missing", {"tools": _STAR}),
    Shape("camel", "nested", "tools-missing", {"type": "stdio"}),
    Shape("pascal", "both", "tools-empty", {"type": "stdio", "tools": []}),
    Shape("camel", "both", "tools-exact", {"type": "stdio", "tools": [TOOLS[0]]}),
    Shape("pascal", "plain", "tools-glob", {"type": "stdio", "tools": ["probe_*"]}),
    Shape("camel", "plain", "", {}),
)


def _arrange_shape(scene: Scene, shape: Shape) -> None:
    events = PASCAL_EVENTS if shape.spelling == "pascal" else CAMEL_EVENTS
    start, stop = START[shape.spelling], STOP[shape.spelling]
    asked = events if shape.wide else (start, stop)
    hooks: dict[str, list[Entry]] = {event: [scene.hook(event)] for event in asked}
    prompted = PROMPTED[shape.spelling]
    for event, word in {start: scene.words.context, prompted: scene.word(PROMPT_WORD)}.items():
        hooks[event] = [scene.hook(event, answer=context(event, shape.shape, word))]
    hooks[stop] = [scene.hook(stop, needle=scene.words.answer)]
    hooks[BOGUS_EVENT] = [scene.hook(BOGUS_EVENT)]
    scene.write_hooks("hooks/shape.json", hooks)
    if shape.wide:
        _arrange_neighbours(scene, stop)
        scene.write("copilot-instructions.md", f"The word is {scene.words.instructions}.\n")
    sibling = scene.server("sibling", [SIBLING_TOOL], type="stdio", tools=_STAR)
    probe = scene.server("probe", TOOLS, **shape.keys)
    place = "mcp-config.json" if shape.entry else "elsewhere/mcp-config.json"
    scene.write(place, json.dumps({"mcpServers": {"probe": probe, "sibling": sibling}}))


def _arrange_neighbours(scene: Scene, event: str) -> None:
    """A second file in the folder, and one beside the folder that must not be read."""
    scene.write_hooks("hooks/Zz second.json", {event: [scene.hook("second-file")]})
    scene.write_hooks("elsewhere/hooks.json", {event: [scene.hook("elsewhere")]})


def _shape_turns(shape: Shape) -> Callable[[Scene], tuple[Turn, ...]]:
    def turns(scene: Scene) -> tuple[Turn, ...]:
        last = Say(f"Done: {scene.words.answer}")
        if not shape.wide:
            return (last,)
        return (
            CallTool(SHELL, {"command": "echo fine", "description": "Say fine"}),
            CallTool("view", {"path": str(scene.work / "absent.txt")}),
            CallTool(tool_ending(SIBLING_TOOL), {}),
            last,
        )

    return turns


def _shape_scenario(shape: Shape) -> Scenario:
    def arrange(scene: Scene) -> None:
        _arrange_shape(scene, shape)

    return Scenario(shape.name, arrange, _shape_turns(shape))


def _arrange_limits(scene: Scene) -> None:
    """One file per key: one that is refused must not take the others with it."""
    for key, limit in TIMEOUT_KEYS.items():
        entry = {**scene.hook(key, seconds=SLEEP_SECONDS), key: limit}
        scene.write_hooks(f"hooks/{key}.json", {"sessionStart": [entry]})
    without = scene.hook("no-key", seconds=SLEEP_SECONDS)
    scene.write_hooks("hooks/no-key.json", {"sessionStart": [without]})
    bogus = {BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]}
    scene.write_hooks("hooks/bogus.json", bogus)


def _arrange_ways(scene: Scene) -> None:
    """Ways to name a program on Stop, two contexts at start, one hook in both spellings."""

    def line(label: str) -> str:
        # $0 is the shell that runs the line.
        return f'{shlex.join(scene.recorder(label))} "$0"'

    python, *arguments = scene.recorder("exec")
    ways: dict[str, Entry] = {
        "command": {"type": "command", "command": line("command")},
        "bash": {"type": "command", "bash": line("bash")},
        "powershell": {"type": "command", "powershell": line("powershell")},
        "exec": {"type": "command", "exec": python, "args": arguments},
    }
    for label, entry in ways.items():
        scene.write_hooks(f"hooks/way-{label}.json", {"agentStop": [entry]})
    twice = [scene.hook("twice")]
    both = {"UserPromptSubmit": twice, "userPromptSubmitted": twice}
    both |= {"PreToolUse": [scene.hook("twice-tool")], "preToolUse": [scene.hook("twice-tool")]}
    scene.write_hooks("hooks/twice.json", {**both, BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]})
    words = (scene.words.context, scene.words.second)
    several = [
        scene.hook(f"context-{number}", answer=json.dumps({"additionalContext": word}))
        for number, word in enumerate(words, 1)
    ]
    scene.write_hooks("hooks/several.json", {"sessionStart": several})


def _says(scene: Scene) -> tuple[Turn, ...]:
    return (Say(f"Done: {scene.words.answer}"),)


def _runs_a_tool(scene: Scene) -> tuple[Turn, ...]:
    shell = CallTool(SHELL, {"command": "echo fine", "description": "Say fine"})
    return (shell, *_says(scene))


def _arrange_loader(scene: Scene) -> None:
    """Every name in both spellings, for a log alone."""
    for name, events in {"pascal": PASCAL_EVENTS, "camel": CAMEL_EVENTS}.items():
        scene.write_hooks(f"hooks/{name}.json", {one: [scene.hook(one)] for one in events})
    scene.write_hooks("hooks/bogus.json", {BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]})


LOADER = Scenario(
    "loader",
    _arrange_loader,
    _says,
    tolerates=frozenset({Useless.MODEL_NOT_ASKED, Useless.EXIT_CODE}),
)
"""Of a release that wants a login: its loader reads the home's files all the same, and says so."""

LIMITS = Scenario("limits", _arrange_limits, _says)
WAYS = Scenario("ways", _arrange_ways, _runs_a_tool)

SCENARIOS: tuple[Scenario, ...] = (
    *(_shape_scenario(shape) for shape in SHAPES),
    LOADER,
    LIMITS,
    WAYS,
)
