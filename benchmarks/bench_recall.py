"""Recall over a growing memory: the labelled queries and the commonest words, in one process.

And the SessionStart hook over that memory, which reads what was prepared.

Run it from a checkout: the labelled set is that of the tests.
"""

import itertools
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks._measure import command, interleaved, report
from imprint import hook_entry
from imprint.copilot.hooks_file import hook_argv
from imprint.copilot.runtime import Runtime
from imprint.memory import Memory, Role, SessionMeta, Turn
from imprint.memory.digest import prepare_digests
from tests.memory.found_again import fill, labelled

SIZES = (10_000, 100_000, 1_000_000)
SESSION_TURNS = 100
PROJECTS = 50
ACTION = "copilot-session-start"
WORDS = 60_000
_COMMONEST = """
the to of and a in is that it for on with as this be are code you test file error function line
from not have use add value type data run set get new return
"""
COMMONEST = _COMMONEST.split()


def _vocabulary(dice: random.Random) -> list[str]:
    """Common words first, then words and identifiers that get rarer and rarer."""
    syllables = [c + v for c in "bcdfghklmnprstvwz" for v in ("a", "e", "i", "o", "u", "or", "an")]
    words = list(COMMONEST)
    while len(words) < WORDS:
        parts = ["".join(dice.choices(syllables, k=dice.randint(1, 4))) for _ in range(3)]
        form = dice.random()
        words.append(
            parts[0]
            if form < 0.7
            else "_".join(parts)
            if form < 0.9
            else f"/{parts[0]}/{parts[1]}.py"
        )
    return words


def _texts(dice: random.Random) -> Iterator[str]:
    """Turns of 5 to 150 words, drawn as languages draw them (the nth word one nth as often)."""
    words = _vocabulary(dice)
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    while True:
        pool = dice.choices(words, cum_weights=weights, k=50_000)
        position = 0
        while position < len(pool):
            length = min(150, 5 + int(dice.expovariate(1 / 35)))
            yield " ".join(pool[position : position + length])
            position += length


def _build(path: Path, turns: int) -> float:
    """Learn so many generated turns, and the labelled ones; return the seconds it took."""
    texts = _texts(random.Random(20260501))
    taken = 0.0
    with Memory.open(path) as memory:
        for number in range(turns // SESSION_TURNS):
            batch = list(itertools.islice(texts, SESSION_TURNS))
            started = time.perf_counter()
            _learn(memory, number, batch)
            taken += time.perf_counter() - started
        fill(memory)
    return taken


def _learn(memory: Memory, number: int, texts: list[str]) -> None:
    day = time.strftime("%Y-%m-%dT%H", time.gmtime(1_700_000_000 + number * 7200))
    project = f"project-{number % PROJECTS}"
    meta = SessionMeta(f"conversation/{number}", project, f"/src/{project}", started_at=f"{day}:00")
    with memory.importing(meta) as session:
        for place, text in enumerate(texts):
            stamp = f"{day}:{place % 60:02d}:00Z"
            role: Role = "assistant" if place % 2 else "user"
            session.add_turn(Turn(f"{number}-{place}", role, text, stamp, place))
        session.finish(meta, b"checkpoint")


def query(path: Path) -> None:
    """Run all queries twice (the second time is measured) and print what they took."""
    queries = [written.removeprefix("~") for item in labelled() for written in item.queries]
    queries += [*COMMONEST[:20], *map(" ".join, itertools.pairwise(COMMONEST[:20]))]
    queries += ["something never said", "walrus", "the code of the walrus", "zzyzx error"]
    seconds: dict[str, float] = {}
    with Memory.open(path) as memory:
        for _ in range(2):
            for text in queries:
                started = time.perf_counter()
                memory.search(text, prefer="/src/project-7")
                seconds[text] = time.perf_counter() - started
    ordered = sorted(seconds.values())
    slowest = max(seconds, key=seconds.__getitem__)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(ordered)} queries: median {statistics.median(ordered) * 1e3:.1f} ms,"
        f" 95 % under {ordered[int(len(ordered) * 0.95)] * 1e3:.1f} ms,"
        f" slowest {ordered[-1] * 1e3:.1f} ms ({slowest!r}), {peak:.0f} MB"
    )


def measure_hook(store: Path, turns: int, rounds: int = 25) -> None:
    """SessionStart in a directory of which much is remembered, and of which nothing is."""
    empty = store / "empty"
    directories = [f"/src/project-{number}" for number in range(PROJECTS)]
    for home in (store, empty):
        with Memory.open(home / "memory.db") as memory:
            prepare_digests(memory, home / "digests", directories)
    payload = json.dumps({"session_id": "s", "cwd": "/src/project-7", "source": "new"}).encode()
    candidates = {
        f"SessionStart, {name}": command(
            hook_argv(Runtime(Path(sys.executable), Path(hook_entry.__file__), home, ""), ACTION),
            payload,
        )
        for name, home in (("empty store", empty), (f"{turns:,} turns", store))
    }
    report("hook call, whole process", interleaved(candidates, rounds), "at most 1.5")


def main(sizes: tuple[int, ...] = SIZES) -> None:
    """Build stores of these sizes and search them, each in a fresh process."""
    print("\nrecall   (bound at 1,000,000 turns: median 20 ms, 95 % 150 ms, 150 MB)")
    for turns in sizes:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "memory.db"
            taken = _build(path, turns)
            size = path.stat().st_size / 1e6
            print(
                f"{turns:>9,} turns, {size:.0f} MB, learned at {turns / taken:,.0f} turns/s: ",
                end="",
            )
            sys.stdout.flush()
            subprocess.run([sys.executable, "-m", "benchmarks.bench_recall", str(path)], check=True)
            measure_hook(path.parent, turns)


if __name__ == "__main__":
    query(Path(sys.argv[1]))
