"""Neighbouring releases with one answer: how people read the matrix."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from imprint.compat.catalogue import Catalogue
from imprint.compat.cells import Cell, cells
from imprint.compat.evidence import Basis, Reason, weakest
from imprint.compat.matrix import Matrix
from imprint.compat.values import Question, Value

BEYOND = frozenset({Reason.BEFORE_THE_FIRST, Reason.NO_ROWS})
"""Nobody asked there: no answer, and no doubt about one either."""

_SEEN = frozenset({Basis.OBSERVED, Basis.BRACKETED})


class Stretch(msgspec.Struct, frozen=True):
    """Releases from `first` to `last` (`from` and `to` in JSON) with one answer to one question.

    `basis` is that of the weakest release in it; `observed_in` are the releases that were asked.
    `value` is None where the answer is unknown, and `reason` says why.
    """

    claim: str
    platform: str
    first: str = msgspec.field(name="from")
    last: str = msgspec.field(name="to")
    value: Value | None
    basis: Basis
    observed_in: tuple[str, ...]
    reason: Reason | None

    @property
    def is_beyond(self) -> bool:
        """Whether no release here was asked, nor any before it."""
        return self.reason in BEYOND

    @property
    def span(self) -> str:
        """The releases, as people write them."""
        return self.first if self.first == self.last else f"{self.first} to {self.last}"


def stretches_of(
    catalogue: Catalogue, matrix: Matrix, questions: Iterable[Question], platform: str
) -> tuple[Stretch, ...]:
    """The stretches of each question over every listed release, oldest first."""
    return tuple(
        stretch
        for question in questions
        for stretch in stretches(cells(catalogue, matrix, [question], matrix.releases, platform))
    )


def stretches(found: Sequence[Cell]) -> tuple[Stretch, ...]:
    """Cells of one question and platform, one per release in order, put together."""
    runs: list[list[Cell]] = []
    for cell in found:
        if runs and _is_like(runs[-1][-1], cell):
            runs[-1].append(cell)
        else:
            runs.append([cell])
    return tuple(_stretch(run) for run in runs)


def alike(
    histories: Mapping[str, tuple[Stretch, ...]],
) -> tuple[tuple[tuple[str, ...], tuple[Stretch, ...]], ...]:
    """Names whose stretches say the same, together with those of the first of them."""
    groups: list[tuple[list[str], tuple[Stretch, ...]]] = []
    for name, own in histories.items():
        for names, others in groups:
            if _say_the_same(own, others):
                names.append(name)
                break
        else:
            groups.append(([name], own))
    return tuple((tuple(names), own) for names, own in groups)


def _is_like(one: Cell, other: Cell) -> bool:
    return (
        one.value == other.value
        and one.reason == other.reason
        and (one.basis == other.basis or {one.basis, other.basis} <= _SEEN)
    )


def _stretch(run: Sequence[Cell]) -> Stretch:
    first = run[0]
    return Stretch(
        claim=first.claim,
        platform=first.platform,
        first=first.version,
        last=run[-1].version,
        value=first.value,
        basis=weakest(cell.basis for cell in run),
        observed_in=tuple(dict.fromkeys(seen for cell in run for seen in cell.observed_in)),
        reason=first.reason,
    )


def _say_the_same(one: tuple[Stretch, ...], other: tuple[Stretch, ...]) -> bool:
    return len(one) == len(other) and all(
        msgspec.structs.replace(mine, claim=theirs.claim) == theirs
        for mine, theirs in zip(one, other, strict=True)
    )
