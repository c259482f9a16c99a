"""An engine for tests of containers: the one that is there; without one they say so."""

from collections.abc import Iterator

import pytest

from containers.engine import Engine, engine
from containers.errors import NoEngine
from containers.images import probe_image
from containers.sealed import Sealed
from imprint.base.paths import Environment


@pytest.fixture(scope="session")
def found(host: Environment) -> Iterator[Engine]:
    """An engine; in CI it is a failure that there is none."""
    try:
        with engine(host.variables) as one:
            yield one
    except NoEngine as error:
        if host.get("CI"):
            pytest.fail(f"{error.message}; {error.fix}", pytrace=False)
        pytest.skip(f"needs a container engine: {error.message}")


@pytest.fixture(scope="session")
def image(found: Engine, host: Environment) -> str:
    """The image that probes run in."""
    return probe_image(found, host.variables)


@pytest.fixture(scope="session")
def sealed(found: Engine, host: Environment) -> Sealed:
    """Containers of that engine."""
    return Sealed(found, host)
