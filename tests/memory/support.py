"""What the memory's tests share: sessions to learn, and a child without root's rights."""

import os
from collections.abc import Callable

from imprint.memory import Memory, SessionMeta, Turn, WorkRecord

NOBODY = 65534


def meta(name: str, project: str = "app", directory: str = "/src/app", day: int = 1) -> SessionMeta:
    """A session's metadata."""
    return SessionMeta(
        key=f"conversation/{name}",
        project=project,
        directory=directory,
        directories=(directory,),
        started_at=f"2026-05-{day:02d}T10:00:00Z",
        ended_at=f"2026-05-{day:02d}T11:00:00Z",
        client="github/cli",
        client_version="1.0.102",
        source="/home/x/.copilot",
    )


def learn(memory: Memory, session: SessionMeta, *texts: str, checkpoint: bytes = b"end") -> int:
    """Learn a session of alternating turns; return how many were new."""
    day = session.started_at[:11]
    with memory.importing(session) as importing:
        new = sum(
            importing.add_turn(
                Turn(
                    f"event-{number}",
                    "assistant" if number % 2 else "user",
                    text,
                    f"{day}10:{number:02d}:00Z",
                    number,
                )
            )
            for number, text in enumerate(texts)
        )
        importing.finish(session, checkpoint)
    return new


def work(memory: Memory, session: SessionMeta, *records: WorkRecord) -> None:
    """Add work records to a session."""
    with memory.importing(session) as importing:
        for record in records:
            importing.add_work(record)


def as_nobody(task: Callable[[], str]) -> str:
    """What `task` returns in a child that may not write everywhere, whoever runs the tests.

    Forked, not started: the interpreter itself may be in a folder of root's.
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
