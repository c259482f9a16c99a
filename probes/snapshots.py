"""Snapshots of shapes: one folder per release, one file per claim, as JSON that people can read.

The value that is recorded is the digest of the same shape. Other releases' files are nobody's
business in a run: syrupy looks for them in this release's folder alone, and deletes nothing.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

ROOT = Path(__file__).with_name("__snapshots__")


def snapshot_root(config: pytest.Config) -> Path:
    """The checkout's, or beside the data of `--compat-data`."""
    data: Path | None = config.option.compat_data
    return data / "snapshots" if data else ROOT


def shape_text(shape: object) -> str:
    """What a snapshot's file holds."""
    text = msgspec.json.format(msgspec.json.encode(shape, order="sorted"), indent=2)
    return f"{text.decode('utf-8')}\n"


def snapshot_file(root: Path, version: str, item: pytest.Item) -> Path:
    """Where the snapshot of a probe is; its name has no parameter of the probe in it."""
    return root / version / item.path.stem / f"{_function(item)}.json"


def extension_of(root: Path, version: str) -> type[SingleFileSnapshotExtension]:
    """A syrupy extension that keeps one release's snapshots in a folder of their own."""

    class ReleaseSnapshots(SingleFileSnapshotExtension):
        """Text files below `root / version`, for reading and for looking for old ones alike."""

        _write_mode = WriteMode.TEXT
        file_extension = "json"

        def serialize(self, data: Any, **_: Any) -> str:  # noqa: ANN401 (syrupy's signature)
            return shape_text(data)

        @classmethod
        def dirname(cls, *, test_location: PyTestLocation) -> str:
            return str(root / version / test_location.basename)

        @classmethod
        def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
            return cls.dirname(test_location=test_location)

        @classmethod
        def matches_test_location(
            cls, *, test_location: PyTestLocation, snapshot_location: str
        ) -> bool:
            # Syrupy's own looks for the parameter, which the name leaves out.
            return snapshot_location == cls.get_location(test_location=test_location, index=0)

        @classmethod
        def get_snapshot_name(cls, *, test_location: PyTestLocation, index: Any = 0) -> str:  # noqa: ANN401, ARG003
            return test_location.methodname

    return ReleaseSnapshots


def _function(item: pytest.Item) -> str:
    name: str = getattr(item, "originalname", None) or item.name
    return name
