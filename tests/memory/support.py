"""What the memory's tests share: sessions to learn, and a child without root's rights."""

from imprint.memory import Memory, SessionMeta, Turn, WorkRecord


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
