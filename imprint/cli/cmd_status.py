"""`imprint status`: which Copilot homes exist, and which are connected."""

import argparse
from collections.abc import Iterable

from imprint.base.errors import ExitCode
from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli._target import add_target
from imprint.copilot.runtime import Runtime
from imprint.copilot.status import Connection, StatusData, homes_status


def configure(parser: argparse.ArgumentParser) -> None:
    """Which home."""
    add_target(parser, plans=False)


def run(arguments: argparse.Namespace, context: Context) -> Result:
    """Fine only if every home that exists is connected and as setup writes it now."""
    environment = context.environment
    data = homes_status(environment, Runtime.current(environment), given=arguments.home)
    present = [home for home in data.homes if home.exists]
    fine = present and all(home.state is Connection.CONNECTED for home in present)
    return Result("status", data, exit_code=ExitCode.OK if fine else ExitCode.ATTENTION)


def text(result: Result) -> Iterable[str]:
    """A paragraph per home."""
    data = result.data
    assert isinstance(data, StatusData)
    for home in data.homes:
        yield f"{home.path}: {home.state} ({home.why})"
        yield f"    known from: {home.source}"
        for client in home.clients:
            yield f"    used by: {client.kind} {client.path} ({client.why})"
        if home.written_by:
            yield f"    set up by Imprint {home.written_by} on {(home.written_at or '')[:10]}"
            for one in home.decisions:
                yield f"    {one.decides}: {one.action} ({one.grounds})"
    for client in data.other_clients:
        yield f"{client.path}: {client.kind}, uses none of these ({client.why})"
