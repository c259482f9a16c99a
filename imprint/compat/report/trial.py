"""The trial: what documents say of Copilot, against what releases answered."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from imprint.compat.claim import Claim, Statement
from imprint.compat.report.model import ClaimView, Report
from imprint.compat.stretches import Stretch


class Verdict(StrEnum):
    """What came of a statement; `undecided` where no release is known to answer its question."""

    TRUE = "true"
    FALSE = "false"
    DEPENDS = "depends on the release"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Trial:
    """A statement, and what is known of its question: platform by platform, oldest first."""

    claim: Claim
    statement: Statement
    history: tuple[Stretch, ...]

    @property
    def confirm(self) -> tuple[Stretch, ...]:
        """Where it is true."""
        return tuple(one for one in self.history if one.value == self.statement.says)

    @property
    def refute(self) -> tuple[Stretch, ...]:
        """Where it is not."""
        return tuple(one for one in self.history if one.value not in (None, self.statement.says))

    @property
    def open(self) -> tuple[Stretch, ...]:
        """Where that is not known, though older releases were asked."""
        return tuple(one for one in self.history if one.value is None)

    @property
    def verdict(self) -> Verdict:
        """Over all releases that are known to answer."""
        if self.confirm:
            return Verdict.DEPENDS if self.refute else Verdict.TRUE
        return Verdict.FALSE if self.refute else Verdict.UNDECIDED

    @property
    def why_undecided(self) -> str:
        """Why there is no verdict, empty where there is one."""
        if self.verdict is not Verdict.UNDECIDED:
            return ""
        if self.claim.blocked:
            return f"blocked: {self.claim.blocked}"
        return "asked without an answer" if self.open else "no release was asked"


def trials(report: Report) -> tuple[Trial, ...]:
    """Every statement of every claim, in the order of the catalogue."""
    return tuple(
        _trial(view, statement) for view in report.claims for statement in view.claim.statements
    )


def disagreements(found: Iterable[Trial]) -> tuple[tuple[Trial, ...], ...]:
    """Statements on one question that cannot all be true."""
    groups: dict[tuple[str, str], list[Trial]] = {}
    for one in found:
        groups.setdefault((one.claim.id, one.statement.entry), []).append(one)
    return tuple(
        tuple(group) for group in groups.values() if len({one.statement.says for one in group}) > 1
    )


def _trial(view: ClaimView, statement: Statement) -> Trial:
    return Trial(
        view.claim,
        statement,
        tuple(
            stretch
            for line in view.lines
            if statement.entry in line.entries
            for stretches in line.platforms.values()
            for stretch in stretches
            if not stretch.is_beyond
        ),
    )
