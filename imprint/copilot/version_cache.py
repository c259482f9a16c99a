"""What Copilot programs said about their version, so that none is asked twice."""

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec

from imprint.base.paths import make_private

_NAME = "copilot-versions.json"
_ENTRIES = 32


class _Seen(msgspec.Struct, frozen=True):
    path: str
    size: int
    mtime_ns: int
    version: str


class _Content(msgspec.Struct):
    seen: list[_Seen] = []


@dataclass(frozen=True, slots=True)
class VersionCache:
    """Versions by a program's real path, size and time of change, kept in an Imprint home."""

    imprint_home: Path

    @property
    def path(self) -> Path:
        """The cache's file."""
        return self.imprint_home / _NAME

    def look_up(self, program: Path, facts: os.stat_result) -> str | None:
        """The version learned from exactly this file, None where it changed or is unknown."""
        wanted = (str(program), facts.st_size, facts.st_mtime_ns)
        for seen in self._read().seen:
            if (seen.path, seen.size, seen.mtime_ns) == wanted:
                return seen.version
        return None

    def remember(self, program: Path, facts: os.stat_result, version: str) -> None:
        """Keep what was learned; without a writable home it is asked again the next time."""
        seen = _Seen(str(program), facts.st_size, facts.st_mtime_ns, version)
        others = [entry for entry in self._read().seen if entry.path != seen.path]
        data = msgspec.json.encode(_Content([*others, seen][-_ENTRIES:]))
        with contextlib.suppress(OSError):
            self._write(data)

    def _read(self) -> _Content:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=_Content)
        except (OSError, msgspec.DecodeError):
            return _Content()

    def _write(self, data: bytes) -> None:
        folder = make_private(self.imprint_home)
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=f".{_NAME}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(name).replace(self.path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
