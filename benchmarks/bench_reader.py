"""Reading transcripts against reading the same bytes line by line, a scan, an append."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks._measure import interleaved, report
from benchmarks.generate import Generator, write_talk, write_transcript
from imprint.base.paths import Environment
from imprint.learn import LearnReport, SessionState, learn_homes, load_policy
from imprint.learn.events import ToolFailed, ToolStart
from imprint.learn.reader import BUFFER, TranscriptReader
from imprint.learn.tools import failed_work, started_work
from imprint.memory import Memory

MEGABYTE = 1024 * 1024
SESSIONS = 10_000
HUGE = 600 * MEGABYTE


def lines(path: Path) -> Callable[[], int]:
    """What every reader of a file has to do at least."""

    def run() -> int:
        with path.open("rb") as file:
            return sum(1 for _ in file)

    return run


def reader(path: Path) -> Callable[[], int]:
    """All events of interest, work records included."""

    def run() -> int:
        count = 0
        with path.open("rb", buffering=BUFFER) as file:
            for _, _, event in TranscriptReader(file).read():
                match event:
                    case ToolStart():
                        count += len(list(started_work(event)))
                    case ToolFailed():
                        count += failed_work(event) is not None
                    case _:
                        count += 1
        return count

    return run


class World:
    """A scratch home with its memory."""

    def __init__(self, root: Path) -> None:
        self.environment = Environment.scratch(root)
        self.state = root / "home" / ".copilot" / "session-state"
        self.root = root

    def learn(self) -> LearnReport:
        """One scan."""
        layout = self.environment.layout()
        with Memory.open(layout.store) as memory:
            policy = load_policy(self.environment)
            return learn_homes(memory, [SessionState(self.state)], policy=policy, layout=layout)

    def learn_anew(self) -> LearnReport:
        """A first import."""
        shutil.rmtree(self.environment.imprint_home, ignore_errors=True)
        return self.learn()


def bare_scan(state: Path) -> Callable[[], int]:
    """What it takes to see that nothing changed, if one knew how."""

    def run() -> int:
        total = 0
        with os.scandir(state) as entries:
            for entry in entries:
                total += os.stat(f"{entry.path}/events.jsonl").st_size  # noqa: PTH116
        return total

    return run


def measure_reader(scratch: Path) -> None:
    """The reader alone, on the real share of conversation."""
    path = scratch / "reader.jsonl"
    write_transcript(path, 120 * MEGABYTE, Generator())
    timings = interleaved({"for line in file": lines(path), "reader": reader(path)}, 9)
    report("reader, work records included, 120 MB", timings, "at most 3.5")
    path.unlink()


def measure_scan(scratch: Path) -> None:
    """Nothing new in many sessions."""
    world = World(scratch / "scan")
    generator = Generator()
    for number in range(SESSIONS):
        write_talk(world.state / f"{number:05d}" / "events.jsonl", generator)
    world.learn()
    layout = world.environment.layout()
    policy = load_policy(world.environment)
    with Memory.open(layout.store) as memory:

        def nothing_new() -> None:
            states = [SessionState(world.state)]
            found = learn_homes(memory, states, policy=policy, layout=layout)
            assert found.unchanged == SESSIONS

        candidates = {"scandir and stat": bare_scan(world.state), "learn": nothing_new}
        timings = interleaved(candidates, 9)
    report(f"nothing new in {SESSIONS} sessions", timings, "at most 2")
    shutil.rmtree(world.root)


def measure_append(scratch: Path) -> None:
    """One new turn at the end of a small and of a huge transcript."""
    worlds = {}
    for name, size in (("1 MB", MEGABYTE), ("600 MB", HUGE)):
        world = worlds[name] = World(scratch / name)
        path = world.state / "s" / "events.jsonl"
        write_transcript(path, size, Generator(0.01))
        child = [sys.executable, "-m", "benchmarks.bench_reader", str(world.root)]
        peak = subprocess.run(child, check=True, capture_output=True, text=True, env=os.environ)
        print(f"\nfirst import of {name}: {peak.stdout.strip()}")
    numbers = iter(range(1_000_000))

    def append(world: World) -> Callable[[], None]:
        def run() -> None:
            number = next(numbers)
            line = (
                f'{{"type":"user.message","data":{{"content":"turn {number}"}},'
                f'"id":"00000000-0000-4000-8000-{number:012d}","timestamp":"2026-06-01T00:00:00Z",'
                '"parentId":null}\n'
            )
            with (world.state / "s" / "events.jsonl").open("ab") as file:
                file.write(line.encode())
            assert world.learn().turns == 1

        return run

    timings = interleaved({f"at the end of {n}": append(w) for n, w in worlds.items()}, 9)
    report("one new turn", timings, "independent of the size")
    for world in worlds.values():
        shutil.rmtree(world.root)


def main() -> None:
    """Measure all of it; needs 1.5 GB of disk for a minute."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        measure_reader(scratch)
        measure_scan(scratch)
        measure_append(scratch)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        turns = World(Path(sys.argv[1])).learn().turns
        peak, ahead = (
            resource.getrusage(who).ru_maxrss // 1024
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        print(
            f"{turns} turns, peak {peak} MB of memory and {ahead} MB in the process that reads"
            " ahead, which shares most of them (bound: under 100 MB)"
        )
    else:
        main()
