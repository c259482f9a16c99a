"""Fixtures of the memory's tests."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from imprint.memory import Memory


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    """Where a test's store is."""
    return tmp_path / "imprint" / "memory.db"


@pytest.fixture
def memory(store_path: Path) -> Iterator[Memory]:
    """An empty store."""
    with Memory.open(store_path) as store:
        yield store


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
