"""The data folder `compat`, wherever Imprint was installed: read with types, or refused."""

import functools
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import msgspec

import imprint
from imprint.compat.catalogue import Catalogue, catalogue, objections
from imprint.compat.claim import Claim, ClaimFile
from imprint.compat.errors import DataInvalid, DataMissing
from imprint.compat.matrix import SCHEMA, Matrix, UnreadableMatrix
from imprint.compat.observation import Observations
from imprint.compat.release import ReleaseList
from imprint.compat.versions import line_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

PROGRAM = "copilot-cli"
MATRIX = "matrix.json"
RULES = "rules.json"

_INSTALLED = ("_data", "compat")
_CHECKOUT = "compat"
_AGAIN = "install Imprint again"
_File = TypeVar("_File", ReleaseList, Observations)


def data_folder() -> "Traversable":
    """The data: beside the package's modules in an installation, beside the package elsewhere."""
    package = _package()
    candidates = [package.joinpath(*_INSTALLED)]
    if isinstance(package, Path):  # a checkout or an sdist; a zipped package has no neighbours
        candidates.append(package.parent / _CHECKOUT)
    for folder in candidates:
        if folder.joinpath("claims").is_dir() and folder.joinpath("releases").is_dir():
            return folder
    raise DataMissing("the data of the compat matrix is not installed", fix=_AGAIN)


def _package() -> "Traversable":
    """The package's folder; one in an archive takes longer."""
    folder = Path(imprint.__file__).parent
    if folder.is_dir():
        return folder
    import importlib.resources

    return importlib.resources.files("imprint")


def load_catalogue(folder: "Traversable") -> Catalogue:
    """All claims of `claims/*.toml`, in the order of file names."""
    return catalogue(_claim_file(file) for file in _files(folder.joinpath("claims"), ".toml"))


def load_rules(folder: "Traversable") -> Mapping[str, Claim]:
    """The claims that decisions hang on, by id, out of the derived file: in a tenth of the time."""
    file = folder.joinpath(RULES)
    try:
        found = msgspec.json.decode(file.read_bytes(), type=tuple[Claim, ...])
    except (OSError, ValueError) as error:
        raise _invalid(file, str(error)) from error
    return MappingProxyType({claim.id: claim for claim in found})


def load_releases(folder: "Traversable") -> ReleaseList:
    """`releases/copilot-cli.json`; refused when it is out of order."""
    file = folder.joinpath("releases", f"{PROGRAM}.json")
    found = _decode(file, ReleaseList)
    try:
        line_of(tuple(release.version for release in found.releases))
    except ValueError as error:
        raise _invalid(file, str(error)) from error
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
                raise _invalid(file, "; ".join(problems))
            found.append(observations)
    return tuple(found)


def load_matrix(folder: "Traversable") -> Matrix | UnreadableMatrix:
    """The matrix; what can't be read is a value too, because then everything is unknown."""
    try:
        matrix = msgspec.json.decode(folder.joinpath(MATRIX).read_bytes(), type=Matrix)
        line_of(matrix.releases)
    except (OSError, ValueError) as error:
        return UnreadableMatrix(str(error))
    if matrix.schema != SCHEMA:
        return UnreadableMatrix(f"its schema is {matrix.schema}, not {SCHEMA}")
    return matrix


@functools.cache
def shipped_catalogue() -> Catalogue:
    """The catalogue of this installation."""
    return load_catalogue(data_folder())


@functools.cache
def shipped_rules() -> Mapping[str, Claim]:
    """The rules of this installation."""
    return load_rules(data_folder())


@functools.cache
def shipped_matrix() -> Matrix | UnreadableMatrix:
    """The matrix of this installation."""
    try:
        return load_matrix(data_folder())
    except DataMissing as error:
        return UnreadableMatrix(error.message)


def _claim_file(file: "Traversable") -> ClaimFile:
    try:
        found = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), ClaimFile)
    except (ValueError, OSError) as error:
        raise _invalid(file, str(error)) from error
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
        raise _invalid(file, str(error)) from error


def _invalid(file: "Traversable", why: str) -> DataInvalid:
    return DataInvalid(f"{file}: {why}", fix=_AGAIN)
