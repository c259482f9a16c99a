"""Run as `python3 -m containers.wsl_distro.sides SIDE`: the main process of each container.

`windows` runs what the distribution starts on the drive; `distribution` what `wsl.exe` asks for.
"""

import os
import sys

from containers.wsl_distro.relay import note, serve

DRIVE = "/mnt/c"
PYTHON_PLACE = "Program Files/Imprint's/python.exe"
"""Below the drive; spaces and an apostrophe, as people's folders have them."""


def windows(order: dict[str, object]) -> "tuple[list[str], str, dict[str, str]] | None":
    """One program is installed here: Python. Neither its environment nor its paths come across."""
    argv, cwd = _words(order), str(order["cwd"])
    if argv[:1] != [f"{DRIVE}/{PYTHON_PLACE}"]:
        note({"unexpected": argv})
        return None
    is_on_drive = cwd == DRIVE or cwd.startswith(f"{DRIVE}/")
    place = f"/c{cwd.removeprefix(DRIVE)}" if is_on_drive else "/"
    return ["/usr/bin/python3", *argv[1:]], place, dict(os.environ)


def distribution(order: dict[str, object]) -> "tuple[list[str], str, dict[str, str]] | None":
    """As `wsl.exe --exec`: no shell, no startup file; Windows' directory is not there."""
    return _words(order), "/", dict(os.environ)


def _words(order: dict[str, object]) -> list[str]:
    argv = order["argv"]
    return [str(word) for word in argv] if isinstance(argv, list) else []


SIDES = {
    "windows": ("/run/WSL/1_interop", windows),
    "distribution": ("/run/WSL/distribution", distribution),
}


def main() -> None:
    """Serve one side."""
    serve(*SIDES[sys.argv[1]])


if __name__ == "__main__":
    main()
