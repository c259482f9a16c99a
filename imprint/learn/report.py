"""What learning did, and what it did not, with the reason."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from imprint.learn.damage import Damage


class SkipReason(StrEnum):
    """Why a session was not learned; a closed list, part of `learn --json`."""

    NO_DIRECTORY = "no-directory"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not-included"
    EXCLUDED_CLIENT = "excluded-client"
    PAUSED = "paused"
    FORGOTTEN = "forgotten"
    BACKGROUND = "background"
    NO_TRANSCRIPT = "no-transcript"
    EMPTY = "empty"
    NO_TURNS = "no-turns"
    UNKNOWN_EVENTS = "unknown-events"
    COPY = "copy"
    DUPLICATE = "duplicate"
    UNSUPPORTED_LAYOUT = "unsupported-layout"
    UNREADABLE = "unreadable"


REASONS: dict[SkipReason, str] = {
    SkipReason.NO_DIRECTORY: "no working directory is recorded, so it belongs nowhere",
    SkipReason.EXCLUDED: "a recorded directory is excluded in config.toml",
    SkipReason.NOT_INCLUDED: "a recorded directory is not included in config.toml",
    SkipReason.EXCLUDED_CLIENT: "its client is excluded in config.toml",
    SkipReason.PAUSED: "learning is paused",
    SkipReason.FORGOTTEN: "it was forgotten on request",
    SkipReason.BACKGROUND: "Copilot started it by itself, in the background",
    SkipReason.NO_TRANSCRIPT: "the folder holds no events.jsonl",
    SkipReason.EMPTY: "the transcript is empty",
    SkipReason.NO_TURNS: "nobody said anything in it",
    SkipReason.UNKNOWN_EVENTS: "no event of it is known: the format may have changed",
    SkipReason.COPY: "a copy of another session, with nothing of its own",
    SkipReason.DUPLICATE: "another file of the same session is longer",
    SkipReason.UNSUPPORTED_LAYOUT: "an older or foreign layout that is not read",
    SkipReason.UNREADABLE: "the transcript cannot be read",
}
"""The reasons in words."""


class Gap(msgspec.Struct, frozen=True):
    """Copilot recorded another size of its transcript than what was read before that event.

    `what` is `events` or `bytes`; `ordinal` the byte offset of the event that says so.
    """

    what: str
    recorded: int
    read: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class SkippedSession:
    """A session that was not learned; `detail` says more where there is more to say.

    `path` and `detail` are text for people: bytes that are no UTF-8 are written as escapes.
    """

    key: str
    path: str
    reason: SkipReason
    detail: str = ""

    def __post_init__(self) -> None:
        for name in ("path", "detail"):
            object.__setattr__(self, name, printable(getattr(self, name)))


def printable(name: str) -> str:
    """A file name as text that can be stored: bytes that are no UTF-8 become escapes."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class LearnReport:
    """The outcome of one run. `turns` and `work` count what this run added.

    `learned` sessions have something new; `damage` and `gaps` are those of what was read now.
    """

    learned: int = 0
    unchanged: int = 0
    skipped_sessions: tuple[SkippedSession, ...] = ()
    turns: int = 0
    work: int = 0
    removed: int = 0
    damage: Damage = field(default_factory=Damage)
    gaps: tuple[tuple[str, Gap], ...] = ()
    waiting: int = 0
    rejected: int = 0

    @property
    def skipped(self) -> dict[SkipReason, int]:
        """How many sessions were skipped for which reason."""
        return dict(Counter(session.reason for session in self.skipped_sessions))

    @classmethod
    def together(cls, reports: Iterable["LearnReport"]) -> "LearnReport":
        """One report of several."""
        total = cls()
        for report in reports:
            total = cls(
                learned=total.learned + report.learned,
                unchanged=total.unchanged + report.unchanged,
                skipped_sessions=total.skipped_sessions + report.skipped_sessions,
                turns=total.turns + report.turns,
                work=total.work + report.work,
                removed=total.removed + report.removed,
                damage=total.damage.plus(report.damage),
                gaps=total.gaps + report.gaps,
                waiting=total.waiting + report.waiting,
                rejected=total.rejected + report.rejected,
            )
        return total
