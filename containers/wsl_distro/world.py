"""A distribution in a container and its Windows side, running, and what they share."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
from docker.models.containers import Container

from containers.engine import Engine
from containers.errors import ContainerFailed
from containers.provisions import CHECKOUT, PLACE, Lent, dependencies, lent, source
from containers.running import Ended, Order, run_in, started
from containers.wsl_distro.inside import Session, SessionOrder
from containers.wsl_distro.interop import INTERPRETER, interop
from containers.wsl_distro.linux_python import linux_python
from containers.wsl_distro.waiting import wait_for
from containers.wsl_distro.windows_side import (
    DISTRIBUTION,
    INTEROP,
    NAME,
    OWNER,
    Ground,
    Player,
    WindowsSide,
)
from imprint.base.paths import Environment
from imprint.sandbox.release import Release

_MOUNTINFO = (
    "61 1 8:32 / / rw,relatime - ext4 /dev/sdc rw,discard,errors=remount-ro,data=ordered\n"
    "77 61 0:56 / /mnt/c rw,noatime - 9p C:\\134 rw,dirsync,aname=drvfs;path=C:\\;uid=1000;"
    "gid=1000;symlinkroot=/mnt/,mmap,access=client,msize=65536,trans=fd,rfd=5,wfd=5\n"
)
_CONF = "[automount]\nroot = /mnt/\n\n[interop]\nenabled = true\n"


@dataclass(frozen=True, slots=True)
class World:
    """Both sides; `folder` is what they share, on this machine."""

    engine: Engine
    folder: Path
    windows: WindowsSide
    distribution: Container
    release: Release
    lent: Lent

    @property
    def copilot_home(self) -> Path:
        """The distribution's Copilot home, as this machine sees it."""
        return self.folder / "home" / "copilot"

    def imprint(self, *words: str) -> Ended:
        """`imprint WORDS` on the Windows side."""
        return self.windows.imprint(*words)

    def shell(self, command: str, stdin: bytes = b"") -> Ended:
        """A hook's command line as Copilot runs it, in the distribution."""
        (self.folder / "run" / "stdin").write_bytes(stdin)
        words = ("/bin/bash", "--norc", "--noprofile", "-c", f"({command}\n) </run/WSL/stdin")
        return run_in(self.distribution, words, {})

    def session(self, prompt: str, answer: str, words: Sequence[str]) -> Session:
        """One session of the real Copilot in the distribution."""
        order = SessionOrder(
            version=self.release.version,
            kind=self.release.kind,
            command=self.lent.command,
            folder=self.lent.folder,
            unpacked=self.lent.unpacked,
            prompt=prompt,
            answer=answer,
            words=tuple(words),
        )
        text = msgspec.json.encode(order).decode("utf-8")
        ended = run_in(
            self.distribution, ("python3", "-m", "containers.wsl_distro.inside", text), {}
        )
        if ended.exit_code != 0:
            said = ended.stderr.decode("utf-8", errors="replace")[-500:]
            raise ContainerFailed(f"no session in the distribution: {said}")
        return msgspec.json.decode(ended.stdout.splitlines()[-1], type=Session)

    def asked(self) -> tuple[Mapping[str, object], ...]:
        """What the stand-ins were asked, oldest first; `unexpected` is what they refused."""
        log = self.folder / "run" / "log"
        lines = log.read_bytes().splitlines() if log.exists() else []
        return tuple(msgspec.json.decode(line, type=dict[str, object]) for line in lines)


@contextmanager
def world(
    engine: Engine,
    image: str,
    python: str,
    release: Release,
    host: Environment,
    player: Player = linux_python,
) -> Iterator[World]:
    """Start both sides; they are gone afterwards.

    `python` is the image's, such as `3.11`; `player` is who plays Windows. `NoInterop`,
    `EngineFailed`, `ContainerFailed`, and what the player raises.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="imprint-wsl-")))
        deps = dependencies(host.cache / "containers", python, host.variables)
        code = source(CHECKOUT, folder)
        _furnish(folder)
        there = lent(release)
        mounts = {
            code: f"{PLACE}/source",
            deps: f"{PLACE}/deps",
            folder / "packages": f"/usr/local/lib/python{python}/dist-packages",
        }
        ground = Ground(engine, image, folder, mounts, host)
        stack.enter_context(interop())
        windows = stack.enter_context(player(ground))
        order = _distribution(ground, windows.drive, there)
        distribution = stack.enter_context(started(engine, order))
        wait_for(ground.run / DISTRIBUTION, distribution)
        yield World(engine, folder, windows, distribution, release, there)


def _furnish(folder: Path) -> None:
    """The shared folders, and the distribution's own files."""
    for name in ("run", "home", "home/home", "home/copilot", "packages", "etc"):
        (folder / name).mkdir()
    (folder / "packages" / "imprint.pth").write_text(
        f"{PLACE}/source\n{PLACE}/deps\n", encoding="utf-8"
    )
    (folder / "etc" / "mountinfo-of-wsl").write_text(_MOUNTINFO, encoding="utf-8")
    (folder / "etc" / "wsl.conf").write_text(_CONF, encoding="utf-8")
    for name in ("init_sim.py", "wsl_exe.py"):
        copy = folder / "source" / "containers" / "wsl_distro" / name
        copy.chmod(0o755)
    for path in (folder, *folder.rglob("*")):
        if os.getuid() == 0 and not path.is_relative_to(folder / "source"):
            os.chown(path, OWNER, OWNER)
    folder.chmod(0o755)


def _distribution(ground: Ground, drive: Path, there: Lent) -> Order:
    folder = ground.folder
    return Order(
        image=ground.image,
        command=("python3", "-m", "containers.wsl_distro.sides", "distribution"),
        mounts={
            **ground.mounts,
            **there.mounts,
            folder / "source" / "containers" / "wsl_distro" / "init_sim.py": INTERPRETER,
            folder / "etc" / "wsl.conf": "/etc/wsl.conf",
            folder / "etc" / "mountinfo-of-wsl": "/etc/mountinfo-of-wsl",
        },
        writable={
            ground.run: "/run/WSL",
            drive: "/mnt/c",
            folder / "home": "/home/ada",
        },
        environment={
            "HOME": "/home/ada/home",
            "COPILOT_HOME": "/home/ada/copilot",
            "WSL_DISTRO_NAME": NAME,
            "WSL_INTEROP": f"/run/WSL/{INTEROP}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "RELAY_LOG": "/run/WSL/log",
        },
        workdir="/home/ada",
    )
