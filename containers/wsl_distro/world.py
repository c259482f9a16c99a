"""A distribution and its Windows side, running: two containers and what they share."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
from docker.models.containers import Container
from tenacity import Retrying, retry_if_result, stop_after_delay, wait_fixed

from containers.engine import Engine
from containers.errors import ContainerFailed
from containers.provisions import CHECKOUT, PLACE, Lent, dependencies, lent, source
from containers.running import Ended, Order, run_in, started
from containers.wsl_distro.inside import Session, SessionOrder
from containers.wsl_distro.interop import INTERPRETER, interop
from containers.wsl_distro.sides import PYTHON_PLACE
from imprint.base.paths import Environment
from imprint.sandbox.release import Release

NAME = "Ubuntu-24.04"

START_SECONDS = 60

_HERE = Path(__file__).parent
_OWNER = 1000
"""The user of both containers: the share of WSL shows files as the distribution's user's."""

_MZ = b"MZ" + bytes(62)

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
    windows_side: Container
    distribution: Container
    release: Release
    lent: Lent

    @property
    def copilot_home(self) -> Path:
        """The distribution's Copilot home, as this machine sees it."""
        return self.folder / "home" / "copilot"

    def imprint(self, *words: str) -> Ended:
        """`imprint WORDS` on the Windows side."""
        command = ("/usr/bin/python3", "-P", "-m", "imprint", *words)
        return run_in(self.windows_side, command, {})

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
    engine: Engine, image: str, python: str, release: Release, host: Environment
) -> Iterator[World]:
    """Start both sides; they are gone afterwards. `NoInterop`, `EngineFailed`, `ContainerFailed`.

    `python` is the image's, such as `3.11`.
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
        stack.enter_context(interop())
        windows = stack.enter_context(started(engine, _windows(image, folder, mounts)))
        distribution = stack.enter_context(
            started(engine, _distribution(image, folder, {**mounts, **there.mounts}))
        )
        for side, socket in ((windows, "1_interop"), (distribution, "distribution")):
            _wait(folder / "run" / socket, side)
        yield World(engine, folder, windows, distribution, release, there)


def _furnish(folder: Path) -> None:
    """The shared folders, the drive with its one program, the distribution's own files."""
    for name in ("run", "home", "home/home", "home/copilot", "windows", "drive", "packages", "etc"):
        (folder / name).mkdir()
    (folder / "packages" / "imprint.pth").write_text(
        f"{PLACE}/source\n{PLACE}/deps\n", encoding="utf-8"
    )
    program = folder / "drive" / PYTHON_PLACE
    program.parent.mkdir(parents=True)
    program.write_bytes(_MZ)
    program.chmod(0o755)
    (folder / "etc" / "mountinfo-of-wsl").write_text(_MOUNTINFO, encoding="utf-8")
    (folder / "etc" / "wsl.conf").write_text(_CONF, encoding="utf-8")
    for name in ("init_sim.py", "wsl_exe.py"):
        copy = folder / "source" / "containers" / "wsl_distro" / name
        copy.chmod(0o755)
    for path in (folder, *folder.rglob("*")):
        if os.getuid() == 0 and not path.is_relative_to(folder / "source"):
            os.chown(path, _OWNER, _OWNER)
    folder.chmod(0o755)


def _windows(image: str, folder: Path, mounts: Mapping[Path, str]) -> Order:
    stand_in = f"{PLACE}/source/containers/wsl_distro/wsl_exe.py"
    return Order(
        image=image,
        command=("python3", "-m", "containers.wsl_distro.sides", "windows"),
        mounts=mounts,
        writable={
            folder / "run": "/run/WSL",
            folder / "drive": "/c",
            folder / "windows": "/windows",
            folder / "home": f"/share/{NAME}/home/ada",
        },
        environment={
            "HOME": "/windows",
            "IMPRINT_HOME": "/windows/imprint",
            "IMPRINT_WSL_EXE": stand_in,
            "IMPRINT_WSL_PYTHON": "C:\\" + PYTHON_PLACE.replace("/", "\\"),
            "IMPRINT_WSL_SHARE": "/share",
            "PYTHONDONTWRITEBYTECODE": "1",
            "RELAY_LOG": "/run/WSL/log",
            "STAND_IN_DISTRIBUTION": NAME,
        },
        workdir="/windows",
    )


def _distribution(image: str, folder: Path, mounts: Mapping[Path, str]) -> Order:
    return Order(
        image=image,
        command=("python3", "-m", "containers.wsl_distro.sides", "distribution"),
        mounts={
            **mounts,
            folder / "source" / "containers" / "wsl_distro" / "init_sim.py": INTERPRETER,
            folder / "etc" / "wsl.conf": "/etc/wsl.conf",
            folder / "etc" / "mountinfo-of-wsl": "/etc/mountinfo-of-wsl",
        },
        writable={
            folder / "run": "/run/WSL",
            folder / "drive": "/mnt/c",
            folder / "home": "/home/ada",
        },
        environment={
            "HOME": "/home/ada/home",
            "COPILOT_HOME": "/home/ada/copilot",
            "WSL_DISTRO_NAME": NAME,
            "WSL_INTEROP": "/run/WSL/1_interop",
            "PYTHONDONTWRITEBYTECODE": "1",
            "RELAY_LOG": "/run/WSL/log",
        },
        workdir="/home/ada",
    )


def _wait(socket: Path, side: Container) -> None:
    """Until a side listens."""
    attempts = Retrying(
        stop=stop_after_delay(START_SECONDS),
        wait=wait_fixed(0.1),
        retry=retry_if_result(lambda is_there: not is_there),
        retry_error_callback=lambda _: False,
    )
    if not attempts(socket.exists):
        said = side.logs().decode("utf-8", errors="replace")[-500:]
        raise ContainerFailed(f"{socket.name} of the stand-in did not come up: {said}")
