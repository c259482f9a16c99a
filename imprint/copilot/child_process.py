"""Ending programs that were started as leaders of their own process group."""

import contextlib
import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """End the whole group, whatever of it is left, and reap the child."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
