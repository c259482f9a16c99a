"""`python -m containers`: the maintainer's command.

`image [--base IMAGE]` makes the probes' image; `with-engine COMMAND...` runs a command with
`DOCKER_HOST` set to an engine: the one that is there, else a podman service of its own.
`windows-tests [ARGUMENTS...]` runs the Windows parts of the suite under Wine; no engine is needed.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from containers.engine import engine
from containers.errors import NoEngine
from containers.images import probe_image
from containers.service import podman_service
from containers.windows.suite import run_suite
from imprint.base.errors import ImprintError
from imprint.base.paths import Environment


def main() -> int:
    """The exit code of what was run."""
    parser = argparse.ArgumentParser(prog="python -m containers")
    commands = parser.add_subparsers(dest="what", required=True)
    image = commands.add_parser("image", help="make the image that probes run in")
    image.add_argument("--base", default="", help="make it from this one (default: from Debian)")
    with_engine = commands.add_parser("with-engine", help="run a command with an engine")
    with_engine.add_argument("argv", nargs=argparse.REMAINDER, metavar="COMMAND")
    windows = commands.add_parser("windows-tests", help="run tests under Wine, as on Windows")
    windows.add_argument("argv", nargs=argparse.REMAINDER, metavar="ARGUMENTS")
    given, further = parser.parse_known_args()
    if further and given.what != "windows-tests":
        parser.error(f"unrecognized arguments: {' '.join(further)}")
    try:
        if given.what == "windows-tests":
            return run_suite(Environment.current(), [*further, *given.argv])
        with _address() as address:
            variables = {**os.environ, "DOCKER_HOST": address}
            if given.what == "with-engine":
                return subprocess.run(given.argv, env=variables, check=False).returncode
            with engine(variables) as found:
                sys.stdout.write(f"{probe_image(found, variables, given.base)}\n")
    except ImprintError as error:
        sys.stderr.write(f"{error.message}\n{error.fix}\n")
        return int(error.exit_code)
    return 0


@contextmanager
def _address() -> Iterator[str]:
    try:
        with engine(os.environ) as found:
            address = found.address
    except NoEngine:
        with podman_service(os.environ) as address:
            yield address
        return
    yield address


if __name__ == "__main__":
    sys.exit(main())
