"""What cannot be written is refused beforehand or rolled back, and says what to do."""

import os
import shutil
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from imprint.edit.apply import recover
from imprint.edit.errors import (
    BrokenLink,
    ChangedMeanwhile,
    DiskFull,
    FileError,
    HardLinked,
    JournalDamaged,
    LockHeld,
    NotAFile,
    NotReadable,
    NotWritable,
    TooLarge,
)
from imprint.edit.files import REAL
from imprint.edit.lock import hold
from imprint.edit.plan import Plan, read
from imprint.edit.target import MAX_SIZE
from tests.capabilities import needs_fork, needs_links, needs_modes, needs_pipes

NOBODY = 65534
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def _refused(scratch, error, *wanted, match=None):
    """The plan is refused with this error; nothing in the home is touched."""
    before = scratch.tree()
    times = {path: path.lstat().st_mtime_ns for path in scratch.home.rglob("*")}
    with pytest.raises(error, match=match) as caught:
        scratch.write(*wanted)
    assert caught.value.fix
    assert scratch.tree() == before
    assert {path: path.lstat().st_mtime_ns for path in scratch.home.rglob("*")} == times


def _give_to_nobody(*folders):
    if IS_ROOT:
        for folder in folders:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def test_a_directory_in_the_files_place_is_refused(scratch):
    (scratch.home / "a").mkdir()
    with pytest.raises(NotAFile, match="is a directory") as caught:
        read(scratch.home / "a")
    assert caught.value.fix


