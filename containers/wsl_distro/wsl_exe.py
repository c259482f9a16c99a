#!/usr/bin/python3 -IS
"""`wsl.exe` on the Windows side, as far as Imprint calls it.

What it prints itself is UTF-16LE with CRLF (UTF-8 with `WSL_UTF8=1`); a Linux program's output
passes as bytes. One difference is put right here: a container cannot mount the 9p file system of
drives, so the distribution's own table of mounts is read from a copy that shows them as WSL does.
"""

import os
import sys

sys.path.insert(0, __file__.rpartition("/containers/")[0])

from containers.wsl_distro.relay import hand_over, note

DISTRO = os.environ.get("STAND_IN_SOCKET", "/run/WSL/distribution")
MOUNTS = {"/proc/self/mountinfo": "/etc/mountinfo-of-wsl"}
FAILED = 255


def main() -> None:
    """Answer one call."""
    name = os.environ["STAND_IN_DISTRIBUTION"]
    words = sys.argv[1:]
    if words in (["--list", "--verbose"], ["-l", "-v"]):
        _say(f"  NAME{' ' * 12}STATE{' ' * 11}VERSION\n* {name:<16}Running{' ' * 9}2\n")
        code = 0
    elif words in (["--list", "--running", "--quiet"], ["--list", "--quiet"]):
        _say(f"{name}\n")
        code = 0
    elif words[:1] == ["-d"] and words[1].lower() == name.lower() and words[2] == "--exec":
        code = hand_over(DISTRO, [_seen_by_wsl(word) for word in words[3:]])
    else:
        _say("There is no distribution with the supplied name.\n")
        note({"unexpected": words})
        code = FAILED
    sys.stdout.flush()
    os._exit(code)


def _seen_by_wsl(word: str) -> str:
    for place, copy in MOUNTS.items():
        word = word.replace(place, copy)
    return word


def _say(text: str) -> None:
    encoding = "utf-8" if os.environ.get("WSL_UTF8") == "1" else "utf-16-le"
    sys.stdout.buffer.write(text.replace("\n", "\r\n").encode(encoding))


if __name__ == "__main__":
    main()
