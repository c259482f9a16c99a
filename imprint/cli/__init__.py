"""The command line: one module per command, each parses, calls, renders.

`main` is the one boundary where an error becomes an exit code, and the only place besides the
command modules' own raw streams (`hook`, `mcp`) that prints.
"""

from imprint.cli._main import main

__all__ = ["main"]
