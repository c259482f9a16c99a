"""What the plugin knows of a run, for its hooks and its fixtures."""

from typing import TYPE_CHECKING

import pytest

from imprint.base.paths import Environment
from imprint.compat import Claim, shipped_catalogue
from probes.choosing import Choice

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from containers.sealed import Sealed

HOST = pytest.StashKey[Environment]()
CHOICE = pytest.StashKey[Choice]()

ROW = "imprint-row"
"""The name of a report's property that holds a row."""


def claim_of(item: pytest.Item) -> Claim | None:
    mark = item.get_closest_marker("claim")
    return shipped_catalogue()[mark.args[0]] if mark else None


def asks_of(item: pytest.Item, version: str) -> bool:
    call = getattr(item, "callspec", None)
    return call is not None and call.params.get("version") == version


def sealed_of(config: pytest.Config) -> "AbstractContextManager[Sealed]":
    """An engine's containers; the SDK of engines is imported by those who want it."""
    from containers.sealed import sealed

    return sealed(config.stash[HOST], config.option.base_image)
