"""Which version of the Copilot CLI is installed: read where it says so, else asked, within bounds.

Detection never runs anything; `installed_version` may, and is called by setup and doctor alone.
"""

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec
import semver

from imprint.base.paths import Environment
from imprint.copilot.cached_builds import cached_builds
from imprint.copilot.child_process import end_group
from imprint.copilot.clients import Client
from imprint.copilot.version_cache import VersionCache

if TYPE_CHECKING:
    import subprocess

SECONDS = 5.0
"""How long a `copilot --version` may take; a prompt that waits is ended by it."""

OUTPUT_BYTES = 64 * 1024

_VERSION = re.compile(r"(?<![\w.])v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*)?)")
_PACKAGE_NAME = "@github/copilot"


class VersionSource(StrEnum):
    """Where a version comes from."""

    PACKAGE = "package.json"
    ASKED = "copilot --version"
    CACHE = "cache"
    CACHED_BUILD = "cached-build"
    NONE = "unknown"


@dataclass(frozen=True, slots=True)
class CopilotVersion:
    """A version, None where unknown: unknown is an answer, not an error.

    `program` is what was looked at or run; `detail` says why the version is unknown, or is not
    that of the program itself.
    """

    version: str | None
    source: VersionSource
    program: Path | None = None
    detail: str = ""


class _Package(msgspec.Struct):
    name: str = ""
    version: str = ""


def installed_version(
    environment: Environment,
    client: Client | None,
    *,
    ask: bool = True,
    seconds: float = SECONDS,
) -> CopilotVersion:
    """The version of the Copilot CLI found; asks the program itself at most once per change of it.

    What was learned is kept in `IMPRINT_HOME` by the program's real path, size and mtime. Without
    `ask` nothing is run.
    """
    if client is None or not client.is_copilot_cli:
        return CopilotVersion(None, VersionSource.NONE, detail="no Copilot CLI on PATH")
    program = Path(os.path.realpath(client.path))
    own = _own_version(environment, client.path, program, seconds if ask else None)
    return _with_cached_build(environment, own)


def _own_version(
    environment: Environment, given: Path, program: Path, seconds: float | None
) -> CopilotVersion:
    packaged = _package_version(program)
    if packaged:
        return CopilotVersion(packaged, VersionSource.PACKAGE, program)
    try:
        facts = program.stat()
    except OSError as error:
        return CopilotVersion(None, VersionSource.NONE, program, f"cannot be read: {error}")
    cache = VersionCache(environment.imprint_home)
    known = cache.look_up(program, facts)
    if known:
        return CopilotVersion(known, VersionSource.CACHE, program)
    if seconds is None:
        return CopilotVersion(None, VersionSource.NONE, program, "was not asked yet")
    found = _ask(environment, given, program, seconds)
    if found.version:
        cache.remember(program, facts, found.version)
    return found


def _with_cached_build(environment: Environment, own: CopilotVersion) -> CopilotVersion:
    """The build that really runs: a program that may update itself starts the newest one it has."""
    if own.version is None or environment.get("COPILOT_AUTO_UPDATE").lower() == "false":
        return own
    builds = cached_builds(environment)
    newest = max(builds, key=_order, default=None)
    if newest is None or _order(newest) <= _order(own.version):
        return own
    detail = f"the program is {own.version}; it starts the newer build in {builds[newest]}"
    return CopilotVersion(newest, VersionSource.CACHED_BUILD, own.program, detail)


def _order(version: str) -> semver.Version:
    # npm's order, in which 1.0.79-6 comes before 1.0.79.
    return semver.Version.parse(version)


def _package_version(program: Path) -> str | None:
    """The version in the npm package that holds `program`, without running it."""
    # On Windows npm puts a `copilot.cmd` beside its `node_modules`, elsewhere a link into it.
    beside = program.parent / "node_modules" / "@github" / "copilot"
    for folder in (program.parent, program.parent.parent, beside):
        try:
            data = (folder / "package.json").read_bytes()
            package = msgspec.json.decode(data, type=_Package)
        except (OSError, msgspec.DecodeError):
            continue
        if package.name.startswith(_PACKAGE_NAME) and semver.Version.is_valid(package.version):
            return package.version
    return None


def _ask(environment: Environment, given: Path, program: Path, seconds: float) -> CopilotVersion:
    def unknown(detail: str) -> CopilotVersion:
        return CopilotVersion(None, VersionSource.NONE, program, detail)

    import subprocess  # a program is asked once in its life
    import tempfile

    variables = dict(environment.variables) | {"COPILOT_AUTO_UPDATE": "false"}
    with tempfile.TemporaryFile() as output:
        try:
            process = _start([os.fspath(given), "--version"], variables, output)
        except OSError as error:
            return unknown(f"cannot be run: {error.strerror or error}")
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return unknown(f"did not answer --version within {seconds:g} s")
        finally:
            end_group(process)
        output.seek(0)
        text = output.read(OUTPUT_BYTES).decode("utf-8", "replace")
    match = _VERSION.search(text)
    if match is None or not semver.Version.is_valid(match[1]):
        return unknown(f"--version printed no version (exit code {code})")
    return CopilotVersion(match[1], VersionSource.ASKED, program)


def _start(
    arguments: list[str], variables: dict[str, str], output: IO[bytes]
) -> "subprocess.Popen[bytes]":
    import subprocess  # as above
    import tempfile

    # Into a file, not a pipe: a grandchild that keeps the pipe open would outlast the deadline.
    return subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=variables,
        start_new_session=os.name == "posix",
        cwd=tempfile.gettempdir(),
    )
