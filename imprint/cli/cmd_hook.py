"""`imprint hook ACTION`: the hook entry, for hosts that can only call the command."""

import argparse
import sys
from collections.abc import Iterable

from imprint import hook_entry
from imprint.base.results import Result
from imprint.cli._context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """An unknown action is answered like a known one: a hook never fails."""
    parser.add_argument("action", help=", ".join(hook_entry.ACTIONS))
    parser.add_argument("--store", help="the Imprint home (default: IMPRINT_HOME)")


def run(arguments: argparse.Namespace, context: Context) -> Result | None:
    """Answer the payload on stdin with one JSON object."""
    store = arguments.store or str(context.environment.imprint_home)
    output = hook_entry.run(["hook", arguments.action, "--store", store])
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()
    return None


def text(result: Result) -> Iterable[str]:
    """Never called: a hook speaks for itself."""
    raise NotImplementedError(result.command)
