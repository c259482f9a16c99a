"""A plan's changes, looked up on the disk and checked before anything is written."""

import hashlib
import secrets
from dataclasses import dataclass
from pathlib import Path

from imprint.edit.errors import ChangedMeanwhile, FileError
from imprint.edit.journal import Entry
from imprint.edit.permissions import check_writable
from imprint.edit.plan import FileChange, Plan
from imprint.edit.target import Target, inspect


@dataclass(frozen=True, slots=True)
class Step:
    """A change, the real file that it concerns, and where its new content is written first."""

    change: FileChange
    target: Target
    temporary: Path

    @property
    def folders(self) -> tuple[Path, ...]:
        """Directories to be made for it, outermost first."""
        return self.target.missing_folders if self.change.after is not None else ()

    def entry(self, backup: Path | None) -> Entry:
        """What the journal says about it; `backup` is the copy of the old file, or None."""
        old = self.target.fingerprint
        return Entry(
            path=str(self.change.path),
            real=str(self.target.real),
            temporary=str(self.temporary),
            before=_digest(self.change.before),
            after=_digest(self.change.after),
            backup="" if backup is None else str(backup),
            mode=0 if old is None else old.permissions,
            owner=-1 if old is None else old.owner,
            group=-1 if old is None else old.group,
            mtime_ns=0 if old is None else old.mtime_ns,
        )


def prepare(plan: Plan) -> list[Step]:
    """The steps that change something; FileError or ChangedMeanwhile if the plan can't be done.

    Everything that can be known beforehand: what is there is what was planned on, and may be
    written. Where nothing would change, being read-only does not matter.
    """
    token = secrets.token_hex(4)
    steps: list[Step] = []
    for number, change in enumerate(plan.changes):
        target = inspect(change.path)
        if target.data != change.before:
            raise ChangedMeanwhile(change.path)
        if not change.is_change:
            continue
        if any(step.target.real == target.real for step in steps):
            raise FileError(
                f"{change.path} is the same file as another one of the plan",
                fix="see which links lead there (ls -l), and remove one",
            )
        check_writable(target)
        temporary = target.real.with_name(f".imprint-{token}-{number}.tmp")
        steps.append(Step(change, target, temporary))
    return steps


def _digest(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
