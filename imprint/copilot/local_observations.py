"""What `doctor --live` saw of the Copilots on this computer: it counts for that executable alone.

One file per executable in `IMPRINT_HOME/observed`, owner-only, no conversation text.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from imprint.base.machine import machine_name
from imprint.base.paths import make_private
from imprint.compat.answers import Local
from imprint.compat.observation import Observations

SCHEMA = 1
FILES = 8
"""So many executables are remembered, the latest."""

_SUFFIX = ".json"


class Stamp(msgspec.Struct, frozen=True):
    """One file of a program, as it was: size in bytes, time of change in nanoseconds."""

    path: str
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path) -> "Stamp":
        """The file as it is now; OSError where it cannot be looked at."""
        facts = path.stat()
        return cls(str(path), facts.st_size, facts.st_mtime_ns)


class Seen(msgspec.Struct, frozen=True):
    """What was seen of one program; `stamps` tell that it is the same still, without reading it."""

    schema: int
    stamps: tuple[Stamp, ...]
    observations: Observations


class LocalObservations:
    """The folder of them; one that cannot be read holds nothing."""

    def __init__(self, folder: Path, system: str) -> None:
        self._folder = folder
        self._system = system

    def of(self, program: Path | None, version: str | None) -> Local | None:
        """What was seen of exactly this program in this version; None: nothing."""
        if program is None or version is None or not self._folder.is_dir():
            return None
        try:
            stamps = stamps_of(program, self._system)
        except OSError:
            return None
        for seen in self._all():
            run = seen.observations.run
            if seen.stamps == stamps and run.version == version:
                return Local(run.executable_after, (seen.observations,))
        return None

    def keep(self, stamps: tuple[Stamp, ...], observations: Observations) -> Path:
        """Write it down in place of what was seen of the same executable before."""
        make_private(self._folder)
        name = observations.run.executable_after.removeprefix("sha256:")[:16] + _SUFFIX
        data = msgspec.json.format(msgspec.json.encode(Seen(SCHEMA, stamps, observations)))
        partial = self._folder / f".{name}.{os.getpid()}"
        partial.unlink(missing_ok=True)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        partial.replace(self._folder / name)
        for old in self._files()[FILES:]:
            old.unlink(missing_ok=True)
        return self._folder / name

    def _all(self) -> Iterator[Seen]:
        for path in self._files():
            with contextlib.suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
                seen = msgspec.json.decode(path.read_bytes(), type=Seen)
                if seen.schema == SCHEMA:
                    yield seen

    def _files(self) -> list[Path]:
        """Newest first."""
        try:
            paths = self._folder.glob(f"[!.]*{_SUFFIX}")
            found = sorted(((path.stat().st_mtime_ns, path) for path in paths), reverse=True)
        except OSError:
            return []
        return [path for _, path in found]


def stamps_of(program: Path, system: str) -> tuple[Stamp, ...]:
    """The files that decide what a program does; OSError where it is not there."""
    return tuple(Stamp.of(path) for path in _files_of(program, system))


def digest_of(program: Path, system: str) -> str:
    """`sha256:` and the digest of those files, which takes a moment: some have 200 MB."""
    digests = [_digest(path) for path in _files_of(program, system)]
    if len(digests) == 1:
        return f"sha256:{digests[0]}"
    together = hashlib.sha256("\n".join(digests).encode("ascii"))
    return f"sha256:{together.hexdigest()}"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files_of(program: Path, system: str) -> tuple[Path, ...]:
    """The program itself; of npm's package also what its loader starts, wherever npm put it."""
    real = Path(os.path.realpath(program))
    found = [real]
    if real.suffix == ".js":
        package = f"copilot-{machine_name(system)}"
        for folder in (real.parent / "node_modules" / "@github", real.parent.parent):
            found += [folder / package / name for name in ("copilot", "copilot.exe")]
        found.append(real.parent / "index.js")
    return tuple(path for path in dict.fromkeys(found) if path == real or path.is_file())
