"""`imprint status`: every Copilot home and client found, which is connected, and why."""

from enum import StrEnum

import msgspec

from imprint.base.errors import ImprintError
from imprint.base.paths import Environment
from imprint.copilot.clients import Client, clients_of, find_clients
from imprint.copilot.contract import CopilotContract
from imprint.copilot.copilots import contract_for, copilots_of
from imprint.copilot.drift import Drift, drifts
from imprint.copilot.homes import CopilotHome, find_home, known_homes, unique
from imprint.copilot.mcp_entry import Owner
from imprint.copilot.parts import Parts, PartState, read_parts
from imprint.copilot.receipts import installed_homes, load_receipt, recorded_contract
from imprint.copilot.report import DecisionData
from imprint.copilot.runtime import Runtime
from imprint.edit.receipt import Receipt


class Connection(StrEnum):
    """How a home stands to this Imprint."""

    CONNECTED = "connected"
    OUTDATED = "outdated"
    NOT_CONNECTED = "not-connected"
    PROTECTED = "protected"
    UNREADABLE = "unreadable"


class ClientStatus(msgspec.Struct, frozen=True):
    """A program that uses a home, and what made it count."""

    kind: str
    path: str
    why: str

    @classmethod
    def of(cls, client: Client) -> "ClientStatus":
        """The form that `--json` prints."""
        return cls(client.kind, str(client.path), client.why)


class HomeStatus(msgspec.Struct, frozen=True):
    """One home: `data.homes[]`.

    `parts` are entry, block and hooks as absent, current or differs; `written_by` is the version
    of the Imprint that set it up, None where there is no receipt of ours. `decisions` are today's.
    """

    path: str
    source: str
    exists: bool
    connected: bool
    state: Connection
    why: str
    clients: tuple[ClientStatus, ...]
    parts: dict[str, PartState]
    protected_by: str | None = None
    written_by: str | None = None
    written_at: str | None = None
    copilot_version: str | None = None
    decisions: tuple[DecisionData, ...] = ()


class StatusData(msgspec.Struct, frozen=True):
    """`data` of status: homes, and programs found that use none of them."""

    homes: tuple[HomeStatus, ...]
    other_clients: tuple[ClientStatus, ...]


def homes_status(
    environment: Environment, runtime: Runtime, *, given: str | None = None
) -> StatusData:
    """Look at every home known (or the `given` one alone); reads only, runs nothing.

    Raises BadHomeError where the place of the home itself makes no sense, and ReceiptDamaged
    or ReceiptTooNew for a receipt that cannot tell its home.
    """
    if given is None:
        homes = unique([*known_homes(environment), *installed_homes(environment.layout())])
    else:
        homes = (find_home(environment, given),)
    clients = find_clients(environment)
    of_home = {home: clients_of(environment, home, clients) for home in homes}
    used = {client for found in of_home.values() for client in found}
    return StatusData(
        homes=tuple(home_status(environment, home, runtime, of_home[home]) for home in homes),
        other_clients=tuple(ClientStatus.of(client) for client in clients if client not in used),
    )


def home_status(
    environment: Environment, home: CopilotHome, runtime: Runtime, clients: tuple[Client, ...]
) -> HomeStatus:
    """How one home stands; what cannot be read is a state, not an error."""
    status = HomeStatus(
        path=str(home.path),
        source=home.source,
        exists=home.exists,
        connected=False,
        state=Connection.UNREADABLE,
        why="",
        clients=tuple(ClientStatus.of(client) for client in clients),
        parts={},
    )
    try:
        receipt = load_receipt(environment.layout(), home.path)
        installed = recorded_contract(receipt, environment.platform)
        earlier_python = receipt.runtime if receipt else ""
        parts = read_parts(home, runtime, installed, earlier_python=earlier_python)
    except ImprintError as error:
        return msgspec.structs.replace(status, why=error.message)
    copilots = copilots_of(environment, home, clients, ask=False)
    today = contract_for(environment, copilots)
    changed = drifts(installed, today) if receipt else ()
    state, why = _judge(home, parts, receipt, runtime, installed, changed)
    return msgspec.structs.replace(
        status,
        connected=state in {Connection.CONNECTED, Connection.OUTDATED},
        state=state,
        why=why,
        parts={part.name: part.state for part in parts},
        protected_by=parts.owner.program if state == Connection.PROTECTED else None,
        written_by=receipt.imprint_version if receipt else None,
        written_at=receipt.written_at if receipt else None,
        copilot_version=receipt.copilot_version if receipt else None,
        decisions=tuple(DecisionData.of(decision) for decision in today.decisions),
    )


def _judge(
    home: CopilotHome,
    parts: Parts,
    receipt: Receipt | None,
    runtime: Runtime,
    installed: CopilotContract,
    changed: tuple[Drift, ...],
) -> tuple[Connection, str]:
    owner = parts.owner.owner
    if parts.owner.protects:
        return Connection.PROTECTED, parts.owner.reason
    states = {part.name: part.state for part in parts}
    if set(states.values()) == {PartState.ABSENT}:
        missing = "not set up" if home.exists else "no such folder"
        return Connection.NOT_CONNECTED, missing
    if owner is Owner.NOBODY and installed.entry:
        return Connection.NOT_CONNECTED, "mcp-config.json has no entry of Imprint; run setup"
    if owner is Owner.OURS_MOVED:
        return Connection.NOT_CONNECTED, f"{parts.owner.program} is gone; run setup"
    wrong = [name for name, state in states.items() if state is not PartState.CURRENT]
    if wrong:
        return Connection.OUTDATED, f"not as setup writes it now: {', '.join(wrong)}; run setup"
    if receipt is None:
        return Connection.OUTDATED, "all in place, but the record of setup is lost; run setup"
    if receipt.imprint_version != runtime.version:
        why = f"set up by Imprint {receipt.imprint_version}, this is {runtime.version}; run setup"
        return Connection.OUTDATED, why
    if changed:
        told = "; ".join(map(str, changed))
        return Connection.OUTDATED, f"Copilot was changed since setup: {told}; run setup"
    return Connection.CONNECTED, "entry, block and hooks are in place"
