"""The conversation that is held in every other way than `-p`, and what its judges share.

Two prompts, so that what happens once a session can be told from what happens once a turn.
"""

import json
from collections.abc import Mapping

from imprint.observe.events import read_events
from imprint.observe.judged import Judged, SessionsByName, nothing_strange, yes_or_no
from imprint.observe.scenario import Drive, Scenario
from imprint.observe.scenarios import CAMEL_EVENTS, SIBLING_TOOL
from imprint.observe.scene import BOGUS_EVENT, Entry, Scene
from imprint.observe.sessions import Seen
from imprint.observe.subagents import start_subagent, subagent_script, subagent_word
from imprint.sandbox.driven import DrivenResult
from imprint.sandbox.drivers.order import Report
from imprint.sandbox.script import SHELL, CallTool, Say, Script, Turn, tool_ending

MORE = "Please say it once more."
"""The second prompt."""

_SECONDS = 400.0
"""A first start of a terminal UI, and seven turns with dialogs, on a busy machine."""

Table = dict[str, str | int | float]


def talk(name: str, drive: Drive) -> Scenario:
    """The conversation as a scenario."""
    return Scenario(name, _arrange, _turns, scripts=_scripts, drive=drive, deadline=_SECONDS)


def report_of(seen: Seen) -> Report:
    """What the driver says of the session."""
    result = seen.result
    return result.report if isinstance(result, DrivenResult) else Report()


def fires(sessions: SessionsByName, name: str) -> Judged:
    """Of the events whose cause is seen to have occurred, those whose hook ran.

    Others are answered where they fired: that one did not may be for want of a cause. Where no
    hook ran, the same form must run in `-p`, or nothing is proven.
    """
    seen = sessions[name]
    ran = frozenset(mark.label for mark in seen.marks)
    asked = _caused(seen) | (ran & frozenset(CAMEL_EVENTS))
    value: Table = {event: yes_or_no(event in ran) for event in CAMEL_EVENTS if event in asked}
    return Judged(
        value,
        {**value, **_beginnings(seen)},
        positive=_came_to_its_end(seen) and (bool(ran) or bool(sessions["camel.top"].marks)),
        negative=nothing_strange(seen),
    )


def session_ends(sessions: SessionsByName, name: str, entry: str) -> Judged:
    """How often the hook on the session's end ran, in a session where another hook did."""
    seen = sessions[name]
    value: Table = {entry: len(seen.runs_of("sessionEnd"))}
    return Judged(
        value,
        dict(value),
        positive=_came_to_its_end(seen) and bool(seen.runs_of("agentStop")),
        negative=nothing_strange(seen),
    )


def _came_to_its_end(seen: Seen) -> bool:
    """The positive control: both prompts were answered."""
    return any(MORE in text for one in seen.answered for role, text in one.messages)


def _beginnings(seen: Seen) -> Mapping[str, object]:
    """How often the session's start was told, with which sources, and if before the prompt."""
    starts = seen.runs_of("sessionStart")
    first = next((m.label for m in seen.marks if m.label in _FIRST), "")
    sources = sorted({str(mark.payload.get("source", "")) for mark in starts})
    return {"starts": len(starts), "sources": sources, "first": first}


_FIRST = frozenset({"sessionStart", "userPromptSubmitted"})


def _caused(seen: Seen) -> frozenset[str]:
    ends = [one.data.get("success") for one in read_events(seen) if one.type == _TOOL_ENDED]
    subagent = any(one.contains(subagent_word(seen.scene)) for one in seen.answered)
    causes: Mapping[str, bool] = {
        "sessionStart": True,
        "userPromptSubmitted": True,
        "agentStop": True,
        "sessionEnd": True,
        "preToolUse": bool(ends),
        "postToolUse": True in ends,
        "postToolUseFailure": False in ends,
        "subagentStart": subagent,
        "subagentStop": subagent,
        "permissionRequest": report_of(seen).questions > 0,
        "preMcpToolCall": seen.scene.has_mark("sibling.called"),
    }
    return frozenset(event for event, occurred in causes.items() if occurred)


_TOOL_ENDED = "tool.execution_complete"


def _arrange(scene: Scene) -> None:
    hooks: dict[str, list[Entry]] = {event: [scene.hook(event)] for event in CAMEL_EVENTS}
    hooks[BOGUS_EVENT] = [scene.hook(BOGUS_EVENT)]
    scene.write_hooks("hooks/talk.json", hooks)
    scene.write("copilot-instructions.md", f"The word is {scene.words.instructions}.\n")
    sibling = scene.server("sibling", [SIBLING_TOOL], type="stdio", tools=["*"])
    scene.write("mcp-config.json", json.dumps({"mcpServers": {"sibling": sibling}}))


def _turns(scene: Scene) -> tuple[Turn, ...]:
    """What needs permission comes twice: an old release does not understand the first one."""
    return (
        CallTool(SHELL, {"command": "touch first", "description": "Make a file"}),
        CallTool("view", {"path": str(scene.work / "absent.txt")}),
        CallTool(SHELL, {"command": "touch second", "description": "Make another"}),
        start_subagent(),
        # Last of the calls: where it is not offered the turn ends here, with nothing left to ask.
        CallTool(tool_ending(SIBLING_TOOL), {}),
        Say(f"Done: {scene.words.answer}"),
    )


def _scripts(scene: Scene) -> tuple[Script, ...]:
    again = Script(MORE, (Say(f"Again: {scene.word('again')}"),))
    return (*subagent_script(scene), again)
