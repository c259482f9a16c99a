"""The static claim: whether a variable's name is in what a release ships."""

import mmap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from imprint.observe.judged import Judged, SessionsByName, yes_or_no
from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scene import Scene
from imprint.sandbox.release import Release
from imprint.sandbox.session import SessionResult, SessionSpec, run_command

_ASKED = "COPILOT_DEBUG_BROWSER"
_KNOWN = "COPILOT_HOME"
_NEVER = "COPILOT_IMPRINT_NEVER"

_CODE = (".js", ".node", ".json")


def _look(spec: SessionSpec) -> SessionResult:
    """Let the release say its version, which unpacks it, and look for the names in its code."""
    result = run_command(replace(spec, arguments=("--version",)))
    missing = {_ASKED, _KNOWN, _NEVER}
    found: set[str] = set()
    for path in _files(spec.release, spec.scratch.copilot_cache):
        found |= _names_in(path, missing - found)
    return replace(result, stdout="\n".join(sorted(found)))


def _files(release: Release, cache: Path) -> Iterator[Path]:
    """Of the package and of what the executable has unpacked of itself; the small ones first.

    Without a digest the release is a binary of the user's, whose folder holds anything.
    """
    folders = [place / "pkg" for place in (release.unpacked, cache) if place is not None]
    if release.digest:
        folders.append(release.folder / "package")
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _CODE and path.is_file():
                yield path
    yield Path(release.command[-1])


def _names_in(path: Path, names: set[str]) -> set[str]:
    if not names or not path.is_file() or not path.stat().st_size:
        return set()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return {name for name in names if data.find(name.encode()) >= 0}


def _nothing(_: Scene) -> None:
    """No file of the home is read."""


PACKAGE = Scenario(
    "places.package",
    _nothing,
    lambda _: (),
    drive=_look,
    tolerates=frozenset({Useless.MODEL_NOT_ASKED}),
)


def debug_browser(sessions: SessionsByName) -> Judged:
    """A name that must be there is found, one that nobody uses is not."""
    found = sessions[PACKAGE.name].result.stdout.split()
    return Judged(
        yes_or_no(_ASKED in found),
        {"found": sorted(found)},
        positive=_KNOWN in found,
        negative=_NEVER not in found,
    )
