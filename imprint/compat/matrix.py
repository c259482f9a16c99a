"""The matrix: everything that was observed, as spans of releases with one answer."""

from dataclasses import dataclass

import msgspec

from imprint.compat.evidence import Basis, Evidence, Reason
from imprint.compat.values import Value

SCHEMA = 1


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Releases with one answer, `first` and `last` included (`from` and `to` in JSON).

    `observed` are those of them that were asked. `basis` is that of the weakest release in it.
    An end is open where the release next to it was not seen to answer otherwise: the answer may
    hold beyond it, which nobody knows.
    """

    first: str = msgspec.field(name="from")
    last: str = msgspec.field(name="to")
    value: Value
    basis: Basis
    tier: Evidence
    observed: tuple[str, ...]
    from_open: bool
    to_open: bool


class Unjudged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A release that was asked without an answer."""

    version: str
    reason: Reason


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answers to one question on one platform, oldest first."""

    spans: tuple[Span, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()


class Matrix(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Histories by question (`id` or `id[Entry]`) and platform; `releases` is the order."""

    schema: int
    program: str
    releases: tuple[str, ...]
    questions: dict[str, dict[str, History]]


@dataclass(frozen=True, slots=True)
class UnreadableMatrix:
    """A matrix that is missing, damaged or of another schema: every question is unknown."""

    why: str
