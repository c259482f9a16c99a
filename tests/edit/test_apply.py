"""Plans are carried out whole, on files as people have them."""

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from imprint.edit.apply import Applied, apply
from imprint.edit.backups import KEPT
from imprint.edit.errors import ChangedMeanwhile, FileError, NotWritable
from imprint.edit.files import Files
from imprint.edit.plan import FileChange, Plan, missing_directories, read
from imprint.edit.recovery import Recovered
from tests.capabilities import (
    HAS_MODES,
    needs_attributes,
    needs_byte_names,
    needs_links,
    needs_long_paths,
    needs_modes,
)


def _facts(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_mode, found.st_uid, found.st_gid


def test_files_are_created_changed_and_deleted_together(scratch):
    (scratch.home / "a").write_bytes(b"old")
    (scratch.home / "gone").write_bytes(b"x")
    plan = scratch.plan(("a", b"new"), ("hooks/deep/h.json", b"{}"), ("gone", None))
    folders = (scratch.home / "hooks", scratch.home / "hooks/deep")
    assert missing_directories(plan) == folders
    applied = scratch.apply(plan)
    assert applied.changed == tuple(change.path for change in plan.changes)
    assert applied.created_directories == folders
    assert [path.read_bytes() for path in applied.backups] == [b"old", b"x"]
    assert scratch.tree() == {
        "a": b"new",
        "hooks": None,
        "hooks/deep": None,
        "hooks/deep/h.json": b"{}",
    }


def test_a_plan_without_changes_writes_nothing(scratch):
    path = scratch.home / "a"
    path.write_bytes(b"same")
    path.chmod(0o444)
    before = _facts(path), _facts(scratch.home)
    assert scratch.write(("a", b"same"), ("absent", None)) == Applied()
    assert (_facts(path), _facts(scratch.home)) == before
    assert not scratch.keep.exists()


@pytest.mark.parametrize("after", [b"new", b"", None])
def test_a_file_that_changed_after_planning_stops_the_whole_plan(scratch, after):
    (scratch.home / "first").write_bytes(b"1")
    (scratch.home / "second").write_bytes(b"2")
    plan = scratch.plan(("first", b"one"), ("second", after), ("third", b"3"))
    (scratch.home / "second").write_bytes(b"somebody else's")
    before = scratch.tree()
    with pytest.raises(ChangedMeanwhile, match="second changed after the plan was made"):
        scratch.apply(plan)
    assert scratch.tree() == before


@pytest.mark.parametrize(("before", "now"), [(None, b"new there"), (b"was there", None)])
def test_a_file_that_came_or_went_after_planning_stops_the_plan(scratch, before, now):
    path = scratch.home / "a"
    plan = Plan(scratch.home, (FileChange(path, before, b"after", "test"),))
    if now is not None:
        path.write_bytes(now)
    with pytest.raises(ChangedMeanwhile):
        scratch.apply(plan)
    assert read(path) == now


def test_a_file_that_should_stay_as_it_is_may_not_change_either(scratch):
    (scratch.home / "a").write_bytes(b"1")
    plan = scratch.plan(("a", b"1"), ("b", b"2"))
    (scratch.home / "a").write_bytes(b"else")
    with pytest.raises(ChangedMeanwhile):
        scratch.apply(plan)
    assert not (scratch.home / "b").exists()


@needs_modes
def test_mode_and_time_belong_to_the_file(scratch):
    path = scratch.home / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    scratch.write(("a", b"new"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before = _facts(path)
    scratch.write(("a", b"new"))
    assert _facts(path) == before


@needs_modes
def test_a_created_file_gets_the_mode_that_the_plan_says_or_the_umask_leaves(scratch):
    mask = os.umask(0o027)
    try:
        changes = (
            FileChange(scratch.home / "private", None, b"x", "test", mode=0o600),
            FileChange(scratch.home / "shared", None, b"x", "test", mode=0o664),
            FileChange(scratch.home / "usual", None, b"x", "test"),
        )
        scratch.apply(Plan(scratch.home, changes))
    finally:
        os.umask(mask)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in sorted(scratch.home.iterdir())
    }
    assert modes == {"private": 0o600, "shared": 0o664, "usual": 0o640}


@needs_attributes
def test_extended_attributes_are_kept_where_there_are_any(scratch):
    path = scratch.home / "a"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("capability: the file system has no extended attributes")
    scratch.write(("a", b"new"))
    assert os.getxattr(path, "user.note") == b"mine"


@needs_links
def test_a_symlinked_file_is_written_through_and_stays_a_link(scratch, tmp_path):
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "mcp.json").write_bytes(b"old")
    link = scratch.home / "mcp-config.json"
    link.symlink_to(dotfiles / "mcp.json")
    scratch.write(("mcp-config.json", b"new"))
    assert link.readlink() == dotfiles / "mcp.json"
    assert (dotfiles / "mcp.json").read_bytes() == b"new"
    assert [path.name for path in dotfiles.iterdir()] == ["mcp.json"]


@needs_links
def test_a_relative_link_and_a_symlinked_folder_and_home_are_written_through(scratch, tmp_path):
    real_home = tmp_path / "repository"
    (real_home / "elsewhere").mkdir(parents=True)
    scratch.home.rmdir()
    scratch.home.symlink_to(real_home)
    (scratch.home / "hooks").symlink_to("elsewhere")
    (scratch.home / "b").write_bytes(b"old")
    (scratch.home / "a").symlink_to("b")
    scratch.write(("hooks/h.json", b"{}"), ("a", b"new"))
    assert scratch.home.is_symlink()
    assert (scratch.home / "hooks").is_symlink()
    assert (scratch.home / "a").is_symlink()
    assert (real_home / "elsewhere/h.json").read_bytes() == b"{}"
    assert (real_home / "b").read_bytes() == b"new"


@needs_links
def test_deleting_through_a_link_leaves_the_link_and_it_can_be_written_again(scratch, tmp_path):
    target = tmp_path / "target"
    target.write_bytes(b"ours")
    (scratch.home / "a").symlink_to(target)
    scratch.write(("a", None))
    assert (scratch.home / "a").is_symlink()
    assert not target.exists()
    assert read(scratch.home / "a") is None
    scratch.write(("a", b"again"))
    assert target.read_bytes() == b"again"
    assert (scratch.home / "a").is_symlink()


@needs_links
def test_two_names_of_one_file_in_a_plan_are_refused(scratch):
    (scratch.home / "a").write_bytes(b"old")
    (scratch.home / "b").symlink_to("a")
    with pytest.raises(FileError, match="same file as another"):
        scratch.write(("a", b"1"), ("b", b"2"))
    assert read(scratch.home / "a") == b"old"


def test_backups_are_copies_with_their_own_inode_private_and_few(scratch):
    path = scratch.home / "a"
    path.write_bytes(b"0")
    for number in range(1, KEPT + 4):
        applied = scratch.write(("a", b"%d" % number))
        (backup,) = applied.backups
        assert backup.read_bytes() == b"%d" % (number - 1)
        assert not backup.samefile(path)
        assert backup.stat().st_nlink == 1
        assert not HAS_MODES or stat.S_IMODE(backup.stat().st_mode) == 0o600
    kept = sorted(backup.parent.iterdir())
    assert [copy.read_bytes() for copy in kept] == [b"%d" % n for n in range(3, KEPT + 3)]
    for folder in (scratch.locks, scratch.keep, *backup.parents[:3]):
        assert not HAS_MODES or stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_backups_of_different_files_of_one_name_do_not_push_each_other_out(scratch):
    for name in ("one", "two"):
        (scratch.home / name).mkdir()
        (scratch.home / name / "a").write_bytes(name.encode())
    for number in range(KEPT + 2):
        applied = scratch.write(("one/a", b"%d" % number))
    applied = scratch.write(("two/a", b"new"))
    assert [path.read_bytes() for path in applied.backups] == [b"two"]


def test_nothing_but_backups_and_the_lock_is_left_behind(scratch):
    (scratch.home / "a").write_bytes(b"old")
    scratch.write(("a", b"new"), ("b", b"new"))
    left = [path for path in scratch.keep.rglob("*") if path.is_file()]
    assert len(left) == 1
    # On Windows not even the lock: nobody can be waiting for a file that can be deleted.
    assert {path.suffix for path in scratch.locks.iterdir()} <= {".lock"}
    assert sorted(path.name for path in scratch.home.iterdir()) == ["a", "b"]


@needs_links
def test_empty_directories_are_removed_afterwards_and_others_stay(scratch, tmp_path):
    for name in ("hooks", "full", "linked-to"):
        (scratch.home / name).mkdir()
    (scratch.home / "hooks/h.json").write_bytes(b"{}")
    (scratch.home / "full/user").write_bytes(b"x")
    (scratch.home / "link").symlink_to("linked-to")
    names = ("hooks", "full", "link", "absent")
    plan = scratch.plan(("hooks/h.json", None), remove_empty=names)
    assert scratch.apply(plan).removed_directories == (scratch.home / "hooks",)
    assert sorted(path.name for path in scratch.home.iterdir()) == ["full", "link", "linked-to"]
    (scratch.home / "hooks").mkdir()
    assert scratch.apply(scratch.plan(remove_empty=("hooks",))).removed_directories == (
        scratch.home / "hooks",
    )


@needs_modes
def test_created_directories_belong_to_their_owner_alone(scratch):
    scratch.write(("hooks/deep/h.json", b"{}"))
    for name in ("hooks", "hooks/deep"):
        assert stat.S_IMODE((scratch.home / name).stat().st_mode) == 0o700


def test_the_receipt_outside_of_the_home_is_written_with_the_rest(scratch):
    receipt = scratch.keep / "receipt.json"
    changes = (
        FileChange(scratch.home / "a", None, b"1", "test"),
        FileChange(receipt, None, b"{}", "receipt", mode=0o600),
    )
    scratch.apply(Plan(scratch.home, changes))
    assert receipt.read_bytes() == b"{}"
    assert not HAS_MODES or stat.S_IMODE(scratch.keep.stat().st_mode) == 0o700


def test_names_with_anything_in_them_work(scratch):
    name = "päth with 'quotes' $x %y [z] \U0001f600 日本.json"
    scratch.write((f"d {name}/{name}", b"x"))
    scratch.write((f"d {name}/{name}", b"y"))
    assert read(scratch.home / f"d {name}" / name) == b"y"


@needs_long_paths
def test_long_names_work(scratch):
    assert read(scratch.home / ("n" * 250)) is None
    scratch.write(("n" * 250, b"x"))
    scratch.write(("n" * 250, b"y"))
    assert read(scratch.home / ("n" * 250)) == b"y"


@needs_byte_names
def test_a_path_that_is_not_utf8_is_refused_before_anything_is_written(scratch):
    name = os.fsdecode(b"latin-\xe9")
    with pytest.raises(FileError, match="not UTF-8"):
        scratch.write(("a", b"1"), (name, b"2"))
    assert scratch.tree() == {}


def test_a_file_that_is_replaced_by_an_equal_one_during_the_run_is_noticed(scratch):
    """The bytes are the planned ones, yet it is another file: an editor is saving it."""
    (scratch.home / "a").write_bytes(b"old")

    class Editor(Files):
        def make_folder(self, path: Path, mode: int) -> None:
            super().make_folder(path, mode)
            if path.name == "trigger":
                (scratch.home / "new").write_bytes(b"old")
                (scratch.home / "new").replace(scratch.home / "a")

    plan = scratch.plan(("b", b"1"), ("a", b"2"), ("trigger/x", b"3"))
    with pytest.raises(ChangedMeanwhile, match="while it was being written"):
        scratch.apply(plan, files=Editor())
    assert scratch.tree() == {"a": b"old"}


@needs_modes
def test_a_file_system_that_refuses_to_set_owner_and_mode_works_where_they_are_right(scratch):
    """Windows drives seen from WSL, for instance."""

    class Strict(Files):
        def set_owner(self, path: Path, owner: int, group: int) -> None:
            raise PermissionError(errno.EPERM, "no owners here")

        def set_mode(self, path: Path, mode: int) -> None:
            raise PermissionError(errno.EPERM, "no modes here")

    (scratch.home / "a").write_bytes(b"old")
    (scratch.home / "a").chmod(0o600)
    scratch.apply(scratch.plan(("a", b"new")), files=Strict())
    assert read(scratch.home / "a") == b"new"
    (scratch.home / "a").chmod(0o640)
    with pytest.raises(NotWritable, match="no modes here"):
        scratch.apply(scratch.plan(("a", b"newer")), files=Strict())
    assert read(scratch.home / "a") == b"new"


def test_recover_without_anything_to_repair_says_so(scratch):
    assert scratch.recover() == Recovered()
    assert not scratch.recover().found


def test_threads_of_one_process_wait_for_each_other(scratch):
    (scratch.home / "n").write_bytes(b"0")
    errors: list[Exception] = []

    def count() -> None:
        for _ in range(5):
            while True:
                number = int(read(scratch.home / "n") or b"0")
                try:
                    scratch.write(("n", b"%d" % (number + 1)))
                except ChangedMeanwhile:
                    continue
                except Exception as error:  # noqa: BLE001 - the main thread has to see it
                    errors.append(error)
                break

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not errors
    assert read(scratch.home / "n") == b"15"


def test_apply_has_the_agreed_defaults(scratch):
    plan = scratch.plan(("a", b"1"))
    assert apply(plan, locks=scratch.locks, keep=scratch.keep).changed == (scratch.home / "a",)
