"""Releases: which there are, how each is packaged, and what it needs."""

import hashlib
from enum import StrEnum

import msgspec

from imprint.compat.versions import Line


class Packaging(StrEnum):
    """How npm offers a release to a platform."""

    NATIVE = "native"
    JAVASCRIPT = "javascript"
    NOT_OFFERED = "not-offered"


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An npm package; `integrity` is npm's, such as `sha512-...` in base64."""

    name: str
    integrity: str


class Offered(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A release on one platform.

    `package` is what to install; `node` is the range of Node versions that the package names,
    where it needs a Node and names one.
    """

    packaging: Packaging
    package: Package | None = None
    needs_node: bool = False
    node: str = ""


class Release(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version; `package` is what everybody installs, `fingerprint` changes when any does."""

    version: str
    package: Package
    platforms: dict[str, Offered]
    fingerprint: str

    def expected_fingerprint(self) -> str:
        """The fingerprint of these packages: 16 hexadecimal digits."""
        return fingerprint(self.version, self.package, self.platforms)


class ReleaseList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every release of a program, oldest first."""

    schema: int
    program: str
    releases: tuple[Release, ...]

    def line(self) -> Line:
        """The versions in order."""
        return Line(tuple(release.version for release in self.releases))


def release(version: str, package: Package, platforms: dict[str, Offered]) -> Release:
    """A release with its fingerprint."""
    return Release(version, package, platforms, fingerprint(version, package, platforms))


def fingerprint(version: str, package: Package, platforms: dict[str, Offered]) -> str:
    """A short name of exactly these packages; the order of platforms does not matter."""
    digests = [f"{package.name} {package.integrity}"]
    for name in sorted(platforms):
        found = platforms[name].package
        digests.append(f"{name} {found.name} {found.integrity}" if found else name)
    text = "\n".join((version, *digests))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
