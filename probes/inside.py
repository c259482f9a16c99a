"""Run as `python -m probes.inside`, in a container: an order as its argument, rows on stdout.

It asks as `pytest probes` does, and needs no pytest.
"""

import sys
import tempfile
from pathlib import Path

import msgspec

from imprint.base.paths import Environment
from imprint.compat import shipped_catalogue
from imprint.sandbox.release import Kind, Release
from probes.asking import ReleaseRun


class InsideOrder(msgspec.Struct, frozen=True):
    """What to ask of which release; its paths are the container's. `unpacked` may be empty."""

    version: str
    kind: Kind
    command: tuple[str, ...]
    folder: str
    unpacked: str
    claims: tuple[str, ...]
    attempts: int = 1

    def release(self) -> Release:
        """The release as the sandbox wants it."""
        unpacked = Path(self.unpacked) if self.unpacked else None
        return Release(self.version, self.kind, self.command, Path(self.folder), unpacked=unpacked)


def main() -> None:
    """A line of JSON per claim, as soon as it is answered."""
    order = msgspec.json.decode(sys.argv[1], type=InsideOrder)
    host = Environment.current()
    with tempfile.TemporaryDirectory(prefix="imprint-inside-") as folder:
        attempts = [Path(folder) / str(number) for number in range(order.attempts)]
        for attempt in attempts:
            attempt.mkdir()
        run = ReleaseRun.begin(order.version, order.release, host, attempts)
        run.expect(order.claims)
        for claim in order.claims:
            asked = run.ask(shipped_catalogue()[claim])
            sys.stdout.buffer.write(msgspec.json.encode(asked) + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
