"""The kernel's binfmt_misc: programs that begin with `MZ` go to `/init-sim`, as WSL does it."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from containers.errors import ContainerFailed
from imprint.base.errors import UndeterminedError

INTERPRETER = "/init-sim"

_TABLE = Path("/proc/sys/fs/binfmt_misc")
_NAME = "ImprintInterop"
_RULE = f":{_NAME}:M::MZ::{INTERPRETER}:P"
"""P: the interpreter gets argv[0] too. The interpreter is looked up where the program is started,
so it is nowhere but in a distribution's container."""


class NoInterop(UndeterminedError):
    """This machine can't play interop."""

    code = "no-interop"


@contextmanager
def interop() -> Iterator[None]:
    """While this lasts, `MZ` programs are handed over; for the whole kernel. `NoInterop`."""
    _mounted()
    _refuse_others()
    mine = _TABLE / _NAME
    if mine.exists():  # left by a run that was killed
        mine.write_text("-1", encoding="ascii")
    _write(_TABLE / "register", _RULE)
    try:
        yield
    finally:
        if mine.exists():
            mine.write_text("-1", encoding="ascii")


def _mounted() -> None:
    if (_TABLE / "register").exists():
        return
    done = subprocess.run(
        ["mount", "-t", "binfmt_misc", "binfmt_misc", str(_TABLE)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0 or not (_TABLE / "register").exists():
        raise NoInterop(
            f"the kernel's binfmt_misc can't be used: {done.stderr.strip() or 'not there'}",
            fix="run as root on a Linux whose kernel has binfmt_misc",
        )


def _refuse_others() -> None:
    """Never take Windows programs from a WSL or a Wine that is there for its user."""
    for entry in _TABLE.iterdir():
        if entry.name in {"register", "status", _NAME}:
            continue
        if "magic 4d5a" in entry.read_text(encoding="utf-8", errors="replace"):
            raise NoInterop(
                f"binfmt_misc has a handler of Windows programs: {entry.name}",
                fix="run this on a machine without WSL's or Wine's handler",
            )


def _write(place: Path, text: str) -> None:
    try:
        place.write_text(text, encoding="ascii")
    except OSError as error:
        raise ContainerFailed(f"binfmt_misc refused the rule: {error.strerror}") from error
