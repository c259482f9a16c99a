"""What every test needs: no test can touch the real home, or leave the environment changed."""

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from imprint.base.paths import Environment

if TYPE_CHECKING:
    from imprint.sandbox.release import Release

_HOMES = ("HOME", "USERPROFILE", "COPILOT_HOME", "IMPRINT_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_XDG = ("XDG_CACHE_HOME", "XDG_STATE_HOME")


# Wine starts and writes slowly, and what properties are about was looked for on POSIX already.
settings.register_profile("windows", deadline=None, max_examples=10)

# Asked for before any test moves the home. Releases are kept by digest, so sharing the user's
# cache is safe; npm needs the user's own configuration to reach its registry.
HOST = Environment.current()

RELEASES = tomllib.loads((Path(__file__).parent / "releases.toml").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True, scope="session")
def _no_real_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For the whole run, every home is a scratch folder that nobody may write into."""
    forbidden = tmp_path_factory.mktemp("forbidden-home")
    patch = pytest.MonkeyPatch()
    for name in (*_HOMES, *_XDG):
        patch.setenv(name, str(forbidden / name.lower()))
    # Whose terminal, and how wide it is, is nothing that a test may depend on.
    patch.setenv("COLUMNS", "100")
    yield
    touched = sorted(str(path) for path in forbidden.rglob("*") if path.is_file())
    patch.undo()
    assert not touched, f"a test wrote into a default home: {touched}"


@pytest.fixture(autouse=True)
def _same_environment_afterwards() -> Iterator[None]:
    """A test that leaves the environment or the working directory changed fails."""
    before = dict(os.environ), Path.cwd()
    yield
    after = dict(os.environ)
    after.pop("PYTEST_CURRENT_TEST", None)
    expected = dict(before[0])
    expected.pop("PYTEST_CURRENT_TEST", None)
    assert after == expected, "the environment changed"
    assert Path.cwd() == before[1], "the working directory changed"


@pytest.fixture
def world(tmp_path: Path) -> Environment:
    """A scratch environment: home, Copilot home, Imprint home and the user's folders."""
    return make_world(tmp_path / "world")


def make_world(root: Path, extra: Mapping[str, str] | None = None) -> Environment:
    """A scratch environment below `root`, its home made."""
    (root / "home").mkdir(parents=True, exist_ok=True)
    return Environment.scratch(root, extra)


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The real environment for fetching releases; npm's own cache is a scratch folder."""
    npm_cache = str(tmp_path_factory.mktemp("npm"))
    return replace(HOST, variables={**HOST.variables, "npm_config_cache": npm_cache})


@pytest.fixture(scope="session")
def pinned() -> str:
    """The newest release that everything must hold on."""
    return str(RELEASES["newest"])


@pytest.fixture(scope="session")
def fetch(host: Environment) -> "Callable[[str], Release]":
    """A Copilot release by its role in releases.toml (`newest`, `early`) or by its version."""
    from imprint.sandbox.releases import release_store

    def fetch(name: str) -> "Release":
        return release_store(host).fetch(RELEASES.get(name, name))

    return fetch
