"""Observers of MCP servers."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.judged import Judge
from imprint.observe.servers import files, judges
from imprint.observe.servers.scenes import SCENARIOS

__all__ = ["JUDGES", "SCENARIOS"]

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "mcp.tool_name": judges.tool_name,
        "mcp.call": judges.call,
        "mcp.instructions": judges.instructions,
        "mcp.env": judges.environment,
        "mcp.disabled_list": judges.disabled_list,
        "mcp.slow_server": judges.slow_server,
        "mcp.tolerance": files.tolerance,
        "mcp.invalid_sibling": files.invalid_sibling,
        "mcp.args_required": files.args_required,
        "mcp.repo_file": files.repository_file,
        "mcp.rewrite": files.rewrite,
    }
)
