"""Carry out a plan: all of it or nothing, whatever happens in between."""

from dataclasses import dataclass
from pathlib import Path

from imprint.edit.plan import Plan


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done; all empty when there was nothing to do.

    `changed` are the plan's paths whose bytes changed, `created_directories` outermost first,
    `backups` the copies of the files that were there before.
    """

    changed: tuple[Path, ...] = ()
    created_directories: tuple[Path, ...] = ()
    backups: tuple[Path, ...] = ()
    removed_directories: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Recovered:
    """What an interrupted run left, and what became of it.

    `restored` are files put back to what they were, `conflicts` those that somebody else changed
    since, left as they are.
    """

    restored: tuple[Path, ...] = ()
    conflicts: tuple[Path, ...] = ()
    completed: bool = False


def apply(plan: Plan, *, locks: Path, keep: Path, timeout: float = 10) -> Applied:
    """Write the plan's files under a lock on the home."""
    raise NotImplementedError


def recover(home: Path, *, locks: Path, keep: Path, timeout: float = 10) -> Recovered:
    """Repair what a killed run left; nothing to do is the usual case."""
    raise NotImplementedError
