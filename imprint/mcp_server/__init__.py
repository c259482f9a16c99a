"""`imprint mcp`: the memory as tools of an MCP server on stdin and stdout.

Importing the SDK costs a second, so this package is imported by that one command, and the store
is opened by the first tool that needs it. Whatever a tool gives back is quoted history and says so.
"""

from imprint.mcp_server.answers import NOTICE, Answer
from imprint.mcp_server.server import serve
from imprint.mcp_server.tools import World, call

__all__ = ["NOTICE", "Answer", "World", "call", "serve"]
