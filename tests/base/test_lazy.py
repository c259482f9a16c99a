"""Public names that are imported when asked for must all be there, and nothing else."""

import importlib

import pytest

ROOMS = ["imprint.learn", "imprint.memory"]


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_can_be_had(room: str) -> None:
    package = importlib.import_module(room)
    assert all(getattr(package, name) is not None for name in package.__all__)


@pytest.mark.parametrize("room", ROOMS)
def test_a_name_that_is_not_there_is_an_attribute_error(room: str) -> None:
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        importlib.import_module(room).nothing_of_the_kind  # noqa: B018
