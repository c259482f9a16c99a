"""What a judge says of one claim, and the controls that most judges share."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

import msgspec

from imprint.compat import Value
from imprint.observe.scene import BOGUS_EVENT
from imprint.observe.sessions import Seen

Facts = Mapping[str, object]
"""Evidence without ids, times, paths or words of chance: two runs of a release give the same."""


class SessionsByName(Protocol):
    """Where a judge gets its sessions from; `SessionUseless` where one proves nothing."""

    def __getitem__(self, name: str, /) -> Seen: ...


@dataclass(frozen=True, slots=True)
class Judged:
    """A value with the facts that it rests on; without one, `reason` says why in one word.

    `positive`: what must be found was found. `negative`: what must not be found was not.
    """

    value: Value | None
    facts: Facts
    positive: bool
    negative: bool
    reason: str = ""


Judge = Callable[[SessionsByName], Judged]

Snapshot = Callable[[SessionsByName], object]
"""The whole of what a judge gives the digest of."""

NOT_RUN = "hook-did-not-run"


def nothing_strange(*sessions: Seen) -> bool:
    """The negative control: no hook of an unknown event ran, and no unsaid word was heard."""
    return not any(
        seen.runs_of(BOGUS_EVENT) or seen.reached_model(seen.words.never) for seen in sessions
    )


def yes_or_no(is_so: bool) -> str:
    """The value of most claims."""
    return "yes" if is_so else "no"


def agreed(values: Iterable[str | None]) -> str | None:
    """The one value that all give; None for none, for several, or where one is missing."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def unjudged(reason: str, facts: Facts | None = None) -> Judged:
    """No answer, for a reason."""
    return Judged(None, facts or {}, positive=False, negative=False, reason=reason)


def digest(facts: object) -> str:
    """`sha256:` and the digest of facts as JSON, their keys in order."""
    return f"sha256:{sha256(msgspec.json.encode(facts, order='sorted')).hexdigest()}"
