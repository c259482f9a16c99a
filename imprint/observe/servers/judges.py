"""Judges: what becomes of the servers of one file, and of their answers."""

from imprint.observe.judged import Judged, SessionsByName, nothing_strange, unjudged, yes_or_no
from imprint.observe.servers.given import Given, read_given
from imprint.observe.servers.scenes import (
    AT_ONCE,
    DELAYS,
    EXPANDED,
    SERVER,
    TOOL,
    VARIABLE,
    delayed_tool,
)
from imprint.observe.sessions import Seen

Table = dict[str, str | int | float]

NOT_STARTED = "server-did-not-start"


def tool_name(sessions: SessionsByName) -> Judged:
    """The one offered name that ends as our tool does, with ours in it replaced."""
    seen = sessions["servers.plain"]
    found = {name for one in seen.answered for name in one.tools if name.endswith(TOOL)}
    if len(found) != 1:
        return unjudged("not-offered" if not found else "several-names")
    pattern = found.pop().replace(SERVER, "<server>").replace(TOOL, "<tool>")
    return _judged(seen, pattern, {"pattern": pattern})


def call(sessions: SessionsByName) -> Judged:
    """The call leaves a mark at the server, the answer's word is in a later request."""
    seen = sessions["servers.plain"]
    if not offers(seen, TOOL):
        return unjudged("not-offered")
    called, answered = seen.scene.has_mark("plain.called"), _has_answer(seen)
    return _judged(seen, yes_or_no(called and answered), {"called": called, "answered": answered})


def instructions(sessions: SessionsByName) -> Judged:
    """The word of the greeting, in any request; the tool of that server is offered."""
    seen = sessions["servers.plain"]
    if not (offers(seen, TOOL) and _has_answer(seen)):
        return unjudged(NOT_STARTED)
    reached = seen.reached_model(seen.scene.word("said"))
    return _judged(seen, yes_or_no(reached), {"reached": reached})


def environment(sessions: SessionsByName) -> Judged:
    """What the servers were given; one whose program is named by a variable starts or does not."""
    seen = sessions["servers.plain"]
    plain, other = read_given(seen.scene, "plain"), read_given(seen.scene, "variables")
    if plain is None or other is None:
        return unjudged(NOT_STARTED)
    word = seen.scene.word("variable")
    value: Table = {
        "inherits": _inherits(seen, plain),
        "expands_command": yes_or_no(read_given(seen.scene, "commanded") is not None),
        "expands_args": yes_or_no(f"--word={word}" in other.arguments),
        "expands_env": yes_or_no(other.variables.get(EXPANDED) == word),
    }
    return _judged(seen, value, dict(value))


def _inherits(seen: Seen, given: Given) -> str:
    """Of the variables that Copilot was given, those that it did not keep to itself."""
    wanted = {**seen.scene.scratch.variables(), VARIABLE: seen.scene.word("variable")}
    kept = {name for name, text in wanted.items() if given.variables.get(name) == text}
    if kept == set(wanted):
        silent = {"COPILOT_OFFLINE", "COPILOT_PROVIDER_BASE_URL"} - set(given.variables)
        return "all-but-its-own" if silent else "all"
    return "some" if kept else "none"


def disabled_list(sessions: SessionsByName) -> Judged:
    """A server that is on the list, beside one that is not."""
    seen = sessions["servers.plain"]
    started = seen.scene.has_mark("sleeper.started")
    offered = offers(seen, "sleeper_tool")
    return _judged(
        seen, yes_or_no(not (started or offered)), {"started": started, "offered": offered}
    )


def slow_server(sessions: SessionsByName) -> Judged:
    """Whose tool the first request offers, where that of the server that answers at once is."""
    seen = sessions["servers.slow"]
    first = seen.answered[0].tools
    value: Table = {
        name: yes_or_no(any(tool.endswith(delayed_tool(name)) for tool in first))
        for name in DELAYS
        if read_given(seen.scene, delayed_tool(name)) is not None
    }
    if not value:
        return unjudged(NOT_STARTED)
    return Judged(
        value,
        dict(value),
        positive=any(tool.endswith(AT_ONCE) for tool in first),
        negative=nothing_strange(seen),
    )


def offers(seen: Seen, tool: str) -> bool:
    """Whether any request of the conversation offers the tool."""
    return any(name.endswith(tool) for one in seen.answered for name in one.tools)


def plain_starts(seen: Seen) -> bool:
    """The control of most: the server of the plain file has started, none of another file has."""
    return seen.scene.has_mark("plain.started") and not seen.scene.has_mark("beside.started")


def _has_answer(seen: Seen) -> bool:
    word = seen.scene.word("answer")
    return any(one.contains(word, "tool") for one in seen.answered)


def _judged(seen: Seen, value: str | Table, facts: dict[str, object]) -> Judged:
    return Judged(value, facts, positive=plain_starts(seen), negative=nothing_strange(seen))
