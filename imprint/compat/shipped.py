"""What decisions are made from: the derived files of the data folder, wherever that is installed.

The rest of the data is read by `imprint.compat.loader`, which takes more than a command that only
decides should wait for.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

import imprint
from imprint.compat.claim import Claim
from imprint.compat.errors import DataInvalid, DataMissing
from imprint.compat.matrix import SCHEMA, Matrix, UnreadableMatrix
from imprint.compat.versions import line_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

PROGRAM = "copilot-cli"
MATRIX = "matrix.json"
RULES = "rules.json"

_INSTALLED = ("_data", "compat")
_CHECKOUT = "compat"
_AGAIN = "install Imprint again"


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


def load_rules(folder: "Traversable") -> Mapping[str, Claim]:
    """The claims that decisions hang on, by id, out of the derived file: in a tenth of the time."""
    file = folder.joinpath(RULES)
    try:
        found = msgspec.json.decode(file.read_bytes(), type=tuple[Claim, ...])
    except (OSError, ValueError) as error:
        raise invalid(file, str(error)) from error
    return MappingProxyType({claim.id: claim for claim in found})


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


def invalid(file: "Traversable", why: str) -> DataInvalid:
    """The error about a file of the data folder."""
    return DataInvalid(f"{file}: {why}", fix=_AGAIN)
