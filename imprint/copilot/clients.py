"""Programs that use a Copilot home, found without running any of them.

A `copilot` on PATH is named for what it is: VS Code puts a script of its own there that asks
a question and waits, and WSL shows Windows programs below `/mnt`.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PureWindowsPath

from imprint.base.paths import Environment, is_folder
from imprint.copilot.homes import (
    CopilotHome,
    HomeSource,
    default_home,
    is_mounted_drive,
    is_wsl,
    real_key,
)
from imprint.copilot.vscode_places import Product, server_folders, user_folders

SCRIPT_BYTES = 64 * 1024
"""How much of a file is looked at to tell a script's origin."""

_SHIM_FOLDER = "github.copilot-chat"
_SHIM_MARKS = (b"copilotCLIShim", b"Install GitHub Copilot CLI")
_DEFAULT_PATHEXT = ".COM;.EXE;.BAT;.CMD"


class ClientKind(StrEnum):
    """What was found."""

    CLI = "copilot-cli"
    SNAP = "copilot-cli-snap"
    VSCODE_SHIM = "vscode-shim"
    WINDOWS_SHIM = "windows-program-in-wsl"
    VSCODE = "vscode"
    VSCODE_INSIDERS = "vscode-insiders"
    VSCODIUM = "vscodium"
    VSCODE_SERVER = "vscode-server"


@dataclass(frozen=True, slots=True)
class Client:
    """One program: its place, and what made it count."""

    kind: ClientKind
    path: Path
    why: str

    @property
    def is_copilot_cli(self) -> bool:
        """Whether it can be asked for its version."""
        return self.kind in {ClientKind.CLI, ClientKind.SNAP}


_PRODUCT_KINDS = {
    Product.CODE: ClientKind.VSCODE,
    Product.INSIDERS: ClientKind.VSCODE_INSIDERS,
    Product.VSCODIUM: ClientKind.VSCODIUM,
}


def find_clients(environment: Environment) -> tuple[Client, ...]:
    """Every client found: each `copilot` on PATH in its order, then editors."""
    return (*_programs(environment), *_editors(environment))


def find_cli(environment: Environment) -> Client | None:
    """The Copilot CLI that the user's `copilot` means; None where only look-alikes are found."""
    return next((client for client in _programs(environment) if client.is_copilot_cli), None)


def is_installed(home: CopilotHome, clients: tuple[Client, ...]) -> bool:
    """ADR 0057: the home exists, `copilot` is on PATH, or VS Code is installed."""
    return home.exists or any(client.kind != ClientKind.WINDOWS_SHIM for client in clients)


def clients_of(
    environment: Environment, home: CopilotHome, clients: tuple[Client, ...]
) -> tuple[Client, ...]:
    """Those of `clients` that use `home`.

    Editors use the default home also where the shell sets `COPILOT_HOME`: started from the
    desktop they do not see it, started from that shell they do.
    """
    is_default = real_key(home.path) == real_key(default_home(environment))
    is_shells = home.source in {HomeSource.VARIABLE, HomeSource.GIVEN} or (
        is_default and not environment.get("COPILOT_HOME")
    )

    def uses(client: Client) -> bool:
        match client.kind:
            case ClientKind.SNAP:
                return home.source == HomeSource.SNAP
            case ClientKind.CLI:
                return is_shells
            case ClientKind.WINDOWS_SHIM:
                return False
            case _:
                return is_default or home.source == HomeSource.VARIABLE

    return tuple(client for client in clients if uses(client))


def _programs(environment: Environment) -> Iterator[Client]:
    seen: set[str] = set()
    for folder in _search_path(environment):
        for name in _program_names(environment):
            path = folder / name
            key = real_key(path)
            if key not in seen and _is_program(environment, path):
                seen.add(key)
                yield _name_program(environment, path)


def _name_program(environment: Environment, path: Path) -> Client:
    if is_wsl(environment) and is_mounted_drive(path):
        return Client(
            ClientKind.WINDOWS_SHIM, path, "on PATH, but a Windows program that WSL shows"
        )
    if is_vscode_shim(path):
        return Client(
            ClientKind.VSCODE_SHIM, path, "on PATH, but VS Code's script that offers to install"
        )
    if path.parent.as_posix() == "/snap/bin":
        return Client(ClientKind.SNAP, path, "on PATH, installed as a snap")
    return Client(ClientKind.CLI, path, "on PATH")


def is_vscode_shim(path: Path) -> bool:
    """Whether `path` is the script by which VS Code offers to install the Copilot CLI."""
    real = os.path.realpath(path)
    if _SHIM_FOLDER in real.lower() or _SHIM_FOLDER in str(path).lower():
        return True
    try:
        with Path(real).open("rb") as file:
            head = file.read(SCRIPT_BYTES)
    except OSError:
        return False
    is_text = b"\0" not in head
    return is_text and any(mark in head for mark in _SHIM_MARKS)


def _search_path(environment: Environment) -> Iterator[Path]:
    separator = ";" if environment.platform == "win32" else ":"
    for entry in environment.get("PATH").split(separator):
        folder = Path(entry.strip('"')) if entry else None
        if folder is not None and (folder.is_absolute() or PureWindowsPath(entry).is_absolute()):
            yield folder


def _program_names(environment: Environment) -> tuple[str, ...]:
    if environment.platform != "win32":
        return ("copilot",)
    endings = (environment.get("PATHEXT") or _DEFAULT_PATHEXT).lower().split(";")
    return tuple(f"copilot{ending}" for ending in endings if ending.startswith("."))


def _is_program(environment: Environment, path: Path) -> bool:
    try:
        if not path.is_file():
            return False
    except OSError:
        return False
    return environment.platform == "win32" or os.access(path, os.X_OK)


def _editors(environment: Environment) -> Iterator[Client]:
    for product, folder in user_folders(environment):
        if is_folder(folder):
            yield Client(_PRODUCT_KINDS[product], folder, "its user folder exists")
    for folder in server_folders(environment):
        if is_folder(folder):
            yield Client(
                ClientKind.VSCODE_SERVER, folder, "an editor elsewhere works on this computer"
            )
