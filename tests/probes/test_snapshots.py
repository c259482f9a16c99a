"""Snapshots are the shapes that observations are digests of, and each release has its own."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from imprint.compat import Outcome, data_folder, load_catalogue, shipped_catalogue
from imprint.compat.claim import Kind
from imprint.compat.loader import load_observations
from imprint.observe import JUDGES, SNAPSHOTS
from imprint.observe.judged import digest
from probes.snapshots import ROOT, shape_text
from tests.observe.support import VERSION, fake_copilot

pytest_plugins = ["pytester"]

CONFTEST = 'pytest_plugins = ["probes.plugin"]'
PROBE = """
import pytest

@pytest.mark.claim("hooks.payload.keys")
def test_payloads_have_these_keys(answers, holds):
    holds(answers())
"""
_PROBE = re.compile(r'^@pytest.mark.claim\("(.+)"\)\ndef (\w+)', re.MULTILINE)
FILE = Path("test_payloads", "test_payloads_have_these_keys.json")


def _places() -> dict[Path, str]:
    """File below a release's folder -> the claim whose probe it is of."""
    return {
        Path(file.stem, f"{name}.json"): claim
        for file in ROOT.parent.glob("test_*.py")
        for claim, name in _PROBE.findall(file.read_text(encoding="utf-8"))
        if claim in SNAPSHOTS
    }


def test_every_claim_of_kind_snapshot_with_a_judge_has_a_probe_that_keeps_one() -> None:
    asked = {claim for claim in JUDGES if shipped_catalogue()[claim].kind is Kind.SNAPSHOT}
    assert set(_places().values()) == asked & set(SNAPSHOTS)
    assert set(SNAPSHOTS) <= asked


def test_snapshots_are_what_the_observations_are_digests_of_and_none_is_left_over() -> None:
    folder = Path(str(data_folder()))
    expected = {}
    for found in load_observations(folder, load_catalogue(folder)):
        rows = {row.claim: row for row in found.rows if row.outcome is Outcome.OBSERVED}
        for place, claim in _places().items():
            if claim in rows:
                expected[ROOT / found.run.version / place] = rows[claim].value
    kept = {path: digest(json.loads(path.read_bytes())) for path in ROOT.rglob("*.json")}
    assert kept == expected


def test_the_digest_of_a_snapshot_is_that_of_the_shape() -> None:
    shape = {"b": {"key": "string"}, "a": {"other?": "null|number"}}
    assert digest(msgspec.json.decode(shape_text(shape))) == digest(shape)


@pytest.fixture
def run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> "tuple[pytest.Pytester, Path]":
    """Pytest with the plugin on a stand-in; and the folder of snapshots."""
    monkeypatch.setenv("PATH", f"{fake_copilot(tmp_path / 'bin').parent}:/usr/bin:/bin")
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_payloads=PROBE)
    return pytester, tmp_path / "data" / "snapshots"


def _probe(pytester: pytest.Pytester, snapshots: Path) -> pytest.RunResult:
    data = f"--compat-data={snapshots.parent}"
    return pytester.runpytest_subprocess(data, "-p", "no:cacheprovider", timeout=120)


def test_a_shape_that_is_not_the_releases_snapshot_fails_and_other_releases_are_left_alone(
    run: "tuple[pytest.Pytester, Path]",
) -> None:
    pytester, snapshots = run
    for version in (VERSION, "1.0.1"):
        (snapshots / version / FILE).parent.mkdir(parents=True)
        (snapshots / version / FILE).write_text('{\n  "camel": {}\n}\n', encoding="utf-8")
    found = _probe(pytester, snapshots)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["E*agentStop*"])
    kept = {path.read_text(encoding="utf-8") for path in snapshots.rglob("*.json")}
    assert kept == {'{\n  "camel": {}\n}\n'}


def test_a_release_without_a_snapshot_contradicts_nothing_and_leaves_none(
    run: "tuple[pytest.Pytester, Path]",
) -> None:
    pytester, snapshots = run
    found = _probe(pytester, snapshots)
    found.assert_outcomes(passed=1)
    assert not snapshots.exists()
