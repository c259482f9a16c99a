"""Fixtures of the compat room's tests."""

from pathlib import Path

import pytest

from imprint.compat import data_folder


@pytest.fixture(scope="session")
def data() -> Path:
    """The data folder of this checkout."""
    folder = data_folder()
    assert isinstance(folder, Path)
    return folder
