"""Scratch homes for plans, children that die or lose their rights, and what they left."""

import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from imprint.edit.apply import Applied, Recovered, apply, recover
from imprint.edit.files import REAL, Files
from imprint.edit.plan import FileChange, Plan, read

NOBODY = 65534


@dataclass(frozen=True)
class Scratch:
    """A Copilot home to write in, with the folders that apply needs outside of it."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def locks(self) -> Path:
        return self.root / "state"

    @property
    def keep(self) -> Path:
        return self.root / "imprint" / "installed"

    def plan(self, *wanted: tuple[str, bytes | None], remove_empty: tuple[str, ...] = ()) -> Plan:
        """A plan from what is there now to these contents, by names below the home."""
        changes = tuple(
            FileChange(self.home / name, read(self.home / name), after, "test")
            for name, after in wanted
        )
        return Plan(self.home, changes, tuple(self.home / name for name in remove_empty))

    def apply(self, plan: Plan, *, timeout: float = 10, files: Files = REAL) -> Applied:
        return apply(plan, locks=self.locks, keep=self.keep, timeout=timeout, files=files)

    def write(self, *wanted: tuple[str, bytes | None]) -> Applied:
        return self.apply(self.plan(*wanted))

    def recover(self, files: Files = REAL) -> Recovered:
        return recover(self.home, locks=self.locks, keep=self.keep, files=files)

    def tree(self) -> dict[str, bytes | None]:
        """All below the home: bytes of files, None for directories."""
        return tree(self.home)


def tree(folder: Path) -> dict[str, bytes | None]:
    found = sorted(folder.rglob("*"))
    return {
        path.relative_to(folder).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in found
    }


@pytest.fixture
def make_scratch() -> Callable[[Path], Scratch]:
    """A scratch home below a folder of the test's choice."""

    def make(folder: Path) -> Scratch:
        made = Scratch(folder / "scratch")
        made.home.mkdir(parents=True)
        return made

    return make


@pytest.fixture
def scratch(tmp_path: Path, make_scratch: Callable[[Path], Scratch]) -> Scratch:
    return make_scratch(tmp_path)


@pytest.fixture
def in_child() -> Callable[[Callable[[], None]], int]:
    """Run something in a forked child; returns how it ended: exit code, or minus the signal."""
    _needs_fork()
    return _in_child


def _needs_fork() -> None:
    if not hasattr(os, "fork"):
        pytest.skip("capability: fork")


def _in_child(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except Exception:  # noqa: BLE001 - whatever it is, the parent has to see it
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


@pytest.fixture
def as_nobody(tmp_path: Path) -> Callable[[Callable[[], None]], None]:
    """Run something without any special rights; its assertion errors count."""
    _needs_fork()

    def run(work: Callable[[], None]) -> None:
        def unprivileged() -> None:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            work()

        if os.geteuid() == 0:
            # The folders above belong to the test's user alone.
            for folder in (tmp_path, *tmp_path.parents):
                if folder.stat().st_mode & 0o011 != 0o011:
                    folder.chmod(folder.stat().st_mode | 0o011)
        assert _in_child(unprivileged) == 0

    return run
