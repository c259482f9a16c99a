"""What several checks look at, each read once and only when the first of them asks."""

import shlex
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from imprint.base.checks import CheckContext
from imprint.base.machine import machine_name
from imprint.base.paths import Environment
from imprint.copilot.checks.documents import Document, names_in, read_json, read_text
from imprint.copilot.checks.registered import Registered, registered_in
from imprint.copilot.checks.seen import Seen
from imprint.copilot.clients import Client, find_clients
from imprint.copilot.contract import CopilotContract, doubt
from imprint.copilot.copilots import Copilot, asked_of, contract_for, copilots_of
from imprint.copilot.homes import CopilotHome, HomeSource
from imprint.copilot.mcp_entry import SERVER, Ownership, ownership
from imprint.copilot.receipts import load_receipt, recorded_contract
from imprint.copilot.runtime import Runtime
from imprint.copilot.versions import CopilotVersion, installed_version
from imprint.edit.errors import ReceiptDamaged, ReceiptTooNew
from imprint.edit.jsonc import MISSING
from imprint.edit.receipt import Receipt


class Facts:
    """One home under examination."""

    def __init__(self, context: CheckContext, home: CopilotHome, runtime: Runtime) -> None:
        self.context = context
        self.home = home
        self.runtime = runtime

    @property
    def environment(self) -> Environment:
        """The world that the command runs in."""
        return self.context.environment

    @cached_property
    def clients(self) -> tuple[Client, ...]:
        """Programs that may use the home."""
        return find_clients(self.environment)

    @cached_property
    def cli(self) -> Client | None:
        """The Copilot CLI that the user's `copilot` means."""
        return next((client for client in self.clients if client.is_copilot_cli), None)

    @cached_property
    def version(self) -> CopilotVersion:
        """Its version; the program is asked at most once per change of it, for at most 5 s."""
        return installed_version(_remembering_elsewhere(self.environment), self.cli)

    @cached_property
    def copilots(self) -> tuple[Copilot, ...]:
        """The Copilots that use the home, the CLI first."""
        cli = self.version if self.cli else None
        return copilots_of(self.environment, self.home, self.clients, cli=cli)

    @cached_property
    def today(self) -> CopilotContract:
        """What they want, by what is known now."""
        return contract_for(self.environment, self.copilots)

    @cached_property
    def platform_name(self) -> str:
        """This machine, as the compat matrix has it."""
        return machine_name(self.environment.platform)

    def is_harmless(self, seen: Seen) -> bool:
        """Whether every Copilot of this home is known to take no harm.

        The matrix is asked first; where it does not know, what was seen by hand counts.
        """
        if seen.decides:
            asked = asked_of(self.environment, self.copilots)
            found = doubt(seen.decides, asked, self.environment.platform)
            if found.is_known:
                return found.action == "calm"
        return bool(self.copilots) and all(
            seen.is_harmless_in(one.version) for one in self.copilots
        )

    @cached_property
    def receipt(self) -> Receipt | None:
        """What setup put on record; a receipt that is no use counts as none (and is reported)."""
        try:
            return load_receipt(self.environment.layout(), self.home.path)
        except (ReceiptDamaged, ReceiptTooNew):
            return None

    @cached_property
    def contract(self) -> CopilotContract:
        """How setup wrote the files."""
        return recorded_contract(self.receipt, self.environment.platform)

    @cached_property
    def servers_file(self) -> Document:
        """`mcp-config.json`."""
        return read_json(self.home.mcp_config)

    @cached_property
    def instructions(self) -> Document:
        """`copilot-instructions.md`."""
        return read_text(self.home.instructions)

    @cached_property
    def settings(self) -> Document:
        """The user's own settings."""
        return read_json(self.home.path / "settings.json")

    @cached_property
    def config(self) -> Document:
        """What Copilot keeps for itself."""
        return read_json(self.home.path / "config.json")

    @cached_property
    def hooks_files(self) -> tuple[Document, ...]:
        """Every hooks file that Copilot reads in the home, in name order."""
        return tuple(
            read_json(path) for path in names_in(self.home.hooks_folder) if path.suffix == ".json"
        )

    @cached_property
    def our_hooks_file(self) -> Document:
        """`hooks/imprint.json`."""
        path = self.home.hooks_file
        return next((file for file in self.hooks_files if file.path == path), Document(path))

    @cached_property
    def registered(self) -> tuple[Registered, ...]:
        """Every hook in any file of the home, Imprint's and others'."""
        files = (*self.hooks_files, self.settings, self.config)
        return tuple(hook for file in files for hook in registered_in(file))

    @cached_property
    def owner(self) -> Ownership:
        """Whose the entry is."""
        value = self.servers_file.members("mcpServers").get(SERVER, MISSING)
        return ownership(value, self.runtime, self.receipt.runtime if self.receipt else "")

    @property
    def is_set_up(self) -> bool:
        """Whether Imprint was set up here: what is missing then was lost."""
        return (
            self.receipt is not None
            or self.owner.is_imprint
            or any(hook.is_ours for hook in self.registered)
        )

    @property
    def is_anothers(self) -> bool:
        """Whether entry, block and hooks belong to another Imprint (or to nobody we know)."""
        return self.owner.protects

    @property
    def setup_command(self) -> str:
        """What to type to set this very home up."""
        named = self.home.source not in {HomeSource.DEFAULT, HomeSource.VARIABLE}
        return f"imprint setup{f' --home {self.quoted(self.home.path)}' if named else ''}"

    def quoted(self, path: Path) -> str:
        """A path as it can be typed."""
        if self.environment.platform == "win32":
            import subprocess  # on Windows alone

            return subprocess.list2cmdline([str(path)])
        return shlex.quote(str(path))


def _remembering_elsewhere(environment: Environment) -> Environment:
    """The same world, but what a program said is remembered in the cache folder.

    Doctor changes no file in any home, an Imprint home included.
    """
    return replace(
        environment, variables={**environment.variables, "IMPRINT_HOME": str(environment.cache)}
    )
