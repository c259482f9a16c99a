"""`mcpServers.imprint`: there, ours, as setup writes it, and pointing at a program."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from imprint.base.checks import Check, Status
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.mcp_entry import (
    KEY_PATH,
    SERVER,
    TOOLS,
    Owner,
    Ownership,
    entry,
    ownership,
)
from imprint.edit.errors import ContentError, naming
from imprint.edit.jsonc import MISSING, find_member


def check_entry(facts: Facts) -> Iterator[Check]:
    """The entry as Copilot reads it."""
    file = facts.servers_file
    if file.problem is not None:
        yield Check.of_error(Id.ENTRY, Status.BROKEN, file.problem)
        return
    try:
        with naming(file.path):
            value = find_member(file.text, KEY_PATH)
    except ContentError as error:
        yield Check.of_error(Id.ENTRY, Status.BROKEN, error)
        return
    if value is MISSING and facts.is_set_up and not facts.contract.entry:
        yield Check(Id.ENTRY, Status.OK, f"no entry: this Copilot would not use {file.path}")
    elif value is MISSING:
        yield _missing(facts)
    elif facts.owner.protects:
        yield _protected(facts)
    else:
        yield from _ours(facts, value if isinstance(value, dict) else {})


def check_names(facts: Facts) -> Iterator[Check]:
    """Servers where Copilot does not look: another file's name, another key."""
    found = False
    for name in ("mcp.json", "mcp_config.json"):
        path = facts.home.path / name
        if path.exists():
            found = True
            yield Check(
                Id.NAMES,
                Status.ATTENTION,
                f"Copilot never reads {path}: its servers are in {facts.home.mcp_config.name}",
                f"move what you need of it into {facts.home.mcp_config.name}, then delete it",
            )
    for check in _other_key(facts):
        found = True
        yield check
    if not found:
        yield Check(Id.NAMES, Status.OK, "no servers in places that Copilot never reads")


def _other_key(facts: Facts) -> Iterator[Check]:
    servers = facts.servers_file.members("servers")
    if servers:
        path = facts.home.mcp_config
        yield Check(
            Id.NAMES,
            Status.ATTENTION,
            f"{path} has the key `servers` ({', '.join(servers)}): Copilot reads `mcpServers` only",
            f"move what you need into `mcpServers` and delete the key; `{facts.setup_command}`"
            " writes Imprint's entry in the right place",
        )


def _missing(facts: Facts) -> Check:
    path = facts.home.mcp_config
    if not facts.is_set_up:
        return Check(
            Id.ENTRY,
            Status.ATTENTION,
            f"{path} has no entry of Imprint: not set up",
            f"`{facts.setup_command}`",
        )
    return Check(
        Id.ENTRY,
        Status.BROKEN,
        f"{path} has lost the entry {SERVER}: Copilot has none of the memory's tools",
        f"`{facts.setup_command}`",
    )


def _protected(facts: Facts) -> Check:
    owner = facts.owner
    if owner.owner is Owner.ANOTHER:
        fix = f"run that Imprint's commands, or `{facts.setup_command} --force` to take over"
        if not _is_program(owner.program):
            return Check(Id.ENTRY, Status.BROKEN, owner.reason, fix)
        return Check(Id.ENTRY, Status.ATTENTION, owner.reason, fix)
    return Check(
        Id.ENTRY,
        Status.ATTENTION,
        f"{owner.reason}; Imprint leaves this home alone",
        f"rename that entry, then `{facts.setup_command}`",
    )


def _ours(facts: Facts, value: Mapping[str, object]) -> Iterator[Check]:
    program = facts.owner.program
    if not _is_program(program):
        yield Check(
            Id.ENTRY,
            Status.BROKEN,
            f"the entry starts {program}, which is no program (any more): the memory has no tools",
            f"`{facts.setup_command}`",
        )
        return
    wanted = entry(facts.runtime, facts.contract)
    wrong = [
        key for key in {**wanted, **value} if value.get(key, MISSING) != wanted.get(key, MISSING)
    ]
    tools = value.get("tools", MISSING)
    lacking = _lacking(tools)
    if lacking:
        yield _hidden(facts, tools, lacking)
    wrong = [key for key in wrong if not (key == "tools" and lacking)]
    if wrong:
        yield Check(
            Id.ENTRY,
            Status.ATTENTION,
            f"the entry is not as setup writes it now: {', '.join(sorted(wrong))}",
            f"`{facts.setup_command}`",
        )
    if not wrong and not lacking:
        yield Check(Id.ENTRY, Status.OK, f"{facts.home.mcp_config} starts {program}")


def _lacking(tools: object) -> tuple[str, ...]:
    """Our tools that a list does not let through."""
    if not isinstance(tools, list) or "*" in tools:
        return ()
    return tuple(tool for tool in TOOLS if tool not in tools)


def _hidden(facts: Facts, tools: object, lacking: tuple[str, ...]) -> Check:
    if len(lacking) == len(TOOLS):
        status, what = Status.BROKEN, f"`tools` is {tools}: none of Imprint's tools is offered"
    else:
        status, what = Status.ATTENTION, f"`tools` does not name {', '.join(lacking)}"
    fix = f'`{facts.setup_command}` sets it to ["*"]; to switch Imprint off, `imprint disconnect`'
    return Check(Id.ENTRY, status, f"the entry's {what}", fix)


def _is_program(program: str) -> bool:
    path = Path(program)
    if not path.is_absolute():
        return True  # the shell's PATH decides; an entry of somebody's own making
    return path.is_file() and os.access(path, os.X_OK)


def registered_servers(facts: Facts) -> tuple[tuple[str, Ownership], ...]:
    """Every entry that starts some Imprint, by its name."""
    servers = facts.servers_file.members("mcpServers")
    owners = ((name, ownership(value, facts.runtime)) for name, value in servers.items())
    return tuple((name, owner) for name, owner in owners if owner.is_imprint)
