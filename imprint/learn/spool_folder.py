"""The folder in which Stop hooks leave their announcements; its format belongs to hook_entry."""

from pathlib import Path

from imprint.base.paths import Layout
from imprint.hook_entry import SPOOL_SUFFIX

REJECTED = "rejected"
"""The folder below it for entries that could not be read."""


def pending(layout: Layout) -> list[Path]:
    """The entries, the oldest first."""
    try:
        names = [path for path in layout.spool.iterdir() if path.suffix == SPOOL_SUFFIX]
    except OSError:
        return []
    return sorted(path for path in names if not path.name.startswith("."))
