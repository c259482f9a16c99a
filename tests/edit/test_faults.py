"""Killed at any call that changes the disk: each file old or new, and the next run repairs.

Every call is a step: a child is killed before each of them, after each of them, and for a write
also with half of the bytes written.
"""

import errno
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from imprint.base.errors import ImprintError
from imprint.edit.apply import recover
from imprint.edit.errors import FileError, RollbackFailed
from imprint.edit.files import Files
from imprint.edit.interrupted import is_interrupted
from imprint.edit.plan import Plan
from tests.capabilities import DELETES_OPEN_FILES, HAS_MODES

OLD = {"mcp-config.json": b'{"old": 1}\n', "notes.md": b"user\r\n", "old/gone.md": b"x" * 5000}
WANTED = (
    ("mcp-config.json", b'{"new": 1, "much": "longer"}\n'),
    ("notes.md", b""),
    ("hooks/deep/imprint.json", b"{}\n"),
    ("old/gone.md", None),
)
CALLS = [name for name in vars(Files) if not name.startswith("_")]


class Quick(Files):
    """Does not wait for the disk: what a killed process wrote is in the system's memory anyway."""

    def sync(self, descriptor: int) -> None:
        pass

    def sync_folder(self, path: Path) -> None:
        pass


class Counting(Quick):
    """Records the name of each call."""

    def __init__(self) -> None:
        self.calls: list[str] = []


class Faulty(Quick):
    """Calls `fault` instead of, or after, the call of a given number."""

    def __init__(self, step: int, when: str, fault: Callable[[], None]) -> None:
        self.left, self.when, self.fault = step, when, fault


def _counting(name):
    def call(self, *arguments):
        self.calls.append(name)
        return getattr(Quick, name)(self, *arguments)

    return call


