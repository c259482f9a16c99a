#!/usr/bin/python3 -IS
"""What the kernel starts in the distribution for a program that begins with `MZ`: WSL's `/init`.

Arguments: the program's path, its argv[0], the rest. Without interop (no socket where
`WSL_INTEROP` says, or nobody behind it) it fails as WSL does: exit code 1.
"""

import os
import sys

sys.path.insert(0, "/opt/imprint/source")

from containers.wsl_distro.relay import hand_over

INTEROP = "/run/WSL/1_interop"


def main() -> None:
    """Hand over, and end as the program ended."""
    place = os.environ.get("WSL_INTEROP", INTEROP)
    try:
        code = hand_over(place, [sys.argv[1], *sys.argv[3:]])
    except OSError as error:
        sys.stderr.write(f"<3>WSL ERROR: UtilConnectUnix: connect failed {error.errno}\n")
        code = 1
    sys.stderr.flush()
    os._exit(code)  # a thread may still wait for stdin


if __name__ == "__main__":
    main()
