"""Where releases lie: one folder per version and digest, whole or not there at all."""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import filelock
import msgspec

from imprint.base.paths import make_private
from imprint.sandbox.release import Kind

KEEP_SECONDS = 3600.0
"""Longer than any session: what was used since may still be running."""

_MANIFEST = "release.json"
_USED = "used"


class Manifest(msgspec.Struct, frozen=True):
    """What lies in a release's folder; `program` is relative to its `package`, `size` in bytes."""

    version: str
    package: str
    kind: Kind
    program: str
    digest: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A release's folder with its manifest."""

    folder: Path
    manifest: Manifest

    @property
    def used(self) -> float:
        """When it was last asked for, as a time stamp."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / _USED).stat().st_mtime
        return 0.0


class ReleaseCache:
    """The cache's folders and locks. Reading takes no lock: folders appear by renaming."""

    def __init__(self, root: Path, limit: int) -> None:
        self.root = root
        self._limit = limit
        self._releases = root / "releases"
        self._staging = root / "staging"

    def entries(self) -> tuple[Entry, ...]:
        """Every release that is here and whole."""
        found = []
        for path in self._releases.glob(f"*/{_MANIFEST}"):
            with contextlib.suppress(OSError, msgspec.DecodeError):
                manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
                if (path.parent / "package" / manifest.program).is_file():
                    found.append(Entry(path.parent, manifest))
        return tuple(found)

    def find(self, version: str) -> Entry | None:
        """The release, marked as used now; of several digests the one used last."""
        found = [entry for entry in self.entries() if entry.manifest.version == version]
        if not found:
            return None
        entry = max(found, key=lambda one: one.used)
        # A cache that can only be read serves as well.
        with contextlib.suppress(OSError):
            (entry.folder / _USED).touch()
        return entry

    def lock_path(self, version: str) -> Path:
        """The file that one process at a time holds while it fetches a version."""
        return self._staging / f"{version}.lock"

    def lock(self, version: str, seconds: float) -> filelock.BaseFileLock:
        """Held while a version is fetched; `filelock.Timeout` after `seconds`."""
        make_private(self.root)
        make_private(self._staging)
        return filelock.FileLock(self.lock_path(version), timeout=seconds)

    @contextlib.contextmanager
    def staging(self, version: str) -> Iterator[Path]:
        """A new folder to prepare a release in, under the version's lock; gone afterwards."""
        prefix = f"{version}+"
        for left in self._staging.glob(f"{prefix}*"):
            shutil.rmtree(left)  # of a process that was killed: the lock is ours now
        with tempfile.TemporaryDirectory(prefix=prefix, dir=self._staging) as folder:
            inner = Path(folder) / "release"
            inner.mkdir()
            yield inner

    def add(self, manifest: Manifest, staging: Path) -> Entry:
        """Move a prepared folder to its place, then make room."""
        size = sum(path.lstat().st_size for path in staging.rglob("*") if not path.is_dir())
        manifest = msgspec.structs.replace(manifest, size=size)
        (staging / _MANIFEST).write_bytes(msgspec.json.encode(manifest))
        (staging / _USED).touch()
        place = self._releases / f"{manifest.version}-{manifest.kind}-{manifest.digest[:16]}"
        make_private(self._releases)
        if place.exists():  # what is there isn't whole, or it would have been found
            shutil.rmtree(place)
        staging.rename(place)
        self._make_room(place)
        return Entry(place, manifest)

    def _make_room(self, newest: Path) -> None:
        """Remove the releases that were not used for longest until the rest fits."""
        entries = sorted(self.entries(), key=lambda entry: entry.used)
        total = sum(entry.manifest.size for entry in entries)
        for entry in entries:
            if total <= self._limit:
                return
            if entry.folder == newest or time.time() - entry.used < KEEP_SECONDS:
                continue
            self._evict(entry)
            total -= entry.manifest.size

    def _evict(self, entry: Entry) -> None:
        grave = Path(tempfile.mkdtemp(prefix="evicted+", dir=self._staging))
        # Away in one step, so that nobody finds half of it; another process may be faster.
        with contextlib.suppress(FileNotFoundError):
            entry.folder.rename(grave / "release")
        shutil.rmtree(grave)
