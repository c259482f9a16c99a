"""The Copilots that use a home: one home can serve the CLI and editors, of different versions."""

from dataclasses import dataclass
from pathlib import Path

from imprint.base.paths import Environment
from imprint.compat.decide import Asked
from imprint.copilot.clients import Client, ClientKind, clients_of
from imprint.copilot.contract import CopilotContract
from imprint.copilot.editors import editor_version
from imprint.copilot.homes import CopilotHome
from imprint.copilot.local_observations import LocalObservations
from imprint.copilot.versions import CopilotVersion, installed_version

_NO_COPILOT = frozenset({ClientKind.VSCODE_SHIM, ClientKind.WINDOWS_SHIM})


@dataclass(frozen=True, slots=True)
class Copilot:
    """One of them; `version` None: unknown. `program` is set for a CLI alone."""

    kind: ClientKind
    version: str | None
    program: Path | None = None

    def __str__(self) -> str:
        return f"{self.kind.value} {self.version or 'of unknown version'}"


def copilots_of(
    environment: Environment,
    home: CopilotHome,
    clients: tuple[Client, ...],
    *,
    cli: CopilotVersion | None = None,
    ask: bool = True,
) -> tuple[Copilot, ...]:
    """The Copilots that use `home`, the CLI first.

    `cli` is the version of the CLI where it was found out already; with `ask` the program itself
    may be asked, for at most 5 s.
    """
    found: list[Copilot] = []
    for client in clients_of(environment, home, clients):
        if client.kind in _NO_COPILOT:
            continue
        if not client.is_copilot_cli:
            found.append(Copilot(client.kind, editor_version(environment, client)))
        elif not any(one.program for one in found):  # a later one on PATH is never started
            known = cli or installed_version(environment, client, ask=ask)
            found.append(Copilot(client.kind, known.version, known.program or client.path))
    return tuple(found)


def asked_of(environment: Environment, copilots: tuple[Copilot, ...]) -> tuple[Asked, ...]:
    """What to ask the gate about them, with what was seen of them on this computer."""
    seen = LocalObservations(environment.layout().observed, environment.platform)
    return tuple(Asked(one.version, seen.of(one.program, one.version)) for one in copilots)


def contract_for(environment: Environment, copilots: tuple[Copilot, ...]) -> CopilotContract:
    """What is right for all of them, by the matrix and by what was seen on this computer."""
    return CopilotContract.for_copilots(asked_of(environment, copilots), environment.platform)
