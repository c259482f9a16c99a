"""The data folder: what is derived is rebuilt, what is written is checked."""

import json
import shutil
import tomllib
from pathlib import Path

import jsonschema
import msgspec
import pytest

from imprint.compat import (
    Packaging,
    UnreadableMatrix,
    data_folder,
    load_catalogue,
    load_matrix,
    load_observations,
    load_releases,
    shipped,
)
from imprint.compat.derived import derived_files, render
from imprint.compat.errors import DataInvalid, DataMissing
from tests.compat.support import LINUX, row, run

OBSERVED = run("1.0.80", [row("yes", "hooks.file.home_dir")])


@pytest.fixture
def copy(data: Path, tmp_path: Path) -> Path:
    """A data folder of one's own, in which nothing was observed yet."""
    without = shutil.ignore_patterns("observations")
    return Path(shutil.copytree(data, tmp_path / "compat", ignore=without))


def place(folder: Path, version: str = "1.0.80", platform: str = LINUX) -> Path:
    path = folder / "observations" / "copilot-cli" / version / f"{platform}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_matrix_and_schemas_are_what_the_other_files_and_the_types_give(data: Path) -> None:
    for name, expected in derived_files(data).items():
        there = (data / name).read_bytes()
        assert there == expected, f"{name}: python -m imprint.cli.maintain derived"


def test_there_is_no_schema_that_nothing_makes(data: Path) -> None:
    made = {name for name in derived_files(data) if name.startswith("schema/")}
    assert made == {f"schema/{path.name}" for path in (data / "schema").iterdir()}


def test_an_observation_reaches_the_matrix_and_nothing_else_does(copy: Path) -> None:
    place(copy).write_bytes(render(OBSERVED))
    matrix = msgspec.json.decode(derived_files(copy)["matrix.json"])
    assert list(matrix["questions"]) == ["hooks.file.home_dir"]
    first = matrix["questions"]["hooks.file.home_dir"][LINUX]["spans"][0]
    assert (first["from"], first["to"], first["value"]) == ("1.0.80", "1.0.80", "yes")
    assert first["basis"] == "observed"


def test_every_file_fits_its_schema(data: Path) -> None:
    def check(name: str, document: object) -> None:
        schema = json.loads((data / "schema" / f"{name}.json").read_bytes())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(document)

    for path in (data / "claims").iterdir():
        check("claims", tomllib.loads(path.read_text(encoding="utf-8")))
    check("matrix", json.loads((data / "matrix.json").read_bytes()))
    for path in (data / "releases").iterdir():
        check("releases", json.loads(path.read_bytes()))
    for path in data.glob("observations/*/*/*.json"):
        check("observations", json.loads(path.read_bytes()))
    check("observations", json.loads(render(OBSERVED)))


# --- releases ---


def test_releases_are_in_order_and_their_fingerprints_fit(data: Path) -> None:
    found = load_releases(data)
    versions = found.line().versions
    assert versions.index("1.0.79-6") + 1 == versions.index("1.0.79")
    for release in found.releases:
        assert release.fingerprint == release.expected_fingerprint()
    assert len({release.fingerprint for release in found.releases}) == len(found.releases)


def test_every_package_has_a_digest_that_a_download_can_be_checked_by(data: Path) -> None:
    for release in load_releases(data).releases:
        offered = release.platforms[LINUX]
        packages = [release.package, *([offered.package] if offered.package else [])]
        assert all(len(one.integrity) == len("sha512-") + 88 for one in packages)
        assert (offered.package is None) is (offered.packaging is Packaging.NOT_OFFERED)
        assert offered.needs_node is (offered.packaging is Packaging.JAVASCRIPT)


# --- what is refused ---


def test_observations_are_read_back_as_they_were_written(copy: Path) -> None:
    assert load_observations(copy, load_catalogue(copy)) == ()
    place(copy).write_bytes(render(OBSERVED))
    assert load_observations(copy, load_catalogue(copy)) == (OBSERVED,)


@pytest.mark.parametrize(
    ("version", "platform", "content"),
    [
        ("1.0.81", LINUX, render(OBSERVED)),
        ("1.0.80", "darwin-arm64", render(OBSERVED)),
        ("1.0.80", LINUX, render(run("1.0.80", [row("yes", "hooks.nothing")]))),
        ("1.0.80", LINUX, render(run("1.0.80", [row("perhaps", "hooks.file.home_dir")]))),
        ("1.0.80", LINUX, b"{}"),
        ("1.0.80", LINUX, b'{"schema": 1, "rows'),
    ],
)
def test_observations_that_do_not_fit_are_refused_by_name(copy, version, platform, content) -> None:
    place(copy, version, platform).write_bytes(content)
    with pytest.raises(DataInvalid, match=platform):
        load_observations(copy, load_catalogue(copy))


@pytest.mark.parametrize(
    "text",
    [
        "area = ",
        'area = "a"',
        'area = "a"\ntitle = "A"\nclaims = [{ id = "a.b" }]',
        'area = "a"\ntitle = "A"\nclaims = []\nmore = 1',
    ],
)
def test_claims_that_cannot_be_read_are_refused_by_name(copy: Path, text: str) -> None:
    (copy / "claims" / "zz.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataInvalid, match=r"zz\.toml"):
        load_catalogue(copy)


def test_releases_out_of_order_are_refused(copy: Path) -> None:
    file = copy / "releases" / "copilot-cli.json"
    found = msgspec.json.decode(file.read_bytes())
    found["releases"].reverse()
    file.write_bytes(msgspec.json.encode(found))
    with pytest.raises(DataInvalid, match="semver order"):
        load_releases(copy)


@pytest.mark.parametrize(
    "damage",
    [
        None,
        b"",
        b"[]",
        b'{"schema":2,"program":"copilot-cli","releases":[],"questions":{}}',
        b'{"schema":1,"program":"copilot-cli","releases":["2.0.0","1.0.0"],"questions":{}}',
        b"\xff\xfe",
    ],
)
def test_a_matrix_that_cannot_be_read_is_a_value_with_its_reason(copy: Path, damage) -> None:
    file = copy / "matrix.json"
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)
    found = load_matrix(copy)
    assert isinstance(found, UnreadableMatrix)
    assert found.why


def test_an_installation_without_its_data_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "imprint"
    package.mkdir()
    monkeypatch.setattr(shipped, "_package", lambda: package)
    with pytest.raises(DataMissing):
        data_folder()
    shipped.shipped_matrix.cache_clear()
    assert isinstance(shipped.shipped_matrix(), UnreadableMatrix)
    shipped.shipped_matrix.cache_clear()


def test_the_pinned_release_is_recorded_and_named_in_one_place_only(
    data: Path, pinned: str
) -> None:
    assert (data / "observations" / "copilot-cli" / pinned / f"{LINUX}.json").is_file()
    root = data.parent
    users = [root / "Makefile", root / ".ci" / "run", *(root / ".github" / "workflows").iterdir()]
    assert not [path.name for path in users if pinned in path.read_text(encoding="utf-8")]
