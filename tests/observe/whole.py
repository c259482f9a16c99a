"""Sessions of the stand-in, and what is made of them."""

from pathlib import Path

from imprint.base.paths import Environment
from imprint.compat import Row, row_of, shipped_catalogue
from imprint.observe import SCENARIOS, Sessions, observe
from imprint.observe.judged import SessionsByName
from tests.observe.support import fake_release


def stand_in(folder: Path, *knobs: str) -> Sessions:
    """Those of a stand-in that is whole, or broken in one way; `folder` is empty."""
    host = Environment.scratch(folder / "world", {"PATH": "/usr/bin:/bin"})
    host.home.mkdir(parents=True)
    scenes = folder / "scenes"
    scenes.mkdir()
    return Sessions(fake_release(folder / "bin", *knobs), host, scenes, SCENARIOS, 60)


def row(claim: str, sessions: SessionsByName) -> Row:
    """The row of a claim that was asked once."""
    return row_of(claim, shipped_catalogue()[claim].tiers[0].evidence, [observe(claim, sessions)])
