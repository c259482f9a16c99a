"""Builds that the Copilot CLI downloaded for itself and may start instead of the one on PATH."""

from collections.abc import Iterator
from pathlib import Path

import semver

from imprint.base.paths import Environment
from imprint.copilot.homes import HOME_VARIABLE, default_home


def cached_builds(environment: Environment) -> dict[str, Path]:
    """Builds that the Copilot CLI downloaded for itself, by version.

    They lie in `pkg/<platform>/<version>` below Copilot's cache folder and below its home.
    """
    found: dict[str, Path] = {}
    for place in _build_places(environment):
        for folder in sorted(place.glob("pkg/*/*")):
            if semver.Version.is_valid(folder.name) and _holds_files(folder):
                found.setdefault(folder.name, folder)
    return found


def _build_places(environment: Environment) -> Iterator[Path]:
    for variable in ("COPILOT_CACHE_HOME", HOME_VARIABLE):
        value = environment.get(variable)
        if value:
            yield Path(value)
    xdg = environment.get("XDG_CACHE_HOME")
    yield (Path(xdg) if xdg else environment.home / ".cache") / "copilot"
    local = environment.get("LOCALAPPDATA")
    if environment.platform == "win32" and local:
        yield Path(local) / "copilot"
    if environment.platform == "darwin":
        yield environment.home / "Library" / "Caches" / "copilot"
    yield default_home(environment)


def _holds_files(folder: Path) -> bool:
    try:
        return any(path.is_file() for path in folder.iterdir())
    except OSError:
        return False
