"""Where VS Code and its relatives keep a user's files, on every platform."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from imprint.base.paths import Environment


class Product(StrEnum):
    """Editors, by the name of their folder."""

    CODE = "Code"
    INSIDERS = "Code - Insiders"
    VSCODIUM = "VSCodium"


_SERVERS = (".vscode-server", ".vscode-server-insiders", ".vscodium-server")


def user_folders(environment: Environment) -> Iterator[tuple[Product, Path]]:
    """The `User` folder of each product, whether it is there or not."""
    base = _applications(environment)
    for product in Product:
        yield product, base / product.value / "User"
    portable = environment.get("VSCODE_PORTABLE")
    if portable:
        yield Product.CODE, Path(portable) / "user-data" / "User"


def server_folders(environment: Environment) -> Iterator[Path]:
    """Where an editor on another computer (or Windows, for WSL) puts its server here."""
    for name in _SERVERS:
        yield environment.home / name


def with_profiles(folder: Path) -> Iterator[Path]:
    """A `User` folder and the folders of its named profiles, in name order."""
    yield folder
    profiles = folder / "profiles"
    try:
        names = sorted(path for path in profiles.iterdir() if path.is_dir())
    except OSError:
        return
    yield from names


def _applications(environment: Environment) -> Path:
    match environment.platform:
        case "win32":
            roaming = environment.get("APPDATA")
            return Path(roaming) if roaming else environment.home / "AppData" / "Roaming"
        case "darwin":
            return environment.home / "Library" / "Application Support"
        case _:
            config = environment.get("XDG_CONFIG_HOME")
            return Path(config) if config else environment.home / ".config"
