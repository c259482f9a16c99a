"""What tests of several rooms share."""

import os
from collections.abc import Callable
from pathlib import Path

NOBODY = 65534


def as_nobody(task: Callable[[], str]) -> str:
    """What `task` returns in a child that may not write everywhere, whoever runs the tests.

    Forked, not started: the interpreter itself may be in a folder of root's, so whatever `task`
    needs must have been imported before.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        result = "died"
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            result = task()
        finally:
            os.write(writing, result.encode("utf-8"))
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        result = pipe.read().decode("utf-8")
    os.waitpid(child, 0)
    return result


def let_nobody_in(folder: Path) -> None:
    """Let other users pass through the folders above; pytest makes them for their owner alone."""
    if os.geteuid() != 0:
        return
    for above in (folder, *folder.parents):
        mode = above.stat().st_mode
        if mode & 0o011 != 0o011:
            above.chmod(mode | 0o011)


def give_to_nobody(folder: Path) -> None:
    """Hand a whole tree to the user that `as_nobody` becomes."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
