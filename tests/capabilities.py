"""What this machine can do, asked once. A test that needs something of it carries its mark, and is
skipped elsewhere with the name of what is missing; no test asks which system it runs on.
"""

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

import pytest


def _has_links() -> bool:
    with tempfile.TemporaryDirectory() as name:
        link = Path(name) / "link"
        try:
            link.symlink_to("target")
        except (OSError, NotImplementedError):
            return False
        return link.is_symlink()


def _has_modes() -> bool:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "file"
        file.touch()
        file.chmod(0o640)
        return stat.S_IMODE(file.stat().st_mode) == 0o640


def _runs_scripts() -> bool:
    """Whether a text that begins with `#!` can be started as a program, and POSIX shells."""
    return os.name == "posix" and shutil.which("sh") is not None


def _has_any_names() -> bool:
    with tempfile.TemporaryDirectory() as name:
        try:
            (Path(name) / "a:b?").touch()
        except OSError:
            return False
        return [path.name for path in Path(name).iterdir()] == ["a:b?"]


def _deletes_open_files() -> bool:
    with tempfile.TemporaryDirectory() as name, (Path(name) / "file").open("wb"):
        try:
            (Path(name) / "file").unlink()
        except PermissionError:
            return False
    return True


def _has_byte_names() -> bool:
    if sys.getfilesystemencodeerrors() != "surrogateescape":
        return False
    with tempfile.TemporaryDirectory() as name:
        try:
            (Path(name) / os.fsdecode(b"caf\xe9")).touch()
        except OSError:
            return False
    return True


def _has_long_paths() -> bool:
    with tempfile.TemporaryDirectory() as name:
        try:
            (Path(name) / ("n" * 250)).touch()
            (Path(name) / ("n" * 250)).resolve(strict=True)
        except OSError:
            return False
    return True


def _needs(what: str, is_there: bool) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not is_there, reason=f"capability: {what}")


def programs(*names: str) -> list[object]:
    """Parameters of a test that runs each of these programs, where it is there."""
    return [
        pytest.param(name, marks=_needs(name, shutil.which(name) is not None)) for name in names
    ]


HAS_MODES = _has_modes()
RUNS_SCRIPTS = _runs_scripts()
DELETES_OPEN_FILES = _deletes_open_files()

needs_links = _needs("symbolic links", _has_links())
needs_modes = _needs("POSIX permissions", HAS_MODES)
needs_users = _needs("POSIX users", hasattr(os, "geteuid"))
needs_fork = _needs("fork", hasattr(os, "fork"))
needs_scripts = _needs("POSIX shells and scripts as programs", RUNS_SCRIPTS)
needs_pipes = _needs("named pipes", hasattr(os, "mkfifo"))
needs_attributes = _needs("extended attributes", hasattr(os, "setxattr"))
needs_any_names = _needs("file names with any character", _has_any_names())
needs_byte_names = _needs("file names of any bytes", _has_byte_names())
needs_long_paths = _needs("paths of more than 260 characters", _has_long_paths())
