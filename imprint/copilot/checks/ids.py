"""The ids of this room's checks: stable, each explained in docs/doctor.md."""

from enum import StrEnum


class Id(StrEnum):
    """In the order of the report."""

    HOME = "copilot.home"
    HOMES = "copilot.homes"
    VERSION = "copilot.version"
    WRITABLE = "copilot.writable"
    RECEIPT = "copilot.receipt"
    ENTRY = "copilot.entry"
    SERVERS = "copilot.servers"
    NAMES = "copilot.names"
    DISABLED = "copilot.disabled"
    POLICY = "copilot.policy"
    LEFTOVERS = "copilot.leftovers"
    BLOCK = "copilot.block"
    SETTINGS = "copilot.settings"
    HOOKS_FILE = "hooks.file"
    HOOKS_PROGRAM = "hooks.program"
    HOOKS_ANSWER = "hooks.answer"
    HOOKS_TWICE = "hooks.twice"
    HOOKS_DISABLED = "hooks.disabled"
    HOOKS_ELSEWHERE = "hooks.elsewhere"
    HOOKS_OTHERS = "hooks.others"
    HOOKS_EMPTY = "hooks.empty"
    RELEASE = "compat.release"
    DECISIONS = "compat.decisions"
    DRIFT = "compat.drift"
    MCP_ANSWER = "mcp.answer"
