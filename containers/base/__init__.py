"""The base image out of Debian's packages, where no registry is reached."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from containers.errors import NoBaseImage

SUITE = "bookworm"
PACKAGES = ("bash", "ca-certificates", "dash", "git", "procps", "python3")
"""What Copilot starts (bash, git, ps) and what the probes are written in."""

DEBOOTSTRAP_SECONDS = 900

_LEFT_OUT = (
    "var/cache/apt",
    "var/lib/apt/lists",
    "usr/share/doc",
    "usr/share/locale",
    "usr/share/man",
)


@contextmanager
def debian_root(variables: Mapping[str, str]) -> Iterator[IO[bytes]]:
    """A tar of a minimal Debian with `PACKAGES`; `NoBaseImage` where it can't be made.

    It takes root, debootstrap, and a mirror: the one that apt uses here.
    """
    program = shutil.which("debootstrap", path=variables.get("PATH"))
    if program is None or os.getuid() != 0:
        raise NoBaseImage(
            "a base image is made of Debian's packages by root with debootstrap"
            + ("" if program else ", which is not installed"),
            fix="apt-get install debootstrap, or name an image: --base debian:bookworm",
        )
    with tempfile.TemporaryDirectory(prefix="imprint-base-") as folder:
        root = Path(folder) / "root"
        argv = [program, "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(root)]
        _run([*argv, mirror(variables)], variables)
        for name in _LEFT_OUT:
            shutil.rmtree(root / name, ignore_errors=True)
        archive = Path(folder) / "root.tar"
        with tarfile.open(archive, "w") as tar:
            # Devices come from the engine, and root's own user may not be allowed to make them.
            tar.add(root, arcname=".", filter=_no_devices)
        shutil.rmtree(root)
        with archive.open("rb") as file:
            yield file


def mirror(variables: Mapping[str, str]) -> str:
    """Where apt gets Debian's main archive from on this machine."""
    apt = shutil.which("apt-get", path=variables.get("PATH"))
    if apt is None:
        raise NoBaseImage("this is no Debian", fix="name an image: --base debian:bookworm")
    form = "$(REPO_URI) $(CODENAME) $(COMPONENT) $(LABEL)"
    said = _run([apt, "indextargets", "--format", form, "Identifier: Packages"], variables)
    for line in said.splitlines():
        words = line.split()
        if words[1:] == [SUITE, "main", "Debian"]:
            return words[0]
    raise NoBaseImage(
        f"apt knows no mirror of Debian {SUITE}",
        fix="apt-get update, or name an image: --base debian:bookworm",
    )


def _no_devices(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.isdev() else member


def _run(argv: list[str], variables: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            argv,
            env=dict(variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=DEBOOTSTRAP_SECONDS,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        last = (error.stderr or error.stdout).strip().splitlines()[-1:]
        raise NoBaseImage(f"{Path(argv[0]).name} failed: {' '.join(last)}") from error
    except subprocess.TimeoutExpired as error:
        raise NoBaseImage(f"{Path(argv[0]).name} took more than {error.timeout:.0f} s") from error
    return done.stdout
