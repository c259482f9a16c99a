"""Starting `wsl.exe`, and reading what it says in whatever encoding it says it."""

import contextlib
import ntpath
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from imprint.base.errors import RefusedError, UndeterminedError
from imprint.base.paths import Environment

PROGRAM_VARIABLE = "IMPRINT_WSL_EXE"
"""Another program in the place of `wsl.exe`: how tests and containers play Windows."""

LIST_SECONDS = 30.0
COLD_START_SECONDS = 120.0
"""A stopped distribution takes 10 to 60 s to start, and the first call pays for it."""

_NEWLINES = re.compile(r"\r*\n|\r+")


class WslMissing(RefusedError):
    """There is no `wsl.exe` here."""

    code = "wsl-missing"


class WslFailed(RefusedError):
    """`wsl.exe`, or what it ran, ended with an error; the message quotes it."""

    code = "wsl-failed"


class WslHangs(UndeterminedError):
    """`wsl.exe` did not answer in time."""

    code = "wsl-hangs"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run printed, as bytes: `wsl.exe` and the Linux program encode differently."""

    exit_code: int
    stdout: bytes
    stderr: bytes = b""

    @property
    def text(self) -> str:
        """All that was said, for a message: one line, without NULs."""
        said = " ".join(text_of(data) for data in (self.stdout, self.stderr) if data)
        return " ".join(said.split())[:300]


class RunWsl(Protocol):
    """Runs `wsl.exe` with arguments, nothing on its stdin, for at most `seconds`.

    Raises WslMissing and WslHangs; an exit code is the caller's to judge.
    """

    def __call__(self, arguments: Sequence[str], *, seconds: float) -> Answer:
        """Run it."""
        ...


@dataclass(frozen=True, slots=True)
class WslExe:
    """The real one, or the program that an environment names in its place."""

    program: str
    variables: Mapping[str, str]

    @classmethod
    def of(cls, environment: Environment) -> "WslExe":
        """`IMPRINT_WSL_EXE`, else `System32\\wsl.exe`; WslMissing where this is not Windows."""
        given = environment.get(PROGRAM_VARIABLE)
        if given:
            return cls(given, environment.variables)
        if environment.platform != "win32":
            raise WslMissing(
                "distributions of WSL are set up from Windows, and this is not Windows",
                fix="run this command in Windows' own Imprint; inside WSL there is `imprint setup`",
            )
        root = environment.get("SystemRoot") or environment.get("SYSTEMROOT") or "C:\\Windows"
        return cls(ntpath.join(root, "System32", "wsl.exe"), environment.variables)

    def __call__(self, arguments: Sequence[str], *, seconds: float) -> Answer:
        """Run it; the process is ended when its time is over."""
        variables = {**self.variables, "WSL_UTF8": "1"}
        # No window of its own where Imprint itself has no console.
        flags = 0x08000000 if sys.platform == "win32" else 0
        try:
            process = subprocess.Popen(
                [self.program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=variables,
                creationflags=flags,
            )
        except OSError as error:
            raise WslMissing(
                f"{self.program} cannot be started: {error.strerror or error}",
                fix="install WSL: `wsl --install` in a terminal of Windows",
            ) from error
        with process:
            try:
                stdout, stderr = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.communicate(timeout=5)
                raise WslHangs(
                    f"{self.program} did not answer within {seconds:.0f} s",
                    fix="`wsl --shutdown` ends a WSL that hangs; then run the command again",
                ) from None
        return Answer(process.returncode, stdout, stderr)


def text_of(data: bytes) -> str:
    """What `wsl.exe` printed, in UTF-16LE (its habit) or UTF-8 (`WSL_UTF8=1`), BOM or not.

    Line ends of every kind become one LF: older builds print `\\r\\r\\n`.
    """
    if data.startswith(b"\xff\xfe") or b"\0" in data:
        text = data.decode("utf-16-le", "replace")
    else:
        text = data.decode("utf-8", "replace")
    return _NEWLINES.sub("\n", text.lstrip("\ufeff").replace("\0", ""))
