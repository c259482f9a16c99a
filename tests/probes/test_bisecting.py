"""`imprint compat bisect` with the real `pytest probes`, on releases that stand-ins play."""

from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.machine import machine_name
from imprint.base.paths import Environment
from imprint.cli.compat.bisect import Bisecting, conclusion
from imprint.cli.compat.probing import Prober
from imprint.compat import data_folder, load_releases
from imprint.compat.values import Question
from imprint.sandbox._cache import Manifest, ReleaseCache
from imprint.sandbox.release import Kind
from tests.conftest import HOST
from tests.observe.support import fake_copilot

CHECKOUT = Path(__file__).parents[2]
QUESTION = Question("hooks.payload.stop_hook_active")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """A cache of stand-ins: one does not know the field yet, one breaks off, one knows it."""
    cache = ReleaseCache(tmp_path / "cache", 10**9)
    for version, knobs in {
        "1.0.70": ("no-active",),
        "1.0.71": ("says-another-version",),
        "1.0.73": (),
    }.items():
        staging = tmp_path / version
        fake_copilot(staging / "package", *knobs, version=version)
        digest = version.replace(".", "0")
        cache.add(Manifest(version, "stand-in", Kind.NATIVE, "copilot", digest), staging)
    variables = {
        "PATH": HOST.get("PATH"),
        "HOME": str(tmp_path / "home"),
        "IMPRINT_CACHE": str(tmp_path / "cache"),
    }
    return replace(HOST, variables=variables)


def test_a_change_between_two_releases_is_found_by_asking_them(environment: Environment) -> None:
    said: list[str] = []
    data = data_folder()
    assert isinstance(data, Path)
    bisecting = Bisecting(
        question=QUESTION,
        platform=machine_name(environment.platform),
        releases=load_releases(data),
        recorded={},
        prober=Prober(CHECKOUT, environment, 300.0),
        data=data,
        say=said.append,
    )
    found = bisecting.between("1.0.70", "1.0.73")
    assert list(conclusion(found)) == [
        f"{QUESTION} changes between 1.0.70 and 1.0.73: no -> yes",
        "  between the two, without an answer: 1.0.71",
    ], said
    assert said[-1].startswith("1.0.71      no answer: it called itself 9.9.9")
