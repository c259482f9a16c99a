"""What goes into the memory and what comes out of it."""

from dataclasses import dataclass
from typing import Literal, get_args

Role = Literal["user", "assistant", "summary"]
WorkKind = Literal["read", "write", "command", "failure", "modified"]
Kind = Literal[
    "user", "assistant", "summary", "note", "read", "write", "command", "failure", "modified"
]

ROLES: tuple[Role, ...] = get_args(Role)
WORK_KINDS: tuple[WorkKind, ...] = get_args(WorkKind)
TALK_KINDS: tuple[Kind, ...] = (*ROLES, "note")
"""What a search looks through unless it is told otherwise."""
ALL_KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class SessionMeta:
    """What is known of a session; times are ISO strings as recorded, empty where unknown.

    `key` is `conversation/<folder name>`; `directory` is the first recorded one, `directories`
    all of them; `source` says where it was learned from.
    """

    key: str
    project: str = ""
    directory: str = ""
    directories: tuple[str, ...] = ()
    started_at: str = ""
    ended_at: str = ""
    client: str = ""
    client_version: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message; `ordinal` is the byte offset of its event's line and orders the session."""

    event_id: str
    role: Role
    text: str
    timestamp: str = ""
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class WorkRecord:
    """Something that was done: `subject` is the path or the command, `detail` what came of it."""

    event_id: str
    kind: WorkKind
    subject: str
    detail: str = ""
    timestamp: str = ""
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result; `id` is stable while the entry lives, higher `score` is better.

    `role` is the turn's role, `note`, or the kind of a work record; `snippet` is the part of
    `text` around what matched, on one line.
    """

    id: int
    text: str
    role: str
    session: str
    project: str
    timestamp: str
    score: float
    snippet: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A learned session in a list."""

    key: str
    project: str
    directory: str
    started_at: str
    ended_at: str
    client: str
    client_version: str
    source: str
    turns: int
    work: int
    title: str


@dataclass(frozen=True, slots=True)
class SessionDetail:
    """A learned session with its turns in order."""

    row: SessionRow
    directories: tuple[str, ...]
    turns: tuple[Turn, ...]
    work: tuple[WorkRecord, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A text that somebody asked to be remembered; empty `project` holds everywhere."""

    id: str
    text: str
    project: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget` removed."""

    sessions: int
    turns: int
    work: int
    notes: int


@dataclass(frozen=True, slots=True)
class Transferred:
    """What `import_` added, and how many entries the store knew already."""

    sessions: int
    turns: int
    work: int
    notes: int
    known: int
