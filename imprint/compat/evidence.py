"""How an answer came about, and what it is worth."""

from collections.abc import Iterable
from enum import StrEnum


class Evidence(StrEnum):
    """What was looked at, weakest first: files, the loader, an offline session, an account."""

    STATIC = "static"
    LOADER = "loader"
    LIVE_OFFLINE = "live-offline"
    ACCOUNT = "account"


class Basis(StrEnum):
    """What an answer rests on, strongest first.

    `local`: this very executable was asked; `observed`: this release was; `bracketed`: the nearest
    releases asked on both sides agree; `projected`: the newest one asked is older;
    `other-platform`: another platform was asked, and the claim is the same on all; `none`: unknown.
    """

    LOCAL = "local"
    OBSERVED = "observed"
    BRACKETED = "bracketed"
    PROJECTED = "projected"
    OTHER_PLATFORM = "other-platform"
    NONE = "none"

    @property
    def rank(self) -> int:
        """0 is the strongest."""
        return tuple(Basis).index(self)


def weakest(bases: Iterable[Basis]) -> Basis:
    """The basis of a conclusion from several answers."""
    return max(bases, key=lambda basis: basis.rank, default=Basis.NONE)


def least(tiers: Iterable[Evidence]) -> Evidence:
    """The tier of a conclusion from several answers; `ValueError` for none."""
    return min(tiers, key=tuple(Evidence).index)


class Reason(StrEnum):
    """Why there is no answer: every refusal to conclude has one."""

    NO_ROWS = "no-rows"
    BEFORE_THE_FIRST = "before-the-first"
    IN_DOUBT = "in-doubt"
    MIXED = "mixed"
    INCONCLUSIVE = "inconclusive"
    BLOCKED = "blocked"
    UNLISTED = "unlisted-version"
    NO_VERSION = "no-version"
    PLATFORMS_DISAGREE = "platforms-disagree"
    UNREADABLE = "unreadable-matrix"

    @property
    def meaning(self) -> str:
        """The reason as the end of a sentence."""
        return _MEANINGS[self]


_MEANINGS = {
    Reason.NO_ROWS: "no release was asked",
    Reason.BEFORE_THE_FIRST: "only newer releases were asked, and nothing is carried backward",
    Reason.IN_DOUBT: "the releases asked before and after it do not settle it",
    Reason.MIXED: "the release gave different answers in different attempts",
    Reason.INCONCLUSIVE: "the release was asked, but the run proved nothing",
    Reason.BLOCKED: "the release could not be asked",
    Reason.UNLISTED: "the release is not on the list of releases",
    Reason.NO_VERSION: "the version of the Copilot in question is not known",
    Reason.PLATFORMS_DISAGREE: "other platforms give different answers",
    Reason.UNREADABLE: "the compat matrix cannot be read",
}
