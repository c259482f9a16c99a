"""Small files of the learner's own: written whole or not at all, for their owner alone."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from imprint.base.errors import ImprintError
from imprint.base.paths import make_private


class NotWritableError(ImprintError):
    """Imprint's own folder cannot be written; what was to be learned stays in the transcripts."""

    code = "not-writable"


@contextlib.contextmanager
def writable(path: Path) -> Iterator[None]:
    """Turns an `OSError` into `NotWritableError`, with what to do."""
    try:
        yield
    except OSError as error:
        raise NotWritableError(
            f"{path} cannot be written: {error.strerror or error}",
            fix="give this user write permission to the folder, or make room on the disk",
        ) from error


def write_private(path: Path, data: bytes) -> None:
    """Replace a file; raises `NotWritableError`."""
    with writable(path):
        make_private(path.parent)
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        partial.unlink(missing_ok=True)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        partial.replace(path)
