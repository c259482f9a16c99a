"""Carry out a plan: all of it or nothing, whatever happens in between.

The order of events, each on the disk before the next: copies of the old files; the journal; new
files beside the old ones; renames; the journal says "committed"; tidying. Killed before
"committed", a run is undone by the next one (`recover`); killed after it, finished.
"""

from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from imprint.edit import backups
from imprint.edit.errors import ChangedMeanwhile
from imprint.edit.files import (
    REAL,
    Dress,
    Files,
    explained,
    make_private_folder,
    unlink_if_there,
    write_all,
)
from imprint.edit.journal import Journal, JournalFile
from imprint.edit.lock import HeldLock, hold, key_of
from imprint.edit.permissions import owner_for_new
from imprint.edit.plan import Plan
from imprint.edit.recovery import Recovered, remove_folders, settle
from imprint.edit.steps import Step, prepare
from imprint.edit.target import inspect

__all__ = ["Applied", "Recovered", "apply", "recover"]


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


def apply(
    plan: Plan, *, locks: Path, keep: Path, timeout: float = 10, files: Files = REAL
) -> Applied:
    """Write the plan's files, under a lock on its home.

    `locks` is shared by all installations of this user; copies and journal go below `keep`;
    `timeout` is in seconds. First repairs what an interrupted run left.

    Errors, all with nothing changed: ChangedMeanwhile, LockHeld, NotWritable and the other
    FileErrors, DiskFull. RollbackFailed: the next run will repair.
    """
    with hold(plan.home, locks, timeout, files) as held:
        journal = JournalFile(keep / key_of(plan.home), files)
        _settle_pending(held, journal, files)
        held.claim(journal.path)
        try:
            return _Run(plan, journal, files).run()
        finally:
            if not journal.path.exists():
                held.disclaim()


def recover(
    home: Path, *, locks: Path, keep: Path, timeout: float = 10, files: Files = REAL
) -> Recovered:
    """Repair what a killed run left in a home; best called before planning.

    Whose installation it was doesn't matter. Errors: LockHeld, JournalDamaged, RollbackFailed.
    """
    with hold(home, locks, timeout, files) as held:
        recovered = _settle_pending(held, JournalFile(keep / key_of(home), files), files)
        held.disclaim()
        return recovered


def _settle_pending(held: HeldLock, journal: JournalFile, files: Files) -> Recovered:
    """A run that was killed, in this installation or (by the lock's record) in another."""
    previous = held.previous()
    others = Recovered()
    if previous and Path(previous.journal) not in (journal.path, Path()):
        others = settle(JournalFile(Path(previous.journal).parent, files), files)
    own = settle(journal, files)
    return own if own.found else others


class _Run:
    """One plan being carried out, with the lock held."""

    def __init__(self, plan: Plan, journal: JournalFile, files: Files) -> None:
        self.plan = plan
        self.journal = journal
        self.files = files
        self.steps = prepare(plan)
        self.backups: dict[Path, Path] = {}
        self.created: list[Path] = []

    def run(self) -> Applied:
        if self.steps:
            with ExitStack() as undo:
                undo.callback(self._undo)
                self._back_up()
                self.journal.begin(self._record())
                self._make_folders()
                for step in self.steps:
                    self._stage(step)
                for step in self.steps:
                    self._switch(step)
                self.journal.commit()
                undo.pop_all()
        return self._finish()

    def _back_up(self) -> None:
        folder = self.journal.folder
        with explained(folder):
            make_private_folder(self.files, folder)
        for step in self.steps:
            if step.target.data is not None:
                real = step.target.real
                self.backups[real] = backups.store(
                    folder / "backups", real, step.target.data, self.files
                )

    def _record(self) -> Journal:
        folders = {folder for step in self.steps for folder in step.folders}
        return Journal(
            home=str(self.plan.home),
            entries=tuple(step.entry(self.backups.get(step.target.real)) for step in self.steps),
            created_directories=tuple(map(str, sorted(folders, key=lambda path: path.parts))),
            remove_directories=tuple(map(str, self.plan.remove_empty)),
        )

    def _make_folders(self) -> None:
        for step in self.steps:
            for folder in step.folders:
                if folder.is_dir():
                    continue
                with explained(folder):
                    self.files.make_folder(folder, 0o700)
                    owner, group = owner_for_new(folder.parent)
                    if owner >= 0:
                        self.files.set_owner(folder, owner, group)
                    self.files.sync_folder(folder.parent)
                self.created.append(folder)

    def _stage(self, step: Step) -> None:
        if step.change.after is None:
            return
        old = step.target.fingerprint
        with explained(step.change.path):
            if old is None:
                dress = Dress(step.change.mode, *owner_for_new(step.target.real.parent))
            else:
                dress = Dress(old.permissions, old.owner, old.group, step.target.real)
            write_all(self.files, step.temporary, step.change.after, dress)

    def _switch(self, step: Step) -> None:
        now = inspect(step.change.path)
        if (now.real, now.fingerprint) != (step.target.real, step.target.fingerprint):
            raise ChangedMeanwhile(step.change.path, "changed while it was being written")
        with explained(step.change.path):
            if step.change.after is None:
                self.files.unlink(step.target.real)
            else:
                self.files.rename(step.temporary, step.target.real)
            self.files.sync_folder(step.target.real.parent)

    def _undo(self) -> None:
        recovered = settle(self.journal, self.files)
        if recovered.conflicts or recovered.completed:
            return
        for backup in self.backups.values():
            with suppress(OSError):
                unlink_if_there(self.files, backup)

    def _finish(self) -> Applied:
        """After the commit: whatever fails here, the next run does."""
        removed = remove_folders(tuple(map(str, self.plan.remove_empty)), self.files)
        for backup in self.backups.values():
            backups.prune(backup, self.files)
        if self.steps:
            with suppress(OSError):
                self.journal.end()
        return Applied(
            changed=tuple(step.change.path for step in self.steps),
            created_directories=tuple(self.created),
            backups=tuple(self.backups.values()),
            removed_directories=removed,
        )
