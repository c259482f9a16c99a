"""The tools: their arguments, what they do, how they are listed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from imprint.base.errors import UsageError
from imprint.mcp_server.answers import (
    NOTICE,
    Answer,
    hit_data,
    hit_text,
    row_data,
    session_answer,
)
from imprint.memory import Memory, StoreMissing, UnknownItem

_Limit = Annotated[int, msgspec.Meta(ge=1, le=50)]


class Recall(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `recall`."""

    query: Annotated[str, msgspec.Meta(description="A few telling words; all of them must occur.")]
    limit: Annotated[_Limit, msgspec.Meta(description="How many results at most.")] = 10
    project: Annotated[
        str | None, msgspec.Meta(description="Only this project: its name or its directory.")
    ] = None


class Remember(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `remember`."""

    text: Annotated[str, msgspec.Meta(description="What to keep, in words that stand alone.")]
    project: Annotated[
        str | None,
        msgspec.Meta(description="The project (name or directory) it holds for; else everywhere."),
    ] = None


class Forget(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `forget`: exactly one of them."""

    session: Annotated[str | None, msgspec.Meta(description="A session's id.")] = None
    note: Annotated[str | None, msgspec.Meta(description="A note's id.")] = None


class Sessions(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `sessions`."""

    limit: Annotated[_Limit, msgspec.Meta(description="How many sessions at most.")] = 10


class Session(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `session`."""

    id: Annotated[str, msgspec.Meta(description="The session's id, as `recall` gives it.")]


@dataclass(frozen=True, slots=True)
class World:
    """Where the server runs: the store, and the directory of the client that started it."""

    store: Path
    directory: str


def recall(world: World, arguments: Recall) -> Answer:
    """Search the memory."""
    try:
        with Memory.open(world.store, create=False) as memory:
            hits = memory.search(
                arguments.query,
                limit=arguments.limit,
                project=arguments.project,
                prefer=world.directory or None,
            )
    except StoreMissing:
        hits = []
    if not hits:
        return Answer("Nothing in the memory fits.", {"notice": NOTICE, "hits": []})
    text = "\n\n".join([NOTICE, *map(hit_text, hits)])
    return Answer(text, {"notice": NOTICE, "hits": [hit_data(hit) for hit in hits]})


def remember(world: World, arguments: Remember) -> Answer:
    """Keep a note."""
    with Memory.open(world.store) as memory:
        note = memory.remember(arguments.text, arguments.project)
    return Answer(f"Remembered as {note}.", {"note": note})


def forget(world: World, arguments: Forget) -> Answer:
    """Remove a session or a note."""
    try:
        with Memory.open(world.store, create=False) as memory:
            session = _session_key(arguments.session) if arguments.session else None
            gone = memory.forget(session=session, note=arguments.note)
    except StoreMissing:
        raise UnknownItem("the memory is empty") from None
    data = {"sessions": gone.sessions, "turns": gone.turns, "work": gone.work, "notes": gone.notes}
    return Answer(
        f"Forgot {gone.sessions} sessions ({gone.turns} turns) and {gone.notes} notes.", data
    )


def sessions(world: World, arguments: Sessions) -> Answer:
    """List the latest sessions."""
    try:
        with Memory.open(world.store, create=False) as memory:
            rows = memory.sessions(arguments.limit)
    except StoreMissing:
        rows = []
    if not rows:
        return Answer("The memory is empty.", {"notice": NOTICE, "sessions": []})
    lines = [f"- {row.key} ({row.started_at[:16]}, {row.project}): {row.title}" for row in rows]
    return Answer(
        "\n".join([NOTICE, *lines]),
        {"notice": NOTICE, "sessions": [row_data(row) for row in rows]},
    )


def session(world: World, arguments: Session) -> Answer:
    """Give a session's turns."""
    key = _session_key(arguments.id)
    try:
        with Memory.open(world.store, create=False) as memory:
            found = memory.session(key)
    except StoreMissing:
        found = None
    if found is None:
        raise UnknownItem(f"there is no session {key}", fix="the tool `sessions` lists them")
    return session_answer(found)


def _session_key(given: str) -> str:
    return given if "/" in given else f"conversation/{given}"


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as it is listed and called."""

    title: str
    description: str
    arguments: type[msgspec.Struct]
    call: Callable[[World, Any], Answer]
    read_only: bool = True
    destructive: bool = False


OFFERS: Mapping[str, Offer] = {
    "recall": Offer(
        "Search the memory",
        "Find what was said in earlier conversations with this user, and notes that were kept.",
        Recall,
        recall,
    ),
    "remember": Offer(
        "Keep a note",
        "Keep something that the user wants remembered in later conversations.",
        Remember,
        remember,
        read_only=False,
    ),
    "forget": Offer(
        "Forget",
        "Remove one session with all that was learned from it, or one note. Cannot be undone.",
        Forget,
        forget,
        read_only=False,
        destructive=True,
    ),
    "sessions": Offer(
        "List conversations", "List the latest remembered conversations.", Sessions, sessions
    ),
    "session": Offer(
        "Read a conversation", "Read the turns of one remembered conversation.", Session, session
    ),
}


def call(world: World, name: str, arguments: Mapping[str, object]) -> Answer:
    """Call a tool; every `ImprintError` is meant for the caller."""
    offer = OFFERS.get(name)
    if offer is None:
        raise UsageError(f"there is no tool {name}", fix=f"there are {', '.join(OFFERS)}")
    try:
        typed = msgspec.convert(arguments, offer.arguments)
    except msgspec.ValidationError as error:
        raise UsageError(f"the arguments of {name} do not fit: {error}") from error
    return offer.call(world, typed)
