"""One Copilot that can be run, and the proof that a program is one."""

import contextlib
import os
import re
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from imprint.base.paths import Environment
from imprint.sandbox._process import Finished, run_bounded
from imprint.sandbox.errors import NotCopilot
from imprint.sandbox.isolation import ScratchHome, sealed_environment

_PACKAGES = "pkg"
"""Copilot's own name for the folder that it unpacks itself into."""

VERSION_SECONDS = 10.0
UNPACK_SECONDS = 120.0
"""A native release unpacks 70 to 235 MB of itself when it first runs."""

_SAYS = re.compile(r"^GitHub Copilot CLI (\d+\.\d+\.\d+\S*?)\.?$", re.MULTILINE)
_CAUSE = re.compile(r"^.*(?:[Ee]rror|cannot|not found)\b.*$", re.MULTILINE)


class Kind(StrEnum):
    """How a release is packaged."""

    NATIVE = "native"
    JAVASCRIPT = "javascript"


@dataclass(frozen=True, slots=True)
class Release:
    """A Copilot that can be run.

    `command` is what its arguments follow; `digest` the tarball's SHA-512 in hex, empty for a
    binary of the user's; `unpacked` where it keeps what it unpacks of itself, so that not every
    scratch home pays for that again.
    """

    version: str
    kind: Kind
    command: tuple[str, ...]
    folder: Path
    digest: str = ""
    unpacked: Path | None = None


def lend(release: Release, scratch: ScratchHome) -> None:
    """Let the scratch home use what the release has unpacked of itself before.

    Only that: 1.0.80 and later keep more in the same folder, such as the tools of MCP servers,
    and no session may learn from another home's. Where links can't be made, it unpacks again.
    """
    if release.unpacked is None or not (release.unpacked / _PACKAGES).is_dir():
        return
    scratch.copilot_cache.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        (scratch.copilot_cache / _PACKAGES).symlink_to(release.unpacked / _PACKAGES)


def from_binary(path: Path, host: Environment, seconds: float = VERSION_SECONDS) -> Release:
    """A Copilot that lies on this machine already; `NotCopilot` where it isn't one.

    `--version` is asked in a scratch home, for at most `seconds`.
    """
    program = path.expanduser().absolute()
    if not program.is_file():
        what = "is a folder" if program.is_dir() else "doesn't exist"
        raise _not_copilot(f"{path} {what}")
    if not os.access(program, os.X_OK):
        raise _not_copilot(f"{path} isn't executable")
    with tempfile.TemporaryDirectory(prefix="imprint-binary-") as scratch:
        version = prove((str(program),), host, Path(scratch), None, seconds)
    return Release(version, Kind.NATIVE, (str(program),), program.parent)


def prove(
    command: tuple[str, ...],
    host: Environment,
    scratch: Path,
    unpacked: Path | None,
    seconds: float = UNPACK_SECONDS,
) -> str:
    """The version that a program says it is; `NotCopilot` where it says nothing of the kind."""
    name = command[-1]
    home = ScratchHome(scratch).make()
    # What it unpacks now is what `lend` lends later.
    extra = {"COPILOT_CACHE_HOME": str(unpacked)} if unpacked else {}
    try:
        done = run_bounded(
            (*command, "--version"), sealed_environment(host, home, extra), scratch, seconds
        )
    except OSError as error:
        raise _not_copilot(f"{name} can't be started: {error.strerror}") from error
    if done.timed_out:
        raise _not_copilot(f"{name} --version did not end within {seconds:g} s and was killed")
    match = _SAYS.search(done.stdout)
    if done.exit_code != 0 or match is None:
        raise _not_copilot(f"{name} --version ended with {done.exit_code} and said {_said(done)}")
    return match.group(1)


def _said(done: Finished) -> str:
    """The line that tells most: of an error, else the last one."""
    text = f"{done.stdout}\n{done.stderr}"
    cause = _CAUSE.search(text)
    lines = [cause.group(0)] if cause else text.split("\n")
    told = [line.strip() for line in lines if line.strip()]
    return repr(told[-1][:200]) if told else "nothing"


def _not_copilot(what: str) -> NotCopilot:
    return NotCopilot(f"{what}: not a Copilot CLI", fix="give the path of a Copilot executable")
