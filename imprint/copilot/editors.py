"""The Copilot that an editor brings along: its agent host is the CLI's own package, in a folder.

Only looked at, never run.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import semver

from imprint.base.paths import Environment
from imprint.copilot.clients import Client, ClientKind

_EXTENSIONS = {
    ClientKind.VSCODE: (".vscode",),
    ClientKind.VSCODE_INSIDERS: (".vscode-insiders",),
    ClientKind.VSCODIUM: (".vscode-oss",),
}
_APPLICATIONS = {
    ClientKind.VSCODE: ("code", "Visual Studio Code.app", "Microsoft VS Code"),
    ClientKind.VSCODE_INSIDERS: (
        "code-insiders",
        "Visual Studio Code - Insiders.app",
        "Microsoft VS Code Insiders",
    ),
    ClientKind.VSCODIUM: ("codium", "VSCodium.app", "VSCodium"),
}
_PACKAGE = Path("node_modules", "@github", "copilot", "package.json")


class _Package(msgspec.Struct):
    version: str = ""


def editor_version(environment: Environment, client: Client) -> str | None:
    """The version of the Copilot that an editor runs; None where it is not found, or not one."""
    packages = [path for folder in _places(environment, client) for path in _packages(folder)]
    found = {version for version in map(_version, packages) if version}
    # Which of several the editor takes is not ours to guess.
    return found.pop() if len(found) == 1 else None


def _packages(extensions: Path) -> Iterator[Path]:
    """The package in the extension that an editor has built in, and in one that was installed."""
    for pattern in ("copilot", "github.copilot-chat-*"):
        yield from (folder / _PACKAGE for folder in extensions.glob(pattern))


def _places(environment: Environment, client: Client) -> Iterator[Path]:
    """Folders of extensions."""
    if client.kind is ClientKind.VSCODE_SERVER:
        yield client.path / "extensions"
        yield from client.path.glob("bin/*/extensions")
        yield from client.path.glob("cli/servers/*/server/extensions")
        return
    for name in _EXTENSIONS.get(client.kind, ()):
        yield environment.home / name / "extensions"
    if client.kind in _APPLICATIONS:
        linux, mac, windows = _APPLICATIONS[client.kind]
        yield from _applications(environment, linux, mac, windows)


def _applications(environment: Environment, linux: str, mac: str, windows: str) -> Iterator[Path]:
    match environment.platform:
        case "darwin":
            for folder in (Path("/Applications"), environment.home / "Applications"):
                yield folder / mac / "Contents" / "Resources" / "app" / "extensions"
        case "win32":
            local, shared = environment.get("LOCALAPPDATA"), environment.get("ProgramFiles")
            programs = [Path(local, "Programs")] if local else []
            for root in (*programs, *([Path(shared)] if shared else [])):
                yield root / windows / "resources" / "app" / "extensions"
        case _:
            for root in (Path("/usr/share"), Path("/usr/lib"), Path("/opt")):
                yield root / linux / "resources" / "app" / "extensions"


def _version(package: Path) -> str | None:
    try:
        version = msgspec.json.decode(package.read_bytes(), type=_Package).version
    except (OSError, msgspec.DecodeError):
        return None
    return version if semver.Version.is_valid(version) else None
