"""A scratch home to learn from."""

from collections.abc import Iterator

import pytest

from imprint.base.paths import Environment
from imprint.memory import Memory
from tests.learn.support import Home


@pytest.fixture
def home(world: Environment) -> Iterator[Home]:
    """An empty Copilot home and an empty memory."""
    with Memory.open(world.layout().store) as memory:
        yield Home(world, memory)
