"""Which Copilot is installed, where its version comes from, and what only looks like one."""

from collections.abc import Iterator

from imprint.base.checks import Check, Status
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.clients import Client, ClientKind
from imprint.copilot.versions import CopilotVersion, VersionSource

_LOOK_ALIKES = {
    ClientKind.VSCODE_SHIM: "VS Code's script that asks whether to install the Copilot CLI",
    ClientKind.WINDOWS_SHIM: "a Windows program, which has a home of its own",
}
_SOURCES = {
    VersionSource.PACKAGE: "says its package.json",
    VersionSource.ASKED: "says the program",
    VersionSource.CACHE: "said the program when it was last asked",
}


def check_version(facts: Facts) -> Iterator[Check]:
    """The version of the Copilot CLI; a program that only looks like it is named, never run."""
    look_alikes = [client for client in facts.clients if client.kind in _LOOK_ALIKES]
    told = [f"{client.path} is {_LOOK_ALIKES[client.kind]}" for client in look_alikes]
    if facts.cli is None:
        yield _without_cli(facts, told)
    else:
        yield _of(facts.cli, facts.version, told)


def _of(cli: Client, found: CopilotVersion, told: list[str]) -> Check:
    if found.version is None:
        return Check(
            Id.VERSION,
            Status.UNKNOWN,
            _sentence([f"version unknown: {cli.path} {found.detail}", *told]),
            f"type `{cli.path} --version` and see what it says; reinstall Copilot if that fails",
        )
    how = found.detail or f"{found.program} {_SOURCES.get(found.source, '')}"
    return Check(Id.VERSION, Status.OK, _sentence([f"Copilot CLI {found.version}: {how}", *told]))


def _without_cli(facts: Facts, told: list[str]) -> Check:
    editors = [
        client.kind.value
        for client in facts.clients
        if not client.is_copilot_cli and client.kind not in _LOOK_ALIKES
    ]
    if editors:
        named = f"no Copilot CLI on PATH; found {', '.join(dict.fromkeys(editors))}"
        return Check(Id.VERSION, Status.OK, _sentence([named, *told]))
    return Check(
        Id.VERSION,
        Status.ATTENTION,
        _sentence(["no Copilot CLI on PATH, and no VS Code", *told]),
        "install the Copilot CLI or VS Code, or put the program on PATH",
    )


def _sentence(parts: list[str]) -> str:
    return "; ".join(parts)
