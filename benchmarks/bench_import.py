"""A whole first import: reader, rules, redaction, index, work records.

Against reading the same bytes line by line, and beside `agentsview sync` (PyPI) where that is
installed. Each import starts in a process of its own and an empty store, so that no cache is warm
but the operating system's.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks._measure import interleaved, report
from benchmarks.bench_reader import World, lines
from benchmarks.generate import Generator, write_transcript

MEGABYTE = 1024 * 1024
BOUNDS = {0.01: 4, 0.10: 15}
SIZES = 60, 240, 600
PEER = "agentsview"


def imported(world: World) -> Callable[[], object]:
    """A first import in a process of its own."""
    child = [sys.executable, "-m", "benchmarks.bench_import", str(world.root)]

    def run() -> None:
        shutil.rmtree(world.environment.imprint_home, ignore_errors=True)
        subprocess.run(child, check=True, stdout=subprocess.DEVNULL, env=os.environ)

    return run


def peer(command: str, home: Path) -> Callable[[], object]:
    """A first import by the peer, in the home that the sessions are in."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "AGENTSVIEW_NO_DAEMON": "1"}

    def run() -> None:
        shutil.rmtree(home / ".agentsview", ignore_errors=True)
        quiet = subprocess.DEVNULL
        subprocess.run([command, "sync"], check=True, stdout=quiet, stderr=quiet, env=environment)

    return run


def measure(share: float, bound: int, megabytes: int, rounds: int) -> None:
    """One share of conversation."""
    with tempfile.TemporaryDirectory() as scratch:
        world = World(Path(scratch))
        path = world.state / "s" / "events.jsonl"
        write_transcript(path, megabytes * MEGABYTE, Generator(share))
        if hasattr(os, "sync"):
            os.sync()  # else the system is still busy with writing it down
        candidates: dict[str, Callable[[], object]] = {
            "for line in file": lines(path),
            "import": world.learn_anew,
            "import, whole process": imported(world),
        }
        if command := shutil.which(PEER):
            candidates["agentsview sync"] = peer(command, world.state.parents[1])
        timings = interleaved(candidates, rounds)
        title = f"first import, {share:.0%} conversation, {megabytes} MB"
        report(title, timings, f"import at most {bound}")
        megabytes_of_file = path.stat().st_size / 1e6
        for timing in timings[1:]:
            print(f"{timing.name:<44} {megabytes_of_file / timing.median:9.1f} MB/s of the file")


def main(sizes: Sequence[int] = SIZES, rounds: int = 5) -> None:
    """Measure the shares that have a bound."""
    for share, bound in BOUNDS.items():
        for megabytes in sizes:
            measure(share, bound, megabytes, rounds)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        started, used = time.perf_counter(), time.process_time()
        report_of_run = World(Path(sys.argv[1])).learn()
        seconds, cpu = time.perf_counter() - started, time.process_time() - used
        print(f"{report_of_run.turns} turns in {seconds:.2f} s, {cpu:.2f} s of processor time")
    else:
        main()
