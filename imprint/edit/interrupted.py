"""Whether a plan is half carried out in a home: what `recover` would find."""

from pathlib import Path

from imprint.edit.files import REAL
from imprint.edit.journal import JournalFile
from imprint.edit.lock import HeldLock, key_of


def is_interrupted(home: Path, *, locks: Path, keep: Path) -> bool:
    """Whether a killed run is waiting for `recover` (or one is at work right now); only looks."""
    held = HeldLock(locks / f"{key_of(home)}.holder", REAL)
    previous = held.previous()
    own = JournalFile(keep / key_of(home), REAL).path
    return own.exists() or bool(previous and previous.journal and Path(previous.journal).exists())
