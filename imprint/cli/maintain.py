"""`python -m imprint.cli.maintain releases|derived`: for maintainers, in a checkout.

`releases` asks npm for every release (metadata alone); `derived` writes matrix, JSON Schemas and
the report.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import assert_never

from imprint.base.errors import ImprintError, RefusedError
from imprint.base.paths import Environment
from imprint.compat.derived import derived_files, render
from imprint.compat.release import Offered, Package, Packaging, ReleaseList, release
from imprint.compat.report import REPORTS, report_files
from imprint.compat.shipped import PROGRAM, data_folder
from imprint.sandbox.npm import Npm
from imprint.sandbox.release import Kind
from imprint.sandbox.release_list import Offer, offers
from imprint.sandbox.releases import PACKAGE

MACHINE = "linux-x64"
"""The machine whose packages are listed: the one that the matrix is observed on."""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the files; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m imprint.cli.maintain")
    parser.add_argument("what", choices=("releases", "derived"))
    what = parser.parse_args(argv).what
    try:
        folder = _checkout()
        if what == "releases":
            _write_releases(folder, Npm(Environment.current()), _tell)
        _write(folder, derived_files(folder))
        _write(folder.parent / REPORTS, report_files(folder))
    except ImprintError as error:
        sys.stderr.write(f"{error.message}\n  {error.fix}\n")
        return int(error.exit_code)
    return 0


def release_list(offered: Sequence[Offer], machine: str) -> ReleaseList:
    """The list of releases out of what npm offers one machine."""
    releases = tuple(
        release(
            offer.version,
            Package(PACKAGE, offer.base.integrity),
            {machine: _offered(offer)},
        )
        for offer in offered
    )
    return ReleaseList(1, PROGRAM, releases)


def _offered(offer: Offer) -> Offered:
    if offer.kind is None or offer.dist is None:
        return Offered(Packaging.NOT_OFFERED)
    package = Package(offer.package, offer.dist.integrity)
    match offer.kind:
        case Kind.NATIVE:
            return Offered(Packaging.NATIVE, package)
        case Kind.JAVASCRIPT:
            return Offered(Packaging.JAVASCRIPT, package, needs_node=True, node=offer.node)
        case _:
            assert_never(offer.kind)


def _write_releases(folder: Path, npm: Npm, tell: Callable[[str], None]) -> None:
    found = release_list(offers(npm, MACHINE, tell), MACHINE)
    _write(folder, {f"releases/{PROGRAM}.json": render(found)})


def _tell(version: str) -> None:
    sys.stdout.write(f"{version}\n")
    sys.stdout.flush()


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _checkout() -> Path:
    """The data folder of a checkout: an installation's is not to be written."""
    folder = data_folder()
    if not isinstance(folder, Path) or not (folder.parent / "pyproject.toml").is_file():
        raise RefusedError("this is no checkout of Imprint", fix="run it in a clone")
    return folder


if __name__ == "__main__":
    sys.exit(main())
