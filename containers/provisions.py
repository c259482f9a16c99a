"""What a container is given: this checkout, its dependencies, a release, readable by all."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement

from containers.errors import ContainerFailed
from containers.images import digest
from imprint.sandbox.release import Release

PLACE = "/opt/imprint"
"""Below it everything is mounted, read-only."""

CHECKOUT = Path(__file__).parents[1]

PIP_SECONDS = 300

_NOT_NEEDED = frozenset({"docker", "pytest", "pytest-xdist", "syrupy"})
"""Of the core and of what probes need: inside there is no pytest and no engine."""


def source(checkout: Path, folder: Path) -> Path:
    """A copy of what probes are made of, below `folder`: a checkout can be its owner's alone."""
    copy = folder / "source"
    for name in ("imprint", "probes", "compat", "containers"):
        shutil.copytree(checkout / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    _readable(copy)
    return copy


def dependencies(cache: Path, python: str, variables: Mapping[str, str]) -> Path:
    """A folder of the core's dependencies for a Python such as `3.11`; made once per set."""
    wanted = sorted(_requirements())
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"deps-{digest(python, platform.machine(), *wanted)}"
    if folder.is_dir():
        return folder
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    argv = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(fresh)]
    argv += ["--only-binary=:all:", "--no-compile", f"--python-version={python}"]
    argv += [f"--platform=manylinux{tag}_{platform.machine()}" for tag in ("2014", "_2_28")]
    done = subprocess.run(
        [*argv, *wanted],
        env={**variables, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=PIP_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        shutil.rmtree(fresh, ignore_errors=True)
        last = " ".join(done.stderr.strip().splitlines()[-1:])
        raise ContainerFailed(f"the dependencies can't be had for Python {python}: {last}")
    _readable(fresh)
    fresh.replace(folder)
    return folder


def _requirements() -> list[str]:
    named = [Requirement(text) for text in requires("imprint-copilot") or ()]
    wanted = [one for one in named if one.name not in _NOT_NEEDED and _is_for_probes(one)]
    return [f"{one.name}{one.specifier}" for one in wanted]


def _is_for_probes(one: Requirement) -> bool:
    return one.marker is None or one.marker.evaluate({"extra": "probes"})


def _readable(folder: Path) -> None:
    """Whoever the container's user is."""
    for path in (folder, *folder.rglob("*")):
        mode = path.stat().st_mode
        path.chmod(mode | (0o555 if path.is_dir() or mode & 0o100 else 0o444))


@dataclass(frozen=True, slots=True)
class Lent:
    """A release as a container sees it: its mounts, and its paths there."""

    mounts: Mapping[Path, str]
    command: tuple[str, ...]
    folder: str
    unpacked: str


def lent(release: Release) -> Lent:
    """The release's folder, what it has unpacked of itself, and the Node that runs it."""
    mounts = {release.folder: f"{PLACE}/release"}
    if release.unpacked is not None:
        mounts[release.unpacked] = f"{PLACE}/unpacked"
    command: list[str] = []
    for word in release.command:
        path = Path(word)
        if path.is_relative_to(release.folder):
            command.append(f"{PLACE}/release/{path.relative_to(release.folder).as_posix()}")
        elif path.is_absolute():
            program = path.resolve()
            mounts[program.parent] = f"{PLACE}/program"
            command.append(f"{PLACE}/program/{program.name}")
        else:
            command.append(word)
    unpacked = f"{PLACE}/unpacked" if release.unpacked is not None else ""
    return Lent(mounts, tuple(command), f"{PLACE}/release", unpacked)