def _faulty(name):
    real = getattr(Quick, name)

    def call(self, *arguments):
        self.left -= 1
        if self.left != -1:
            return real(self, *arguments)
        if self.when == "half":
            descriptor, data = arguments
            real(self, descriptor, data[: len(data) // 2])
        elif self.when == "after":
            real(self, *arguments)
        self.fault()
        return None

    return call


QUICK = Quick()
for _name in CALLS:
    setattr(Counting, _name, _counting(_name))
    setattr(Faulty, _name, _faulty(_name))


@pytest.fixture
def fast_path(tmp_path) -> Iterator[Path]:
    """A folder in memory where there is one: these tests make thousands of files."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(dir=memory))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def prepared(fast_path, make_scratch):
    """A home with the old files."""
    scratch = make_scratch(fast_path)
    for name, data in OLD.items():
        (scratch.home / name).parent.mkdir(exist_ok=True)
        (scratch.home / name).write_bytes(data)
        os.utime(scratch.home / name, ns=(10**18, 10**18 + 100 * len(data)))
        (scratch.home / name).chmod(0o640)
    return scratch


def _plan(scratch) -> Plan:
    return scratch.plan(*WANTED, remove_empty=("old",))


def _applying(scratch) -> Callable[[Files], object]:
    """Carries out one plan, made now, through the given door."""
    plan = _plan(scratch)
    return lambda files: scratch.apply(plan, files=files)


def _killed(in_child, step: int, when: str, work: Callable[[Files], object]) -> None:
    faulty = Faulty(step, when, _kill)
    assert in_child(lambda: work(faulty)) == -signal.SIGKILL


def _reset(scratch, pristine: Path) -> None:
    shutil.rmtree(scratch.root)
    shutil.copytree(pristine, scratch.root)


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _moments(calls: list[str]):
    for step, name in enumerate(calls):
        yield step, "before"
        if name == "write":
            yield step, "half"
        yield step, "after"


def _error_of(work: Callable[[Files], object], files: Files) -> ImprintError | None:
    try:
        work(files)
    except ImprintError as error:
        return error
    return None


def _assert_old_or_new(scratch) -> None:
    for name, new in WANTED:
        path = scratch.home / name
        found = path.read_bytes() if path.exists() else None
        assert found in (OLD.get(name), new), f"{name} is neither old nor new: {found!r}"


def _all_old_or_all_new(scratch, old, new) -> bool:
    """True for new; no directory or temporary file may be left over, in the home or beside it."""
    found = scratch.tree()
    assert found in (old, new)
    if found == old:
        _assert_untouched(scratch)
    left = [path.name for path in scratch.root.rglob("*") if path.is_file()]
    assert not [name for name in left if name.endswith((".tmp", ".old", ".done", "journal.json"))]
    return found == new


def _assert_untouched(scratch) -> None:
    """Old bytes come with the old time and mode: nobody can tell that there was a run."""
    for name, data in OLD.items():
        found = (scratch.home / name).stat()
        assert found.st_mtime_ns == 10**18 + 100 * len(data)
        assert not HAS_MODES or found.st_mode & 0o777 == 0o640


def _count(scratch, pristine, work) -> list[str]:
    counting = Counting()
    work(counting)
    _reset(scratch, pristine)
    assert len(counting.calls) >= 5
    return counting.calls


def _before_and_after(scratch, pristine):
    old = scratch.tree()
    scratch.apply(_plan(scratch), files=QUICK)
    new = scratch.tree()
    _reset(scratch, pristine)
    assert old != new
    return old, new


@pytest.fixture
def pristine(prepared, fast_path) -> Path:
    copy = fast_path / "pristine"
    shutil.copytree(prepared.root, copy)
    return copy


def test_killed_at_any_step_of_apply_each_file_is_old_or_new_and_recover_repairs(
    prepared, pristine, in_child
):
    old, new = _before_and_after(prepared, pristine)
    apply_plan = _applying(prepared)
    calls = _count(prepared, pristine, apply_plan)
    assert {"write", "sync", "rename", "unlink", "make_folder", "remove_folder"} <= set(calls)
    outcomes = set()
    for step, when in _moments(calls):
        _killed(in_child, step, when, apply_plan)
        _assert_old_or_new(prepared)
        prepared.recover(QUICK)
        outcomes.add(_all_old_or_all_new(prepared, old, new))
        assert not prepared.recover(QUICK).found, "a second recovery has nothing to do"
        _reset(prepared, pristine)
    assert outcomes == {False, True}


def test_the_next_apply_repairs_by_itself_and_then_works(prepared, pristine, in_child):
    _, new = _before_and_after(prepared, pristine)
    apply_plan = _applying(prepared)
    calls = _count(prepared, pristine, apply_plan)
    renames = [step for step, name in enumerate(calls) if name in ("rename", "unlink")]
    for step in renames:
        _killed(in_child, step, "after", apply_plan)
        prepared.recover(QUICK)
        prepared.apply(_plan(prepared), files=QUICK)
        assert prepared.tree() == new
        _reset(prepared, pristine)


def test_killed_at_any_step_of_a_recovery_the_next_one_repairs(prepared, pristine, in_child):
    old, new = _before_and_after(prepared, pristine)
    apply_plan = _applying(prepared)
    calls = _count(prepared, pristine, apply_plan)
    # The renames of the home's own files, the deletion, and the commit: most is to be undone.
    last = [step for step, name in enumerate(calls) if name == "rename"][-3:]
    for interrupted in last:
        half_done = pristine.with_name(f"half-{interrupted}")
        _killed(in_child, interrupted, "after", apply_plan)
        shutil.copytree(prepared.root, half_done)
        recovery = _count(prepared, half_done, prepared.recover)
        for step, when in _moments(recovery):
            _killed(in_child, step, when, prepared.recover)
            _assert_old_or_new(prepared)
            prepared.recover(QUICK)
            _all_old_or_all_new(prepared, old, new)
            _reset(prepared, half_done)
        _reset(prepared, pristine)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_failing_call_rolls_everything_back_and_says_so(prepared, pristine, number):
    old, new = _before_and_after(prepared, pristine)
    apply_plan = _applying(prepared)
    calls = _count(prepared, pristine, apply_plan)

    def fail() -> None:
        raise OSError(number, os.strerror(number))

    failed = 0
    for step, when in _moments(calls):
        if (when == "after") and calls[step] == "create":
            continue  # a call that worked and failed as well: its descriptor would be lost
        if (when == "before") and calls[step] == "close" and not DELETES_OPEN_FILES:
            continue  # the file stays open, and so nobody could tidy up
        error = _error_of(apply_plan, Faulty(step, when, fail))
        if error is None:
            # Tidying after the commit: what failed is done by the next run.
            prepared.recover(QUICK)
            assert prepared.tree() in (new, {**new, "old": None}), f"{calls[step]} {when}"
        else:
            failed += 1
            assert isinstance(error, FileError)
            assert error.fix
            assert prepared.tree() == old, f"{calls[step]} {when}"
            _assert_untouched(prepared)
        _reset(prepared, pristine)
    assert failed > 20


def test_a_full_disk_from_any_step_on_leaves_old_files_or_a_journal(prepared, pristine):
    old, new = _before_and_after(prepared, pristine)
    apply_plan = _applying(prepared)
    calls = _count(prepared, pristine, apply_plan)
    for step, name in enumerate(calls):
        if name not in ("create", "write", "make_folder", "rename"):
            continue
        if _error_of(apply_plan, _FullDisk(step)) is None:
            assert prepared.tree() == new
        else:
            _assert_old_or_new(prepared)
            prepared.recover(QUICK)
            assert prepared.tree() == old
        _reset(prepared, pristine)


class _FullDisk(Faulty):
    """From one step on, nothing that needs room works any more."""

    def __init__(self, step: int) -> None:
        super().__init__(step, "before", self._raise)

    def _raise(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _check(self) -> None:
        if self.left < 0:
            self._raise()

    def create(self, path, mode):
        descriptor = super().create(path, mode)
        if self.left < 0:
            os.close(descriptor)
            path.unlink()
            self._raise()
        return descriptor


def test_a_rollback_that_fails_too_is_said_and_done_by_the_next_run(prepared, pristine):
    old, new = _before_and_after(prepared, pristine)
    apply_plan = _applying(prepared)
    calls = _count(prepared, pristine, apply_plan)
    last = [step for step, name in enumerate(calls) if name == "rename"][-2]
    where = {"locks": prepared.locks, "keep": prepared.keep}
    error = _error_of(apply_plan, _FullDisk(last))
    assert isinstance(error, RollbackFailed)
    assert str(prepared.keep) in error.fix
    _assert_old_or_new(prepared)
    assert prepared.tree() not in (old, new)
    assert is_interrupted(prepared.home, **where)
    # The same plan, since repairing brings back what it was made from.
    apply_plan(QUICK)
    assert prepared.tree() == new
    assert not is_interrupted(prepared.home, **where)


def test_an_interrupt_rolls_back_too(prepared, pristine):
    old, _ = _before_and_after(prepared, pristine)
    apply_plan = _applying(prepared)
    calls = _count(prepared, pristine, apply_plan)

    def interrupt() -> None:
        raise KeyboardInterrupt

    first_rename = calls.index("rename", calls.index("make_folder", 20))
    with pytest.raises(KeyboardInterrupt):
        apply_plan(Faulty(first_rename, "after", interrupt))
    assert prepared.tree() == old


def test_another_installation_repairs_what_was_interrupted_in_the_first(
    prepared, pristine, in_child
):
    old, new = _before_and_after(prepared, pristine)
    apply_plan = _applying(prepared)
    calls = _count(prepared, pristine, apply_plan)
    for step in [step for step, name in enumerate(calls) if name == "rename"]:
        _killed(in_child, step, "after", apply_plan)
        where = {"locks": prepared.locks, "keep": prepared.root / "elsewhere"}
        assert is_interrupted(prepared.home, **where) is any(prepared.keep.rglob("journal.json"))
        recover(prepared.home, **where)
        assert not is_interrupted(prepared.home, **where)
        _all_old_or_all_new(prepared, old, new)
        assert not prepared.recover(QUICK).found
        _reset(prepared, pristine)


def test_a_file_that_the_user_changed_after_the_crash_is_left_alone(prepared, pristine, in_child):
    apply_plan = _applying(prepared)
    calls = _count(prepared, pristine, apply_plan)
    commit = [step for step, name in enumerate(calls) if name == "rename"][-1]
    _killed(in_child, commit, "before", apply_plan)
    (prepared.home / "notes.md").write_bytes(b"edited after the crash")
    recovered = prepared.recover(QUICK)
    assert recovered.conflicts == (prepared.home / "notes.md",)
    assert (prepared.home / "notes.md").read_bytes() == b"edited after the crash"
    assert (prepared.home / "mcp-config.json").read_bytes() == OLD["mcp-config.json"]
    assert (prepared.home / "old/gone.md").read_bytes() == OLD["old/gone.md"]
    copies = [path.read_bytes() for path in prepared.keep.rglob("0*") if path.is_file()]
    assert OLD["notes.md"] in copies, "the copy of the old file stays where the user may need it"
