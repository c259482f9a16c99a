"""A played Windows per test."""

from pathlib import Path

import pytest

from tests.wsl.windows import Linux, Windows


@pytest.fixture
def windows(tmp_path: Path) -> Windows:
    """A Windows without distributions."""
    return Windows.make(tmp_path / "win dows")


@pytest.fixture
def ubuntu(windows: Windows) -> Linux:
    """Its one distribution, with an empty Copilot home."""
    return windows.distribution("Ubuntu")
