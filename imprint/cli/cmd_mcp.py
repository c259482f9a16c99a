"""`imprint mcp`: serve the memory over MCP on stdin and stdout."""

import argparse
from collections.abc import Iterable

from imprint.base.results import Result
from imprint.cli._commands import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments: the entry in `mcp-config.json` brings `IMPRINT_HOME` along."""
    parser.set_defaults()


def run(arguments: argparse.Namespace, context: Context) -> Result | None:  # noqa: ARG001
    """Serve until the client closes stdin."""
    from imprint.mcp_server import serve

    serve(context.environment)
    return None


def text(result: Result) -> Iterable[str]:
    """Never called: the protocol is all that is printed."""
    raise NotImplementedError(result.command)
