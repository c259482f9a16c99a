"""Timing of whole commands and of calls, interleaved, so that a busy machine hits both sides."""

import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of every run of one candidate."""

    name: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle run, in seconds."""
        return statistics.median(self.seconds)

    def line(self, base: "Timing | None" = None) -> str:
        """`name  min / median / max ms`, and the ratio of medians to `base`."""
        low, high = min(self.seconds), max(self.seconds)
        text = f"{self.name:<44} {low * 1e3:9.1f} {self.median * 1e3:9.1f} {high * 1e3:9.1f} ms"
        return text if base is None else f"{text}   x {self.median / base.median:.2f}"


def interleaved(
    candidates: Mapping[str, Callable[[], object]],
    rounds: int,
    after: Callable[[], object] = lambda: None,
) -> list[Timing]:
    """Run every candidate once per round, in turn; one round before is not counted.

    `after` runs, untimed, after each call: whatever a call left running must not slow the next.
    """
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds + 1):
        for name, call in candidates.items():
            started = time.perf_counter()
            call()
            taken = time.perf_counter() - started
            after()
            if number:
                seconds[name].append(taken)
    return [Timing(name, tuple(values)) for name, values in seconds.items()]


def command(
    argv: Sequence[str], payload: bytes = b"", env: Mapping[str, str] | None = None
) -> Callable[[], object]:
    """A candidate that runs a command to its end with `payload` on stdin."""

    def run() -> None:
        subprocess.run(argv, input=payload, stdout=subprocess.DEVNULL, env=env, check=True)

    return run


def report(title: str, timings: Sequence[Timing], bound: str) -> None:
    """Print a table; the first candidate is the base of the ratios."""
    print(f"\n{title}   (bound: {bound})")
    print(f"{'':<44} {'min':>9} {'median':>9} {'max':>9}")
    base = timings[0]
    print(base.line())
    for timing in timings[1:]:
        print(timing.line(base))
