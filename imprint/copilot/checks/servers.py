"""What else decides whether Imprint's server is started: other entries, switches, policy."""

import re
from collections.abc import Iterator
from pathlib import Path

from imprint.base.checks import Check, Status
from imprint.copilot.checks import seen
from imprint.copilot.checks.documents import Document, names_in
from imprint.copilot.checks.entry import registered_servers
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.mcp_entry import SERVER
from imprint.copilot.vscode import find_leftovers

LOGS = 3
LOG_BYTES = 256 * 1024
"""How many of Copilot's newest logs are looked at, and how much of each one's end."""

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_LOCAL = ("local", "stdio")
_REMOTE = ("http", "sse")

# Wordings of public reports (github/copilot-cli issues 1707, 2481, 2486, 4512).
_POLICY = re.compile(
    rb"blocked by policy|MCP servers are disabled by your organization"
    rb"|Non-default MCP servers will be blocked"
)


def check_servers(facts: Facts) -> Iterator[Check]:
    """Imprint under two names, and entries of others that silence it on some releases."""
    found = [*_doubles(facts), *_doubtful(facts)]
    yield from found
    if not found:
        yield Check(Id.SERVERS, Status.OK, "no other entry stands in the way")


def check_disabled(facts: Facts) -> Iterator[Check]:
    """Whether the user switched the server off."""
    found = [file for file in (facts.settings, facts.config) if _switches_off(file)]
    for file in found:
        yield Check(
            Id.DISABLED,
            Status.ATTENTION,
            f"{file.path} lists {SERVER} among disabled servers: {seen.LISTED_AS_DISABLED}",
            f"take {SERVER} off that list if you want the memory's tools",
        )
    if facts.servers_file.members("mcpServers", SERVER).get("disabled") is True:
        yield Check(
            Id.DISABLED,
            Status.ATTENTION,
            f"the entry {SERVER} has `disabled: true`: {seen.ENTRY_DISABLED}",
            f"`{facts.setup_command}`",
        )
    elif not found:
        yield Check(Id.DISABLED, Status.OK, "the server is not switched off")


def check_policy(facts: Facts) -> Iterator[Check]:
    """Whether Copilot's own log says that it may start no servers."""
    for path in _newest_logs(facts.home.path / "logs"):
        line = _policy_line(path)
        if line:
            yield Check(
                Id.POLICY,
                Status.ATTENTION,
                f"not our configuration: {path} says: {line}",
                "ask who manages your Copilot; hooks and learning work without the server",
            )
            return
    yield Check(Id.POLICY, Status.OK, "Copilot's newest logs name no policy against MCP servers")


def check_leftovers(facts: Facts) -> Iterator[Check]:
    """What older Imprints left in VS Code's folders: the same server a second time."""
    leftovers = find_leftovers(facts.environment, facts.runtime)
    for change in leftovers.changes:
        yield Check(
            Id.LEFTOVERS,
            Status.ATTENTION,
            f"{change.path}: {change.why}",
            f"`{facts.setup_command}` takes it out",
        )
    for note in leftovers.notes:
        yield Check(Id.LEFTOVERS, Status.OK, note)
    if not leftovers.changes and not leftovers.notes:
        yield Check(Id.LEFTOVERS, Status.OK, "nothing of older Imprints in VS Code's folders")


def _doubles(facts: Facts) -> Iterator[Check]:
    others = [name for name, _ in registered_servers(facts) if name != SERVER]
    if others:
        yield Check(
            Id.SERVERS,
            Status.ATTENTION,
            f"Imprint is registered as {', '.join(others)} too: Copilot starts it several times",
            f"delete {', '.join(others)} from {facts.home.mcp_config}",
        )


def _doubtful(facts: Facts) -> Iterator[Check]:
    """Entries of others that keep some releases from starting ours; they stay as they are."""
    for name, value in facts.servers_file.members("mcpServers").items():
        if name == SERVER:
            continue
        where = f"the entry {name} in {facts.home.mcp_config}"
        lacks = _lacks(value)
        if lacks:
            yield _doubt(facts, f"{where} {lacks}", seen.INCOMPLETE_ENTRY)
        if not _PLAIN_NAME.fullmatch(name):
            yield _doubt(facts, f"{where} has a name with unusual characters", seen.ODD_NAME)
        if not lacks and isinstance(value, dict) and "tools" not in value:
            yield _without_tools(facts, f"{where} has no `tools`")


def _doubt(facts: Facts, what: str, known: seen.Seen) -> Check:
    if facts.is_harmless(known):
        return Check(Id.SERVERS, Status.OK, f"{what}: {known.told}")
    fix = "put that entry right or delete it, or update Copilot; Imprint leaves it alone"
    return Check(Id.SERVERS, Status.ATTENTION, f"{what}: {known.told}", fix)


def _without_tools(facts: Facts, what: str) -> Check:
    """Usual, and harmless in all but the oldest releases: no news unless one of these is here."""
    if all(one.version is None for one in facts.copilots) or facts.is_harmless(seen.WITHOUT_TOOLS):
        return Check(Id.SERVERS, Status.OK, f"{what}: {seen.WITHOUT_TOOLS.told}")
    return _doubt(facts, what, seen.WITHOUT_TOOLS)


def _lacks(value: object) -> str:
    """What an entry lacks to be one that every release takes; empty where nothing."""
    if not isinstance(value, dict):
        return "is no object"
    kind = value.get("type", "local")
    if kind in _REMOTE:
        return "" if isinstance(value.get("url"), str) else "has no `url`"
    if kind not in _LOCAL:
        return f"has the unknown type {kind!r}"
    if not isinstance(value.get("command"), str):
        return "has no `command`"
    return "" if isinstance(value.get("args"), list) else "has no list of `args`"


def _switches_off(file: Document) -> bool:
    # 1.0.40 takes the older spelling from config.json, too.
    lists = (file.members().get(key) for key in ("disabledMcpServers", "disabled_mcp_servers"))
    return any(isinstance(names, list) and SERVER in names for names in lists)


def _newest_logs(folder: Path) -> tuple[Path, ...]:
    logs = [path for path in names_in(folder) if path.suffix == ".log" and path.is_file()]
    return tuple(sorted(logs, key=lambda path: path.stat().st_mtime, reverse=True)[:LOGS])


def _policy_line(path: Path) -> str:
    """The last line that names a policy; empty where none does."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - LOG_BYTES))
        data = file.read(LOG_BYTES)
    matches = list(_POLICY.finditer(data))
    if not matches:
        return ""
    last = matches[-1]
    start, end = data.rfind(b"\n", 0, last.start()) + 1, data.find(b"\n", last.end())
    line = data[start : end if end >= 0 else len(data)]
    return line.decode("utf-8", "replace").strip()[:300]
