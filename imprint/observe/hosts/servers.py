"""Judges: what fires, what is found, and whose id counts where Copilot is a server."""

from imprint.observe.judged import Judged, SessionsByName, nothing_strange, unjudged, yes_or_no
from imprint.observe.scenarios import SIBLING_TOOL
from imprint.observe.sessions import Seen
from imprint.observe.talking import MORE, Table, fires, report_of, session_ends
from imprint.sandbox.agent_host import run_acp, run_sdk
from imprint.sandbox.driven import DrivenResult
from imprint.sandbox.session import SessionSpec

SDK = "hosts.sdk"
SDK_DISCOVERING = "hosts.sdk_discovering"
"""Asked for only where the server's default leaves MCP servers out."""

ACP = "hosts.acp"


def drive_sdk(spec: SessionSpec) -> DrivenResult:
    """The conversation through the SDK."""
    return run_sdk(spec, MORE)


def drive_discovering(spec: SessionSpec) -> DrivenResult:
    """The same, by a host that asks for config discovery."""
    return run_sdk(spec, MORE, discover=True)


def drive_acp(spec: SessionSpec) -> DrivenResult:
    """The conversation through the Agent Client Protocol."""
    return run_acp(spec, MORE)


def fires_in_sdk(sessions: SessionsByName) -> Judged:
    """The session is begun, asked twice, and parted with as the SDK does it."""
    return fires(sessions, SDK)


def fires_in_acp(sessions: SessionsByName) -> Judged:
    """The session is begun and asked twice; then the client goes, as ACP has it."""
    return fires(sessions, ACP)


def ends_in_sdk(sessions: SessionsByName) -> Judged:
    """A session of two prompts, disconnected, its server stopped."""
    return session_ends(sessions, SDK, "sdk")


def ends_in_acp(sessions: SessionsByName) -> Judged:
    """A session of two prompts, whose client closes the connection."""
    return session_ends(sessions, ACP, "acp")


def sdk_discovery(sessions: SessionsByName) -> Judged:
    """What of the home took part; what did not must do so in a session of `-p`."""
    found = _found(sessions[SDK])
    value: Table = {part: yes_or_no(is_there) for part, is_there in found.items()}
    control = found if all(found.values()) else _found(sessions["camel.top"])
    return Judged(
        value,
        dict(value),
        positive=bool(sessions[SDK].answered) and all(control.values()),
        negative=nothing_strange(sessions[SDK]),
    )


def discovery_when_asked(sessions: SessionsByName) -> Judged:
    """MCP servers once more: one that is started by default needs nobody to ask for it."""
    by_default = sessions[SDK]
    seen = by_default if _found(by_default)["mcp"] else sessions[SDK_DISCOVERING]
    is_there = _found(seen)["mcp"]
    value: Table = {"mcp_when_asked": yes_or_no(is_there)}
    return Judged(
        value,
        dict(value),
        positive=bool(seen.answered) and (is_there or _found(sessions["camel.top"])["mcp"]),
        negative=nothing_strange(seen),
    )


def _found(seen: Seen) -> dict[str, bool]:
    offered = {name for one in seen.answered for name in one.tools}
    return {
        "mcp": any(name.endswith(SIBLING_TOOL) for name in offered),
        "hooks": bool(seen.marks),
        "instructions": seen.reached_model(seen.words.instructions),
    }


def chosen_id(sessions: SessionsByName) -> Judged:
    """The folder of a session whose id the SDK's user chose."""
    seen = sessions[SDK]
    chosen, folder = report_of(seen).chosen_id, seen.result.session_folder
    if folder is None or not chosen:
        return unjudged("no-session-id")
    value: Table = {"sdk": yes_or_no(folder.name == chosen)}
    return Judged(
        value,
        dict(value),
        positive=bool(seen.result.facts.session_id),
        negative=nothing_strange(seen),
    )