@needs_pipes
def test_a_pipe_or_socket_in_the_files_place_is_refused_without_waiting(scratch):
    os.mkfifo(scratch.home / "pipe")
    with pytest.raises(NotAFile, match="no regular file"):
        read(scratch.home / "pipe")
    place = os.open(scratch.home, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{place}/socket")
        with pytest.raises(NotAFile):
            read(scratch.home / "socket")
    os.close(place)


def test_a_file_in_a_directorys_place_is_refused(scratch):
    (scratch.home / "hooks").write_bytes(b"")
    for name in ("hooks/h.json", "hooks/deep/h.json"):
        with pytest.raises(NotAFile, match="a file is where one of its directories should be"):
            read(scratch.home / name)


def test_a_file_with_two_names_is_refused(scratch):
    (scratch.home / "a").write_bytes(b"old")
    (scratch.home / "b").hardlink_to(scratch.home / "a")
    with pytest.raises(HardLinked, match="2 hard links"):
        read(scratch.home / "a")


@needs_links
def test_links_in_a_circle_are_refused(scratch):
    (scratch.home / "a").symlink_to("b")
    (scratch.home / "b").symlink_to("a")
    for name in ("a", "a/x"):
        with pytest.raises(BrokenLink, match="circle"):
            read(scratch.home / name)


@needs_links
def test_a_link_into_a_missing_directory_is_refused(scratch):
    (scratch.home / "hooks").symlink_to("/nonexistent/hooks")
    (scratch.home / "a").symlink_to("/nonexistent/a")
    for name in ("hooks/h.json", "a"):
        with pytest.raises(BrokenLink, match="not there"):
            read(scratch.home / name)


def test_a_huge_file_is_refused_unread(scratch):
    with (scratch.home / "a").open("wb") as file:
        file.truncate(MAX_SIZE + 1)
    with pytest.raises(TooLarge):
        read(scratch.home / "a")


def test_impossible_paths_are_refused_not_crashed_on(scratch):
    """Windows says of a name that is too long only that there is no such file, until it is made."""
    for name in ("x" * 300, "nul\0inside"):
        _refused(scratch, FileError, ("a", b"1"), (name, b"2"))


def test_a_read_only_file_is_refused_even_for_root(scratch):
    (scratch.home / "a").write_bytes(b"old")
    (scratch.home / "a").chmod(0o444)
    _refused(scratch, NotWritable, ("b", b"1"), ("a", b"2"), match="read-only")
    _refused(scratch, NotWritable, ("a", None), match="read-only")


@needs_modes
def test_a_read_only_folder_is_refused_even_for_root(scratch):
    (scratch.home / "hooks").mkdir(mode=0o555)
    _refused(scratch, NotWritable, ("a", b"1"), ("hooks/h.json", b"2"), match="read-only folder")


def test_a_read_only_folder_is_refused(scratch, as_nobody):
    (scratch.home / "hooks").mkdir()
    (scratch.home / "hooks/h.json").write_bytes(b"old")
    _give_to_nobody(scratch.root)
    (scratch.home / "hooks").chmod(0o555)

    def check():
        match = "read-only folder"
        _refused(scratch, NotWritable, ("a", b"1"), ("hooks/h.json", b"2"), match=match)
        _refused(scratch, NotWritable, ("hooks/h.json", None), match=match)
        _refused(scratch, NotWritable, ("hooks/new/x", b"3"), match=match)

    as_nobody(check)
    (scratch.home / "hooks").chmod(0o755)


def test_a_file_or_folder_that_may_not_be_read_is_refused(scratch, as_nobody):
    (scratch.home / "a").write_bytes(b"old")
    (scratch.home / "closed").mkdir()
    _give_to_nobody(scratch.root)
    (scratch.home / "a").chmod(0)
    (scratch.home / "closed").chmod(0)

    def check():
        for name in ("a", "closed/x"):
            with pytest.raises(NotReadable) as caught:
                read(scratch.home / name)
            assert caught.value.fix

    as_nobody(check)
    (scratch.home / "closed").chmod(0o755)


def test_another_owners_file_is_refused_without_rights_to_keep_the_owner(scratch, as_nobody):
    if not IS_ROOT:
        pytest.skip("capability: only root can make a file of another owner")
    _give_to_nobody(scratch.root)
    (scratch.home / "a").write_bytes(b"root's")
    (scratch.home / "a").chmod(0o666)
    as_nobody(lambda: _refused(scratch, NotWritable, ("a", b"1"), match="another user"))


def test_root_keeps_the_owner_of_files_and_gives_new_ones_to_the_homes_owner(scratch):
    if not IS_ROOT:
        pytest.skip("capability: only root can keep another owner")
    (scratch.home / "a").write_bytes(b"old")
    _give_to_nobody(scratch.home)
    os.chown(scratch.home / "a", 1234, 4321)
    scratch.write(("a", b"new"), ("hooks/h.json", b"{}"))
    owners = {
        path.name: (path.stat().st_uid, path.stat().st_gid) for path in scratch.home.rglob("*")
    }
    assert owners == {
        "a": (1234, 4321),
        "hooks": (NOBODY, NOBODY),
        "h.json": (NOBODY, NOBODY),
    }


def test_a_folder_for_locks_or_copies_that_cannot_be_written_is_refused(scratch, as_nobody):
    (scratch.home / "a").write_bytes(b"old")
    _give_to_nobody(scratch.root)
    scratch.root.chmod(0o555)
    as_nobody(lambda: _refused(scratch, NotWritable, ("a", b"1")))
    scratch.root.chmod(0o755)
    scratch.locks.mkdir()
    _give_to_nobody(scratch.locks)
    scratch.root.chmod(0o555)
    as_nobody(lambda: _refused(scratch, NotWritable, ("a", b"1")))
    scratch.root.chmod(0o755)


@contextmanager
def _flag(path: Path, flag: str):
    """chattr's flags; without them this platform can't show what the test is about."""
    if not IS_ROOT or shutil.which("chattr") is None:
        pytest.skip("capability: chattr, as root")
    done = subprocess.run(["chattr", f"+{flag}", path], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("capability: a file system with immutable files")
    try:
        yield
    finally:
        subprocess.run(["chattr", f"-{flag}", path], check=True)


@pytest.mark.parametrize("flag", ["i", "a"])
def test_an_immutable_file_is_refused(scratch, flag):
    (scratch.home / "a").write_bytes(b"old")
    with _flag(scratch.home / "a", flag):
        _refused(scratch, NotWritable, ("b", b"1"), ("a", b"2"))
        _refused(scratch, NotWritable, ("a", None))


@pytest.mark.parametrize("flag", ["i", "a"])
def test_an_immutable_folder_is_refused_before_a_temporary_file_is_stuck_in_it(scratch, flag):
    (scratch.home / "hooks").mkdir()
    (scratch.home / "hooks/h.json").write_bytes(b"old")
    with _flag(scratch.home / "hooks", flag):
        _refused(scratch, NotWritable, ("b", b"1"), ("hooks/h.json", b"2"))
        _refused(scratch, NotWritable, ("hooks/new.json", b"2"))


@pytest.mark.parametrize("limit", [0, 100, 700, 2000, 4999])
def test_a_limit_on_file_sizes_leaves_the_old_files_whole(scratch, in_child, limit):
    (scratch.home / "a").write_bytes(b"a" * 1000)

    resource = pytest.importorskip("resource", reason="capability: limits on file sizes")

    def check():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        before = scratch.tree()
        with pytest.raises(DiskFull) as caught:
            scratch.write(("a", b"b" * 600), ("c", b"c" * 5000))
        assert caught.value.fix
        assert scratch.tree() == before

    assert in_child(check) == 0
    assert scratch.recover().found is False


def test_a_full_disk_leaves_the_old_files_whole(scratch, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    if (
        not IS_ROOT
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "none", small],
            capture_output=True,
            check=False,
        ).returncode
    ):
        pytest.skip("capability: mounting a small disk")
    try:
        (small / "a").write_bytes(b"a" * 20_000)
        (scratch.home / "hooks").symlink_to(small)
        with pytest.raises(DiskFull, match="No space left"):
            scratch.write(("first", b"1"), ("hooks/a", b"b" * 40_000), ("hooks/c", b"c" * 40_000))
        assert not (scratch.home / "first").exists()
        assert [path.name for path in small.iterdir()] == ["a"]
        assert (small / "a").read_bytes() == b"a" * 20_000
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_read_only_disk_is_refused(scratch, tmp_path):
    disk = tmp_path / "nix"
    disk.mkdir()
    if (
        not IS_ROOT
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "ro", "none", disk], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("capability: mounting a read-only disk")
    try:
        (scratch.home / "hooks").symlink_to(disk)
        _refused(scratch, NotWritable, ("first", b"1"), ("hooks/h.json", b"{}"), match="read-only")
    finally:
        subprocess.run(["umount", disk], check=True)


@needs_links
@needs_fork
def test_who_holds_the_lock_is_named_and_nothing_is_written(scratch):
    """Two real processes: the child holds the lock until its pipe is closed."""
    ready, ready_end = os.pipe()
    go_end, go = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(go)
            with hold(scratch.home, scratch.locks, 5, REAL) as held:
                held.claim(scratch.keep / "journal.json")
                os.write(ready_end, b"x")
                os.read(go_end, 1)
        finally:
            os._exit(0)
    os.close(ready_end)
    assert os.read(ready, 1) == b"x"
    link = scratch.root / "other name"
    link.symlink_to(scratch.home)
    for home in (scratch.home, link):
        plan = Plan(home, scratch.plan(("a", b"1")).changes)
        with pytest.raises(LockHeld, match=rf"process {child} \(") as caught:
            scratch.apply(plan, timeout=0.05)
        assert caught.value.fix
    with pytest.raises(LockHeld):
        recover(scratch.home, locks=scratch.locks, keep=scratch.keep, timeout=0.05)
    assert scratch.tree() == {}
    os.close(go)
    os.waitpid(child, 0)
    os.close(go_end)
    os.close(ready)
    assert scratch.write(("a", b"1")).changed


@needs_fork
def test_two_runs_at_once_never_mix(scratch):
    """Real processes that all plan and write the same two files, as often as it takes."""
    scratch.write(("x", b"0"), ("y", b"0"))
    children = []
    for name in (b"1", b"2", b"3"):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = _write_some(scratch, name)
            finally:
                os._exit(code)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0, 0, 0]
    assert read(scratch.home / "x") == read(scratch.home / "y")
    assert sorted(path.name for path in scratch.home.iterdir()) == ["x", "y"]


