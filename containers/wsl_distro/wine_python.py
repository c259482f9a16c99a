"""The Windows side, played by Windows' CPython under Wine, on this machine.

No seam of Imprint's is used: Python stands on the drive that the distribution has mounted,
`wsl.exe` in `System32`, and the distribution's files below `\\\\wsl.localhost`.
"""

import io
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import msgspec

from containers.errors import ContainerFailed
from containers.provisions import CHECKOUT
from containers.running import Ended
from containers.windows.python import lent_python, windows_python
from containers.windows.wine import Wine, wine
from containers.wsl_distro.sides import PYTHON_PLACE
from containers.wsl_distro.windows_side import DISTRIBUTION, INTEROP, NAME, OWNER, Ground
from containers.wsl_distro.wine_server import Places

STORE = "C:\\users\\Åda Łovelace\\imprint"
"""The Imprint home; `users` is as Wine spells it, for the distribution tells case apart."""

RUN_SECONDS = 180

_PROGRAM = "C:\\" + PYTHON_PLACE.replace("/", "\\")
_SOURCE = "source"


@dataclass(frozen=True, slots=True)
class WinePython:
    """A prefix of Wine with Imprint in it."""

    wine: Wine

    @property
    def drive(self) -> Path:
        """The prefix's `C:`."""
        return self.wine.drive

    def imprint(self, *words: str) -> Ended:
        """On Windows' CPython."""
        command = (_PROGRAM, "-P", "-X", "utf8", "-m", "imprint", *words)
        return self.wine.run(command, RUN_SECONDS, further={"IMPRINT_HOME": STORE})


@contextmanager
def wine_python(ground: Ground) -> Iterator[WinePython]:
    """Start it, as the distribution's user. `NoWine`, `ContainerFailed`."""
    variables = ground.host.variables
    python = windows_python(ground.host.cache / "containers", variables)
    user = OWNER if os.getuid() == 0 else None
    with wine(variables, user) as made, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        secret = secrets.token_hex(16)
        _install(made, python, ground.folder / "source", user)
        _wsl_exe(made, listener.getsockname()[1], secret)
        _share(made, ground.folder)
        with _served(made, ground, listener, secret):
            yield WinePython(made)


def _install(made: Wine, python: Path, source: Path, user: int | None) -> None:
    """Python with Imprint beside it; folders are the user's, so that compiled modules are kept."""
    place = (made.drive / PYTHON_PLACE).parent
    program = lent_python(python, place, f"{_PROGRAM.rpartition(chr(92))[0]}\\{_SOURCE}")
    program.unlink()  # it is the cache's
    shutil.copyfile(python / program.name, program)
    program.chmod(0o755)  # as WSL shows every file of a drive
    for name in ("imprint", "compat"):
        shutil.copytree(source / name, place / _SOURCE / name)
    store = made.drive / STORE.removeprefix("C:\\").replace("\\", "/")
    store.parent.mkdir(parents=True)
    if user is not None:
        for folder in (store.parent, place, *place.rglob("*")):
            if folder.is_dir():
                os.chown(folder, user, user)


def _wsl_exe(made: Wine, port: int, secret: str) -> None:
    """A program of Windows without a compiler: pip's own launcher of scripts, with an archive."""
    pip = find_spec("pip")
    assert pip is not None
    assert pip.origin is not None
    launcher = Path(pip.origin).parent / "_vendor" / "distlib" / "t64.exe"
    if not launcher.is_file():
        raise ContainerFailed(
            "pip has no launcher of Windows scripts here", fix="pip install --upgrade pip"
        )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(Path(__file__).with_name("wsl_client.py"), "wsl_client.py")
        packed.writestr("__main__.py", f"from wsl_client import call\n\ncall({port}, {secret!r})\n")
    line = f'#!"{_PROGRAM}"\r\n'.encode()
    place = made.drive / "windows" / "system32" / "wsl.exe"
    place.write_bytes(launcher.read_bytes() + line + archive.getvalue())


def _share(made: Wine, folder: Path) -> None:
    """`\\\\wsl.localhost\\NAME`, as far as the two sides share it: the user's home."""
    root = folder / "share"
    (root / "home").mkdir(parents=True)
    (root / "home" / "ada").symlink_to(folder / "home")
    made.share.mkdir(parents=True)
    (made.share / NAME).symlink_to(root)


@contextmanager
def _served(made: Wine, ground: Ground, listener: socket.socket, secret: str) -> Iterator[None]:
    places = Places(
        interop=str(ground.run / INTEROP),
        distribution=str(ground.run / DISTRIBUTION),
        name=NAME,
        drive=str(made.drive),
        wine=tuple(made.command(())),
        listener=listener.fileno(),
        secret=secret,
    )
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "containers.wsl_distro.wine_server"),
            msgspec.json.encode(places).decode("utf-8"),
        ],
        cwd=CHECKOUT,
        env={**made.variables, "RELAY_LOG": str(ground.run / "log")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        pass_fds=(listener.fileno(),),
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        if process.stdout.readline() != b"listening\n":
            raise ContainerFailed("what stands between the distribution and Wine did not come up")
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
