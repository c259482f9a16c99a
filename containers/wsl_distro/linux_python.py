"""The Windows side, played by a Linux Python in a container of its own."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docker.models.containers import Container

from containers.provisions import PLACE
from containers.running import Ended, Order, run_in, started
from containers.wsl_distro.sides import PYTHON_PLACE
from containers.wsl_distro.waiting import wait_for
from containers.wsl_distro.windows_side import INTEROP, NAME, OWNER, Ground

_MZ = b"MZ" + bytes(62)


@dataclass(frozen=True, slots=True)
class LinuxPython:
    """A container with the drive, the share, and a stand-in `wsl.exe`."""

    container: Container
    drive: Path

    def imprint(self, *words: str) -> Ended:
        """In the container."""
        command = ("/usr/bin/python3", "-P", "-m", "imprint", *words)
        return run_in(self.container, command, {})


@contextmanager
def linux_python(ground: Ground) -> Iterator[LinuxPython]:
    """Start it; what stands on the drive as `python.exe` has no more than a program's first bytes.

    `EngineFailed`, `ContainerFailed`.
    """
    drive = ground.folder / "drive"
    program = drive / PYTHON_PLACE
    program.parent.mkdir(parents=True)
    program.write_bytes(_MZ)
    program.chmod(0o755)
    (ground.folder / "windows").mkdir()
    for path in (ground.folder / "windows", drive, *drive.rglob("*")):
        if os.getuid() == 0:
            os.chown(path, OWNER, OWNER)
    with started(ground.engine, _order(ground, drive)) as container:
        wait_for(ground.run / INTEROP, container)
        yield LinuxPython(container, drive)


def _order(ground: Ground, drive: Path) -> Order:
    return Order(
        image=ground.image,
        command=("python3", "-m", "containers.wsl_distro.sides", "windows"),
        mounts=ground.mounts,
        writable={
            ground.run: "/run/WSL",
            drive: "/c",
            ground.folder / "windows": "/windows",
            ground.folder / "home": f"/share/{NAME}/home/ada",
        },
        environment={
            "HOME": "/windows",
            "IMPRINT_HOME": "/windows/imprint",
            "IMPRINT_WSL_EXE": f"{PLACE}/source/containers/wsl_distro/wsl_exe.py",
            "IMPRINT_WSL_PYTHON": "C:\\" + PYTHON_PLACE.replace("/", "\\"),
            "IMPRINT_WSL_SHARE": "/share",
            "PYTHONDONTWRITEBYTECODE": "1",
            "RELAY_LOG": "/run/WSL/log",
            "STAND_IN_DISTRIBUTION": NAME,
        },
        workdir="/windows",
    )
