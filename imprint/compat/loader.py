"""The data folder `compat`, wherever Imprint was installed: read with types, or refused."""

import functools
import tomllib
from typing import TYPE_CHECKING, TypeVar

import msgspec

from imprint.compat.catalogue import Catalogue, catalogue, objections
from imprint.compat.claim import Claim, ClaimFile
from imprint.compat.observation import Observations
from imprint.compat.release import ReleaseList
from imprint.compat.shipped import PROGRAM, data_folder, invalid
from imprint.compat.versions import line_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.resources.abc import Traversable

_File = TypeVar("_File", ReleaseList, Observations)


def load_catalogue(folder: "Traversable") -> Catalogue:
    """All claims of `claims/*.toml`, in the order of file names."""
    return catalogue(_claim_file(file) for file in _files(folder.joinpath("claims"), ".toml"))


def load_releases(folder: "Traversable") -> ReleaseList:
    """`releases/copilot-cli.json`; refused when it is out of order."""
    file = folder.joinpath("releases", f"{PROGRAM}.json")
    found = _decode(file, ReleaseList)
    try:
        line_of(tuple(release.version for release in found.releases))
    except ValueError as error:
        raise invalid(file, str(error)) from error
    return found


def load_observations(folder: "Traversable", known: Catalogue) -> tuple[Observations, ...]:
    """Every run that was recorded; refused when it does not fit its place or the catalogue."""
    root = folder.joinpath("observations", PROGRAM)
    if not root.is_dir():
        return ()
    found = []
    for version in sorted(root.iterdir(), key=lambda entry: entry.name):
        for file in _files(version, ".json") if version.is_dir() else ():
            observations = _decode(file, Observations)
            place = (observations.run.version, f"{observations.run.platform}.json")
            problems = objections(known, observations)
            if place != (version.name, file.name):
                problems = (f"it is about {' '.join(place)}", *problems)
            if problems:
                raise invalid(file, "; ".join(problems))
            found.append(observations)
    return tuple(found)


@functools.cache
def shipped_catalogue() -> Catalogue:
    """The catalogue of this installation."""
    return load_catalogue(data_folder())


def _claim_file(file: "Traversable") -> ClaimFile:
    try:
        found = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), ClaimFile)
    except (ValueError, OSError) as error:
        raise invalid(file, str(error)) from error
    return msgspec.structs.replace(
        found, claims=tuple(_in_area(claim, found.area) for claim in found.claims)
    )


def _in_area(claim: Claim, area: str) -> Claim:
    return msgspec.structs.replace(claim, area=area)


def _files(folder: "Traversable", ending: str) -> "Iterable[Traversable]":
    if not folder.is_dir():
        return ()
    found = [file for file in folder.iterdir() if file.is_file() and file.name.endswith(ending)]
    return sorted(found, key=lambda file: file.name)


def _decode(file: "Traversable", kind: type[_File]) -> _File:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, ValueError) as error:
        raise invalid(file, str(error)) from error
