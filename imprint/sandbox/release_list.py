"""What the registry says about every release: metadata alone, nothing is downloaded."""

from collections.abc import Callable
from dataclasses import dataclass

from imprint.sandbox.npm import Dist, Npm, Published
from imprint.sandbox.release import Kind
from imprint.sandbox.releases import PACKAGE, in_order

_SCRIPT = "index.js"
_PROGRAMS = frozenset({"copilot", "copilot.exe"})


@dataclass(frozen=True, slots=True)
class Offer:
    """A release as one machine gets it; `kind` and `dist` are None where npm offers it none.

    `base` is the tarball of the package that everybody installs, `package` the one to install on
    the machine; `node` is the range of Nodes that it asks for, empty where it names none.
    """

    version: str
    base: Dist
    kind: Kind | None = None
    package: str = ""
    dist: Dist | None = None
    node: str = ""


def offers(npm: Npm, machine: str, tell: Callable[[str], None]) -> tuple[Offer, ...]:
    """Every release that npm lists, in semver order, for a machine such as `linux-x64`.

    Asks npm at most twice per release, one after the other; `tell` hears of each version before.
    """
    name = f"{PACKAGE}-{machine}"
    has_program = frozenset(npm.versions(name))
    found = []
    for version in in_order(npm.versions(PACKAGE)):
        tell(version)
        base = npm.published(PACKAGE, version)
        if base is None:  # withdrawn since it was listed
            continue
        native = npm.published(name, version) if version in has_program else None
        found.append(_offer(base, native, name))
    return tuple(found)


def _offer(base: Published, native: Published | None, name: str) -> Offer:
    """The choice that `ReleaseStore` makes: the machine's executable where it was published."""
    if native is not None and _PROGRAMS.intersection(_programs(native)):
        return Offer(base.version, base.dist, Kind.NATIVE, name, native.dist)
    if _runs_alone(base):
        node = base.engines.get("node", "")
        return Offer(base.version, base.dist, Kind.JAVASCRIPT, PACKAGE, base.dist, node)
    return Offer(base.version, base.dist)


def _programs(package: Published) -> tuple[str, ...]:
    return (package.bin,) if isinstance(package.bin, str) else tuple(package.bin.values())


def _runs_alone(package: Published) -> bool:
    """Whether the package holds the program itself, and is no mere loader of another package."""
    return _SCRIPT in (*package.files, *_programs(package))