def _write_some(scratch, name: bytes) -> int:
    done = tries = 0
    while done < 5 and tries < 2000:
        tries += 1
        text = name * (done + 1)
        try:
            scratch.write(("x", text), ("y", text))
        except ChangedMeanwhile:
            continue
        done += 1
    return 0 if done == 5 else 2


def test_a_lock_of_a_dead_process_is_free(scratch, in_child):
    def die_holding():
        with hold(scratch.home, scratch.locks, 5, REAL) as held:
            held.claim(scratch.keep / "none" / "journal.json")
            os.kill(os.getpid(), 9)

    assert in_child(die_holding) == -9
    assert scratch.write(("a", b"1")).changed


def test_a_holders_record_that_is_garbage_is_ignored(scratch):
    fcntl = pytest.importorskip("fcntl", reason="capability: fcntl's locks")
    scratch.write(("a", b"1"))
    (lock,) = scratch.locks.glob("*.lock")
    lock.with_suffix(".holder").write_bytes(b"{garbage")
    assert scratch.write(("a", b"2")).changed
    with lock.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LockHeld, match="another Imprint"):
            scratch.apply(scratch.plan(("a", b"3")), timeout=0.05)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"schema": 99}', b"\xff"])
def test_a_damaged_journal_stops_everything_and_says_where_the_copies_are(scratch, text):
    (scratch.home / "a").write_bytes(b"0")
    (backup,) = scratch.write(("a", b"1")).backups
    (backup.parents[2] / "journal.json").write_bytes(text)
    _refused(scratch, JournalDamaged, ("a", b"2"), match=r"journal\.json")
