"""`imprint mcp`: serve the memory over MCP on stdin and stdout."""

import argparse
from collections.abc import Iterable
from dataclasses import replace

from imprint.base.results import Result
from imprint.cli._context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """The entry in `mcp-config.json` brings `IMPRINT_HOME` along, the launcher of WSL cannot."""
    parser.add_argument("--store", metavar="DIR", help="the Imprint home (default: IMPRINT_HOME)")


def run(arguments: argparse.Namespace, context: Context) -> Result | None:
    """Serve until the client closes stdin."""
    from imprint.mcp_server import serve

    environment = context.environment
    if arguments.store:
        variables = {**environment.variables, "IMPRINT_HOME": arguments.store}
        environment = replace(environment, variables=variables)
    serve(environment)
    return None


def text(result: Result) -> Iterable[str]:
    """Never called: the protocol is all that is printed."""
    raise NotImplementedError(result.command)
