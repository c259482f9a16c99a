"""A scratch home to learn from."""

import os
from collections.abc import Iterator

import pytest

from imprint.base.paths import Environment
from imprint.learn import reading
from imprint.memory import Memory
from tests.capabilities import needs_fork
from tests.learn.support import Home


@pytest.fixture
def home(world: Environment) -> Iterator[Home]:
    """An empty Copilot home and an empty memory."""
    with Memory.open(world.layout().store) as memory:
        yield Home(world, memory)


@pytest.fixture(params=["here", pytest.param("ahead", marks=needs_fork)])
def here_and_ahead(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Read in this process, and then the same with a process that reads ahead of it."""
    is_ahead = request.param == "ahead"
    started = []
    if is_ahead:
        fork = os.fork

        def recorded() -> int:
            started.append(fork())
            return started[-1]

        monkeypatch.setattr(os, "fork", recorded)
    monkeypatch.setattr(reading, "is_worth_it", lambda size: is_ahead)
    yield
    for process in started:
        with pytest.raises(ChildProcessError):  # it has ended, and was waited for
            os.waitpid(process, os.WNOHANG)
