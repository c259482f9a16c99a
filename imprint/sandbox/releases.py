"""Copilot releases: which there are, and fetching one into the cache."""

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import filelock
import semver

from imprint.base import machine as machines
from imprint.base.machine import machine_name
from imprint.base.paths import Environment
from imprint.sandbox._cache import Entry, Manifest, ReleaseCache
from imprint.sandbox._unpack import unpack, verify
from imprint.sandbox.errors import (
    OWN_BINARY,
    CacheUnusable,
    NotCopilot,
    RegistryUnreachable,
    ReleaseBroken,
    ReleaseNotFound,
)
from imprint.sandbox.npm import Dist, Npm, find_node
from imprint.sandbox.release import Kind, Release, prove

PACKAGE = "@github/copilot"
FETCH_SECONDS = 1200.0

platform_package = machines.platform_package

_SCRIPT = "index.js"
"""What the package's own loader starts when there is no platform package."""


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest release; `message` says when the registry could not be asked."""

    version: str
    message: str = ""


class ReleaseStore:
    """Releases from npm, kept below `cache` by version and digest.

    `limit` is in bytes; what was used in the last hour stays even above it.
    """

    def __init__(self, cache: Path, npm: Npm, limit: int = 3 * 1024**3) -> None:
        self._cache = ReleaseCache(cache, limit)
        self._npm = npm

    def versions(self) -> tuple[str, ...]:
        """Every published version in the order of semver: 1.0.79-6 comes before 1.0.79."""
        return in_order(self._npm.versions(PACKAGE))

    def newest(self) -> Newest:
        """The newest published release that is no pre-release; offline the newest cached."""
        try:
            published = self.versions()
        except RegistryUnreachable as error:
            cached = _full_releases(self.cached())
            if not cached:
                raise
            said = f"{error.message}; taking the newest release in the cache, {cached[-1]}"
            return Newest(cached[-1], said)
        if not _full_releases(published):
            raise ReleaseNotFound(f"npm lists no release of {PACKAGE}", fix=OWN_BINARY)
        return Newest(_full_releases(published)[-1])

    def cached(self) -> tuple[str, ...]:
        """The versions that need no network, in the order of semver."""
        return in_order(entry.manifest.version for entry in self._cache.entries())

    def fetch(self, version: str) -> Release:
        """The release, from the cache without any network, else from npm into the cache."""
        if not semver.Version.is_valid(version):
            raise ReleaseNotFound(
                f"{version!r} is no version of Copilot", fix="give one such as 1.0.102"
            )
        entry = self._cache.find(version)
        if entry is None:
            try:
                entry = self._fetch(version)
            except filelock.Timeout as error:
                raise CacheUnusable(
                    f"another process has been fetching {version} for too long",
                    fix=f"end it, or remove {self._cache.lock_path(version)}",
                ) from error
            except OSError as error:
                raise CacheUnusable(
                    f"the cache {self._cache.root} can't be used: {error.strerror or error}",
                    fix="free some space there, or set IMPRINT_CACHE to another folder",
                ) from error
        return self._release(entry)

    def _fetch(self, version: str) -> Entry:
        with self._cache.lock(version, FETCH_SECONDS):
            entry = self._cache.find(version)  # somebody else may have been faster
            if entry is not None:
                return entry
            package, dist = self._choose(version)
            with self._cache.staging(version) as staging:
                return self._bring(package, version, dist, staging)

    def _choose(self, version: str) -> tuple[str, Dist]:
        """The package to install here: the platform's executable where it was published."""
        machine = _machine(self._npm.host)
        for package in (f"{PACKAGE}-{machine}", PACKAGE):
            dist = self._npm.dist(package, version)
            if dist is not None:
                return package, dist
        raise ReleaseNotFound(
            f"npm has no Copilot {version} for {machine}",
            fix=f"`npm view {PACKAGE} versions` lists what there is; or {OWN_BINARY}",
        )

    def _bring(self, package: str, version: str, dist: Dist, staging: Path) -> Entry:
        download = staging / "download"
        download.mkdir()
        tarball = self._npm.pack(package, version, download)
        digest = verify(tarball, dist.integrity)
        unpack(tarball, staging / "package")
        shutil.rmtree(download)
        program = _program(staging / "package", package, version)
        manifest = Manifest(
            version=version,
            package=package,
            kind=Kind.JAVASCRIPT if program.endswith(".js") else Kind.NATIVE,
            program=program,
            digest=digest,
        )
        self._prove(manifest, staging)
        return self._cache.add(manifest, staging)

    def _prove(self, manifest: Manifest, staging: Path) -> None:
        """A release counts as installed once it has said its version; that also unpacks it."""
        release = self._release(Entry(staging, manifest))
        with tempfile.TemporaryDirectory(prefix="imprint-release-") as scratch:
            try:
                said = prove(release.command, self._npm.host, Path(scratch), release.unpacked)
            except NotCopilot as error:
                raise ReleaseBroken(
                    f"Copilot {manifest.version} was fetched, but does not run: {error.message}",
                    fix=f"take another release; or {OWN_BINARY}",
                ) from error
        if said != manifest.version:
            raise ReleaseBroken(f"Copilot {manifest.version} calls itself {said}", fix=OWN_BINARY)

    def _release(self, entry: Entry) -> Release:
        program = str(entry.folder / "package" / entry.manifest.program)
        script = entry.manifest.kind is Kind.JAVASCRIPT
        return Release(
            version=entry.manifest.version,
            kind=entry.manifest.kind,
            command=(str(find_node(self._npm.host)), program) if script else (program,),
            folder=entry.folder,
            digest=entry.manifest.digest,
            unpacked=entry.folder / "unpacked",
        )


def release_store(host: Environment) -> ReleaseStore:
    """The user's own cache, and npm as the user configured it."""
    return ReleaseStore(host.cache, Npm(host))


def in_order(versions: Iterable[str]) -> tuple[str, ...]:
    """Valid versions, each once, in the order of semver."""
    valid = {version for version in versions if semver.Version.is_valid(version)}
    return tuple(sorted(valid, key=semver.Version.parse))


def _full_releases(versions: tuple[str, ...]) -> list[str]:
    return [version for version in versions if not semver.Version.parse(version).prerelease]


def _machine(host: Environment) -> str:
    return machine_name(host.platform)


def _program(folder: Path, package: str, version: str) -> str:
    for name in ("copilot", "copilot.exe", _SCRIPT):
        if (folder / name).is_file():
            return name
    raise ReleaseBroken(f"{package} {version} holds no program that Imprint knows", fix=OWN_BINARY)
