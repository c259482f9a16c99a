"""A process that learns, and can be killed at a chosen call: `python -m tests.learn.child`.

Arguments: root of the scratch world; `scan`, `ahead` or `drain`; the function to die in
(`module:name`, `-` for none); before or after which call of it (`before 1`, `after 2`, ...).
"""

import importlib
import os
import signal
import sys
from pathlib import Path

from imprint.base.paths import Environment
from imprint.learn import SessionState, drain_spool, learn_homes, load_policy, reading
from imprint.memory import Memory

KILL: signal.Signals = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Ends a process at once: a signal on POSIX, TerminateProcess where there is no such signal."""
KILLED = -KILL if hasattr(signal, "SIGKILL") else int(KILL)
"""The exit code of a process that `KILL` has ended."""


def die_at(target: str, when: str, number: int) -> None:
    """Replace a function by one that kills this process at its nth call."""
    module_name, _, path = target.partition(":")
    owner: object = importlib.import_module(module_name)
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    original = getattr(owner, name)
    calls = 0

    def wrapped(*args: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls == number and when == "before":
            os.kill(os.getpid(), KILL)
        result = original(*args, **options)
        if calls == number and when == "after":
            os.kill(os.getpid(), KILL)
        return result

    setattr(owner, name, wrapped)


def main(arguments: list[str]) -> None:
    """Learn, then say how many turns were new."""
    root, job, target, when, number = arguments
    world = Environment.scratch(Path(root))
    if target != "-":
        die_at(target, when, int(number))
    if job == "ahead":
        reading.is_worth_it = lambda size: True
    if job == "drain":
        report = drain_spool(world)
    else:
        state = SessionState(world.home / ".copilot" / "session-state")
        layout = world.layout()
        with Memory.open(layout.store) as memory:
            report = learn_homes(memory, [state], policy=load_policy(world), layout=layout)
    sys.stdout.write(f"{report.turns}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
