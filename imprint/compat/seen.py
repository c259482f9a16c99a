"""What a run of the probes saw, as a file from one process to another: `pytest probes --rows`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from imprint.compat.observation import Observations


class Seen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One release; `void` says why nothing of it counts, empty where it does."""

    observations: Observations
    void: str = ""


def write_seen(path: Path, seen: Sequence[Seen]) -> None:
    """Write the file."""
    path.write_bytes(msgspec.json.encode(seen))


def read_seen(path: Path) -> tuple[Seen, ...]:
    """Read it back; `OSError`, `ValueError` where it is not there, or not whole."""
    return msgspec.json.decode(path.read_bytes(), type=tuple[Seen, ...])
