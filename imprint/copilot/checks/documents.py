"""Files in a Copilot home as a reader sees them: what cannot be read is a fact, not an error."""

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from imprint.base.errors import ImprintError
from imprint.edit.errors import NotAFile, NotReadable, TooLarge, naming
from imprint.edit.jsonc import MISSING, is_blank, loads
from imprint.edit.textfile import decode

MAX_BYTES = 16 * 1024 * 1024
"""Far more than any configuration that a person keeps."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file: `data` None where there is none; `value` MISSING where it holds no JSON.

    `problem` says why it could not be read as what it should be.
    """

    path: Path
    data: bytes | None = None
    text: str = ""
    value: object = MISSING
    problem: ImprintError | None = None

    @property
    def is_there(self) -> bool:
        """Whether something lies in its place, readable or not."""
        return self.data is not None or self.problem is not None

    def members(self, *keys: str) -> Mapping[str, object]:
        """The object at a path of keys; empty where it is missing or no object."""
        found = self.value
        for key in keys:
            found = found.get(key, MISSING) if isinstance(found, dict) else MISSING
        return found if isinstance(found, dict) else {}


def read_text(path: Path) -> Document:
    """A text file in UTF-8."""
    data: bytes | None = None
    try:
        data = _bytes(path)
        with naming(path):
            return Document(path, data, decode(data or b"").text)
    except ImprintError as error:
        return Document(path, data, problem=error)


def read_json(path: Path) -> Document:
    """A file of JSON with comments, as Copilot and editors write their settings."""
    found = read_text(path)
    if found.problem is not None or is_blank(found.text):
        return found
    try:
        with naming(path):
            return Document(path, found.data, found.text, loads(found.text))
    except ImprintError as error:
        return Document(path, found.data, found.text, problem=error)


def names_in(folder: Path) -> tuple[Path, ...]:
    """What lies in a folder, in name order; nothing where there is no folder."""
    try:
        return tuple(sorted(folder.iterdir()))
    except (FileNotFoundError, NotADirectoryError):
        return ()


def _bytes(path: Path) -> bytes | None:
    """Only a regular file is opened: a pipe would never end."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            kind = "a folder" if stat.S_ISDIR(facts.st_mode) else "no regular file"
            raise NotAFile(f"{path} is {kind}", fix=f"move {path} away")
        if facts.st_size > MAX_BYTES:
            raise TooLarge(f"{path} is {facts.st_size:,} bytes large", fix=f"move {path} away")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotReadable(
            f"{path} cannot be read: {error.strerror or error}",
            fix=f"make {path} a file that this user can read",
        ) from None
