"""A Wine prefix of our own, with everything that was started in it gone afterwards."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from containers.errors import ContainerFailed, NoWine
from containers.running import Ended

PREFIX_SECONDS = 180
END_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Wine:
    """A prefix, its server running. `folder` is the prefix; `drive` what programs see as `C:`.

    `as_user` stands before every command.
    """

    program: str
    folder: Path
    variables: Mapping[str, str]
    as_user: tuple[str, ...] = ()

    @property
    def drive(self) -> Path:
        """Windows' `C:`, on this machine."""
        return self.folder / "drive_c"

    @property
    def share(self) -> Path:
        """The folder that holds `\\\\wsl.localhost`: a distribution is a link in it."""
        return self.folder / "dosdevices" / "unc" / "wsl.localhost"

    def command(self, words: Sequence[str]) -> list[str]:
        """What starts a Windows program here, with `variables` as its environment."""
        return [*self.as_user, self.program, *words]

    def run(
        self,
        words: Sequence[str],
        seconds: float,
        *,
        cwd: Path | None = None,
        further: Mapping[str, str] | None = None,
        show: IO[bytes] | None = None,
    ) -> Ended:
        """Run a Windows program to its end; `ContainerFailed` when that takes longer.

        It gets pipes: Wine 8 makes something else of files and terminals. What is printed is shown
        meanwhile on `show`. The end of the program counts, not that of its pipes, which whatever
        it has started can keep.
        """
        process = subprocess.Popen(
            self.command(words),
            cwd=cwd or self.drive,
            env={**self.variables, **(further or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        taken = [_Taken(process.stdout, show), _Taken(process.stderr, show)]
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise ContainerFailed(
                f"{words[0]} did not end under Wine in {seconds:.0f} s"
            ) from error
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for one in taken:
                one.end()
        return Ended(code, bytes(taken[0].data), bytes(taken[1].data))


class _Taken:
    """Reads a pipe while its program runs."""

    def __init__(self, pipe: IO[bytes], show: IO[bytes] | None) -> None:
        self.data = bytearray()
        self._pipe, self._show = pipe, show
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def end(self) -> None:
        """Read what is left; the pipe is closed unless somebody keeps its other end."""
        self.thread.join(END_SECONDS)
        if not self.thread.is_alive():
            self._pipe.close()

    def _read(self) -> None:
        while chunk := os.read(self._pipe.fileno(), 65536):
            self.data += chunk
            if self._show is not None:
                self._show.write(chunk.replace(b"\r\n", b"\n"))
                self._show.flush()


@contextmanager
def wine(variables: Mapping[str, str], user: int | None = None) -> Iterator[Wine]:
    """A fresh prefix in a scratch folder. `NoWine`, `ContainerFailed`.

    Of `variables` only `PATH` comes across: Windows' own are Wine's. With `user` everything runs
    as that one, and the prefix is theirs; only root can ask for it.
    """
    path = variables.get("PATH", os.defpath)
    programs = [_program(name, path) for name in ("wine", "wineserver")]
    with tempfile.TemporaryDirectory(prefix="imprint-wine-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch) / "prefix"
        home = Path(scratch) / "home"
        home.mkdir()
        folder.mkdir()
        as_user: tuple[str, ...] = ()
        if user is not None:
            as_user = ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups")
            for place in (Path(scratch), home, folder):
                os.chown(place, user, user)
        made = Wine(
            programs[0],
            folder,
            {
                "PATH": path,
                "HOME": str(home),
                "LANG": "C.UTF-8",
                "WINEPREFIX": str(folder),
                "WINEDEBUG": "-all",
                # Neither a browser nor .NET, and no window that offers to fetch them; no desktop's
                # menus and folders.
                "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=",
            },
            as_user,
        )
        server = programs[1]
        try:
            _quietly(made, [server, "-p"], END_SECONDS)
            # The services start here, on no pipe of anybody's: they keep what they get for ever.
            _quietly(made, [made.program, "wineboot", "--init"], PREFIX_SECONDS)
            yield made
        finally:
            _quietly(made, [server, "-k"], END_SECONDS, is_needed=False)
            _quietly(made, [server, "-w"], END_SECONDS, is_needed=False)


def _program(name: str, path: str) -> str:
    found = shutil.which(name, path=path) or shutil.which(name, path="/usr/lib/wine")
    if found is None:
        raise NoWine(f"{name} is not on PATH", fix="apt-get install wine wine64")
    return found


def _quietly(made: Wine, command: Sequence[str], seconds: float, *, is_needed: bool = True) -> None:
    """Run one of Wine's own programs, with nothing that it could keep open."""
    process = subprocess.Popen(
        [*made.as_user, *command],
        env=dict(made.variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if is_needed:
            name = " ".join(command[-2:])
            raise ContainerFailed(f"{name} did not end in {seconds:.0f} s") from error
        return
    if code != 0 and is_needed:
        raise ContainerFailed(f"{' '.join(command)} ended with {code}")
