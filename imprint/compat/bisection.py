"""Where an answer changes: only what halves the interval is asked. Pure; who asks is passed in."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from imprint.compat.values import Value
from imprint.compat.versions import Line


@dataclass(frozen=True, slots=True)
class Step:
    """One release's answer; `why` says why there is none. `is_recorded`: nobody had to ask."""

    version: str
    value: Value | None
    why: str = ""
    is_recorded: bool = False


class Outcome(StrEnum):
    """What came of it."""

    CHANGES = "changes"
    AGREE = "the ends agree"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Bisection:
    """`before` and `after` are the closest releases known to differ, where the answer changes.

    `unjudged` are releases between the two that gave no answer; `elsewhere` are further pairs
    of releases, in the interval that was asked about, between which the answer changes too.
    """

    outcome: Outcome
    before: Step
    after: Step
    steps: tuple[Step, ...]
    unjudged: tuple[str, ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()


Ask = Callable[[str], Step]


def bisect(
    line: Line,
    first: str,
    last: str,
    ask: Ask,
    *,
    recorded: Mapping[str, Value],
    offered: Collection[str],
) -> Bisection:
    """Find a change of the answer between two releases, both listed and the first older.

    `recorded` answers are taken as they are; releases that are not `offered` can't be asked. One
    that gives no answer is left out, and another is asked instead: nothing is guessed.
    """
    search = _Search(line, ask, recorded, set(offered), {})
    before, after = search.look(first), search.look(last)
    if before.value is None or after.value is None:
        return search.end(Outcome.UNDECIDED, before, after)
    pairs = search.recorded_changes(first, last)
    if not pairs:
        return search.end(Outcome.AGREE, before, after)
    (older, newer), *others = pairs
    return search.narrow(search.look(older), search.look(newer), tuple(others))


@dataclass(slots=True)
class _Search:
    line: Line
    ask: Ask
    recorded: Mapping[str, Value]
    offered: set[str]
    steps: dict[str, Step]

    def look(self, version: str) -> Step:
        """The release's answer, asked for at most once."""
        if version not in self.steps:
            known = self.recorded.get(version)
            self.steps[version] = (
                self.ask(version) if known is None else Step(version, known, is_recorded=True)
            )
        return self.steps[version]

    def recorded_changes(self, first: str, last: str) -> list[tuple[str, str]]:
        """Neighbours among the ends and what is recorded between them that answer differently."""
        inner = [one for one in self.line.between(first, last)[1:-1] if one in self.recorded]
        answered = [self.look(one) for one in (first, *inner, last)]
        return [
            (one.version, other.version)
            for one, other in pairwise(answered)
            if one.value != other.value
        ]

    def narrow(self, before: Step, after: Step, others: tuple[tuple[str, str], ...]) -> Bisection:
        """Halve the interval until nothing in it can be asked."""
        while (middle := self._middle(before.version, after.version)) is not None:
            step = self.look(middle)
            if step.value is None:
                continue
            if step.value == before.value:
                before = step
            elif step.value == after.value:
                after = step
            else:  # a third answer: there is a change on either side of it
                others = ((middle, after.version), *others)
                after = step
        return self.end(Outcome.CHANGES, before, after, others)

    def _middle(self, first: str, last: str) -> str | None:
        """The release closest to the middle that can be asked and was not."""
        inner = self.line.between(first, last)[1:-1]
        open_ones = [
            (abs(2 * place - len(inner) + 1), version)
            for place, version in enumerate(inner)
            if version not in self.steps and version in self.offered
        ]
        return min(open_ones, key=lambda one: one[0])[1] if open_ones else None

    def end(
        self,
        outcome: Outcome,
        before: Step,
        after: Step,
        elsewhere: tuple[tuple[str, str], ...] = (),
    ) -> Bisection:
        between = self.line.between(before.version, after.version)[1:-1]
        unjudged = between if outcome is Outcome.CHANGES else ()
        return Bisection(
            outcome, before, after, tuple(self.steps.values()), tuple(unjudged), elsewhere
        )
