"""Judges: MCP servers, instructions, and where a session's state is."""

from imprint.observe.judged import Judged, SessionsByName, nothing_strange, unjudged, yes_or_no
from imprint.observe.scenario import PROMPT
from imprint.observe.scenarios import SHAPES, SIBLING_TOOL, TOOLS
from imprint.observe.sessions import Seen

_SESSION_OF = {shape.entry: shape.name for shape in SHAPES}
"""By the form of the MCP entry; the empty one has its file where none must be read."""

Table = dict[str, str | int | float]


def mcp_file(sessions: SessionsByName) -> Judged:
    """A server of the file starts, and its tools reach the model.

    Where none starts nothing is proven: it may be the server that does not work.
    """
    seen, without = sessions[_SESSION_OF["stdio"]], sessions[_SESSION_OF[""]]
    started = seen.scene.has_mark("probe.started") and offers(seen, TOOLS[0])
    return Judged(
        yes_or_no(started),
        {"started": started},
        positive=offers(seen, SIBLING_TOOL) or started,
        negative=no_server(without) and nothing_strange(seen),
    )


def mcp_type(sessions: SessionsByName) -> Judged:
    """An entry is taken if its server starts; the one beside it shows that servers start."""
    seen = {form: sessions[_SESSION_OF[form]] for form in ("stdio", "local", "missing")}
    value: Table = {
        form: yes_or_no(one.scene.has_mark("probe.started")) for form, one in seen.items()
    }
    return Judged(
        value,
        dict(value),
        positive=any(offers(one, SIBLING_TOOL) for one in seen.values()),
        negative=no_server(sessions[_SESSION_OF[""]]) and nothing_strange(*seen.values()),
    )


def mcp_tools(sessions: SessionsByName) -> Judged:
    """Which tools reach the model; where those of the entry beside go too, the file was refused."""
    forms = {
        "star": "stdio",
        "missing": "tools-missing",
        "empty": "tools-empty",
        "exact": "tools-exact",
        "glob": "tools-glob",
    }
    seen = {form: sessions[_SESSION_OF[entry]] for form, entry in forms.items()}
    reached = {form: _tools_reached(one) for form, one in seen.items()}
    value: Table = {form: answer for form, answer in reached.items() if answer}
    if not value:
        return unjudged("servers-too-slow")
    return Judged(
        value,
        dict(value),
        positive=any(offers(one, SIBLING_TOOL) for one in seen.values()),
        negative=no_server(sessions[_SESSION_OF[""]]) and nothing_strange(*seen.values()),
    )


def instructions_home(sessions: SessionsByName) -> Judged:
    """As which message the word of the home's file reaches the model."""
    seen = sessions["camel.top"]
    roles = {
        role
        for request in seen.answered
        for role, text in request.messages
        if seen.words.instructions in text
    }
    value = "no" if not roles else next((one for one in ("system", "user") if one in roles), None)
    return Judged(
        value,
        {"roles": sorted(roles)},
        positive=seen.answered[0].contains(PROMPT, "user"),
        negative=nothing_strange(seen),
        reason="another-role",
    )


def state_layout(sessions: SessionsByName) -> Judged:
    """A home without any session has exactly one transcript in the known place after the run."""
    seen = sessions["camel.plain"]
    found = len(list(seen.scene.scratch.sessions.glob("*/events.jsonl")))
    return Judged(
        yes_or_no(found == 1),
        {"transcripts": found},
        positive=bool(seen.answered),
        negative=nothing_strange(seen),
    )


def folder_is_id(sessions: SessionsByName) -> Judged:
    """The folder's name is `session.start`'s `sessionId`."""
    seen = sessions["camel.plain"]
    folder, session = seen.result.session_folder, seen.result.facts.session_id
    if folder is None or not session:
        return unjudged("no-session-id")
    return Judged(
        yes_or_no(folder.name == session),
        {"same": folder.name == session},
        positive="session.start" in seen.result.facts.event_types,
        negative=nothing_strange(seen),
    )


def _tools_reached(seen: Seen) -> str:
    """The entry's value; empty where the server beside it started, but too late to be offered."""
    offered = [tool for tool in TOOLS if offers(seen, tool)]
    if len(offered) == len(TOOLS):
        return "all"
    if offered:
        return "named"
    if offers(seen, SIBLING_TOOL):
        return "none"
    return "file-rejected" if no_server(seen) else ""


def offers(seen: Seen, tool: str) -> bool:
    """Whether a tool was offered to the model, under whatever prefix."""
    return any(name.endswith(tool) for one in seen.answered for name in one.tools)


def no_server(seen: Seen) -> bool:
    """No server of a file that must not be read has started."""
    return not (seen.scene.has_mark("probe.started") or seen.scene.has_mark("sibling.started"))
