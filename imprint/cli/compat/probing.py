"""Running `pytest probes` as a child: in a process group of its own, with a deadline."""

import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from imprint.base.paths import Environment
from imprint.sandbox._process import Finished, end_tree, finish

PYTEST = (sys.executable, "-m", "pytest", "probes", "-q", "-p", "no:cacheprovider")
"""With `-m` the modules of the working directory, a checkout, come first."""


@dataclass(slots=True)
class Prober:
    """Asks releases from a checkout at `root`, each run for at most `seconds`.

    Several threads may ask at once; `stop` ends what is running, and nothing starts after it.
    """

    root: Path
    environment: Environment
    seconds: float
    command: Sequence[str] = PYTEST
    _live: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def run(
        self, arguments: Sequence[str], variables: Mapping[str, str] | None = None
    ) -> Finished | None:
        """One run to its end; None where it was stopped. `variables` are added to the user's."""
        with self._lock:
            if self._stopped.is_set():
                return None
            process = subprocess.Popen(
                (*self.command, *arguments),
                cwd=self.root,
                env={**self.environment.variables, **(variables or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            self._live.add(process)
        try:
            finished = finish(process, time.monotonic() + self.seconds)
        finally:
            with self._lock:
                self._live.discard(process)
        return None if self._stopped.is_set() else finished

    def stop(self) -> None:
        """End every run with all that it started: Copilots have process groups of their own."""
        with self._lock:
            self._stopped.set()
            live = tuple(self._live)
        for process in live:
            end_tree(process)


def why(finished: Finished, version: str, seconds: float) -> str:
    """What a run that brought nothing says about its release, in one line."""
    if finished.timed_out:
        return f"it took longer than {seconds:g} s"
    lines = [line.strip() for line in f"{finished.stdout}\n{finished.stderr}".splitlines()]
    about = [line for line in lines if line.startswith(f"{version}: ")]
    if about:
        return about[0].removeprefix(f"{version}: ")
    told = [line for line in lines if line]
    last = f": {told[-1][:200]}" if told else ""
    return f"the probes ended with {finished.exit_code}{last}"
