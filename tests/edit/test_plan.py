"""A plan shows what it would do, and making one changes nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from imprint.edit.plan import FileChange, Plan, diff, missing_directories

WITHOUT_NEWLINE = "\\ No newline at end of file\n"


def _plan(*changes: tuple[str, bytes | None, bytes | None]) -> Plan:
    return Plan(Path("/h"), tuple(FileChange(Path("/h", n), b, a, "why") for n, b, a in changes))


def _posix(text: str) -> str:
    """With the separators of this file, whatever the system's are; `\\ No newline` stays."""
    return text.replace(f"{os.sep}h{os.sep}", "/h/")


def test_the_diff_shows_changes_additions_and_deletions():
    text = diff(
        _plan(("a", b"1\n2\n", b"1\nzwei\n"), ("new", None, b"x\n"), ("gone", b"y\n", None))
    )
    assert _posix(text) == (
        "--- /h/a\n+++ /h/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+zwei\n"
        "--- /dev/null\n+++ /h/new\n@@ -0,0 +1 @@\n+x\n"
        "--- /h/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n"
    )


def test_the_diff_says_where_a_final_newline_is_missing():
    text = diff(_plan(("a", b"1", b"1\n")))
    assert _posix(text) == f"--- /h/a\n+++ /h/a\n@@ -1 +1 @@\n-1\n{WITHOUT_NEWLINE}+1\n"


def test_the_diff_of_an_empty_file_that_comes_or_goes_is_not_empty():
    assert _posix(diff(_plan(("a", None, b"")))) == "--- /dev/null\n+++ /h/a\n"
    assert _posix(diff(_plan(("a", b"", None)))) == "--- /h/a\n+++ /dev/null\n"


def test_nothing_to_do_is_an_empty_diff():
    plan = _plan(("a", b"1\n", b"1\n"), ("b", None, None))
    assert plan.is_empty
    assert diff(plan) == ""
    assert not _plan(("a", None, b"")).is_empty


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"1\r\n2\r\n", b"1\r\nx\r\n2\r\n"),
        (b"a\x0cb\xc2\x85\n\xe2\x80\xa8c\n", b"a\x0cb\xc2\x85\n\xe2\x80\xa8d\n"),
        (b"old mac\rline\r", b"old mac\rother\r"),
        (b"no end", b"no end\nmore"),
        ("ü\n".encode(), "ü\nö".encode()),
    ],
)
def test_patch_makes_the_new_file_from_the_diff(tmp_path, before, after):
    if shutil.which("patch") is None:
        pytest.skip("capability: the patch program")
    (tmp_path / "a").write_bytes(before)
    text = diff(Plan(tmp_path, (FileChange(tmp_path / "a", before, after, "why"),)))
    subprocess.run(
        ["patch", "--binary", tmp_path / "a"],
        input=text.encode("utf-8", "surrogateescape"),
        check=True,
        capture_output=True,
    )
    assert (tmp_path / "a").read_bytes() == after


def test_bytes_that_are_no_text_show_as_escapes():
    assert "+\\xff\\xfe\n" in diff(_plan(("a", b"x\n", b"\xff\xfe\n")))


def test_directories_to_be_made_are_known_beforehand(tmp_path):
    changes = (
        FileChange(tmp_path / "d/e/a", None, b"1", "why"),
        FileChange(tmp_path / "d/b", None, b"1", "why"),
        FileChange(tmp_path / "x/none", None, None, "why"),
    )
    plan = Plan(tmp_path, changes)
    assert missing_directories(plan) == (tmp_path / "d", tmp_path / "d/e")
    assert not any(tmp_path.iterdir())


def test_planning_and_reading_need_no_slow_imports():
    """A status of many homes pays for this room each time; filelock alone is 60 ms."""
    code = (
        "import sys, imprint.edit.apply, imprint.edit.receipt, imprint.edit.jsonc\n"
        "print(*{'filelock', 'difflib', 'asyncio', 'logging', 'subprocess', 'tempfile', 'shutil'}"
        ".intersection(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert done.stdout.strip() == ""


def test_modules_import_where_posix_calls_are_missing():
    """As on Windows: no fcntl, no chown, none of the flags that only POSIX has."""
    code = (
        "import os, sys\n"
        "sys.modules['fcntl'] = None\n"
        "names = ('fchown', 'chown', 'geteuid', 'O_NOFOLLOW', 'O_NONBLOCK', 'O_CLOEXEC')\n"
        "for name in names: delattr(os, name) if hasattr(os, name) else None\n"
        "import imprint.edit.apply, imprint.edit.receipt, imprint.edit.jsonc, imprint.edit.block\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert os.name
