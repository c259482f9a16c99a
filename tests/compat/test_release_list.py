"""The list of releases as npm's metadata gives it."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from imprint.base.errors import ExitCode
from imprint.cli import maintain
from imprint.compat import Packaging
from imprint.compat.derived import render
from imprint.sandbox.npm import Dist, Published
from imprint.sandbox.release_list import offers

BASE = "@github/copilot"
NATIVE = "@github/copilot-linux-x64"

PACKAGES: Mapping[tuple[str, str], Published] = {
    (BASE, "1.0.2"): Published("1.0.2", Dist("sha512-a"), files=("index.js", "npm-loader.js")),
    (NATIVE, "1.0.2"): Published("1.0.2", Dist("sha512-b"), {"copilot-linux-x64": "copilot"}),
    (BASE, "1.0.2-1"): Published("1.0.2-1", Dist("sha512-c"), files=("npm-loader.js",)),
    (BASE, "1.0.1"): Published("1.0.1", Dist("sha512-d"), "index.js", engines={"node": ">=22"}),
}


class Registry:
    """Answers as npm does; `1.0.3` is listed and gone."""

    def versions(self, package: str) -> tuple[str, ...]:
        gone = ("1.0.3",) if package == BASE else ()
        return tuple(version for name, version in PACKAGES if name == package) + gone

    def published(self, package: str, version: str) -> Published | None:
        return PACKAGES.get((package, version))


@pytest.fixture
def heard() -> list[str]:
    return []


def test_each_release_is_packaged_as_fetching_it_would_choose(heard: list[str]) -> None:
    found = maintain.release_list(offers(Registry(), "linux-x64", heard.append), "linux-x64")
    packaged = {one.version: one.platforms["linux-x64"] for one in found.releases}
    assert list(packaged) == ["1.0.1", "1.0.2-1", "1.0.2"]
    assert packaged["1.0.2"].packaging is Packaging.NATIVE
    assert packaged["1.0.2"].package.integrity == "sha512-b"
    assert packaged["1.0.2-1"].packaging is Packaging.NOT_OFFERED
    assert packaged["1.0.1"].packaging is Packaging.JAVASCRIPT
    assert (packaged["1.0.1"].needs_node, packaged["1.0.1"].node) == (True, ">=22")
    assert heard == ["1.0.1", "1.0.2-1", "1.0.2", "1.0.3"]


def test_a_fingerprint_changes_with_any_package_and_with_nothing_else(heard: list[str]) -> None:
    found = maintain.release_list(offers(Registry(), "linux-x64", heard.append), "linux-x64")
    again = maintain.release_list(offers(Registry(), "linux-x64", heard.append), "linux-x64")
    assert render(found) == render(again)
    assert len({one.fingerprint for one in found.releases}) == 3


def test_derived_files_are_written_into_a_checkout_and_nowhere_else(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    copy = Path(shutil.copytree(data, tmp_path / "compat"))
    monkeypatch.setattr(maintain, "data_folder", lambda: copy)
    (copy / "matrix.json").unlink()
    assert maintain.main(["derived"]) == ExitCode.REFUSED
    assert not (copy / "matrix.json").exists()
    assert "no checkout" in capsys.readouterr().err
    (tmp_path / "pyproject.toml").touch()
    assert maintain.main(["derived"]) == ExitCode.OK
    assert (copy / "matrix.json").read_bytes() == (data / "matrix.json").read_bytes()


def test_the_list_is_written_with_the_matrix_that_is_derived_from_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    copy = Path(shutil.copytree(data, tmp_path / "compat"))
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(maintain, "data_folder", lambda: copy)
    monkeypatch.setattr(maintain, "Npm", lambda _: Registry())
    assert maintain.main(["releases"]) == ExitCode.OK
    assert capsys.readouterr().out.split() == ["1.0.1", "1.0.2-1", "1.0.2", "1.0.3"]
    assert b'"1.0.2-1"' in (copy / "matrix.json").read_bytes()
