"""`matrix.json`: the report for programs, complete in itself."""

import msgspec

from imprint.compat.claim import Kind, Statement, Tier
from imprint.compat.matrix import History
from imprint.compat.rendering import render
from imprint.compat.report.model import AreaView, ClaimView, Report
from imprint.compat.report.trial import Trial, Verdict, trials
from imprint.compat.values import Question

SCHEMA = 1


class Judged(Statement, frozen=True):
    """A document's statement with what came of it."""

    verdict: Verdict = Verdict.UNDECIDED


class PublishedClaim(msgspec.Struct, frozen=True, omit_defaults=True):
    """A claim; `answers` are histories by entry (the empty one: the claim itself) and platform."""

    id: str
    sentence: str
    kind: Kind
    tiers: tuple[Tier, ...]
    answers: dict[str, dict[str, History]]
    values: tuple[str, ...] = ()
    platform_independent: bool = False
    unit: str = ""
    blocked: str = ""
    decides: tuple[str, ...] = ()
    statements: tuple[Judged, ...] = ()


class PublishedArea(msgspec.Struct, frozen=True):
    """An area of the catalogue."""

    area: str
    title: str
    claims: tuple[PublishedClaim, ...]


class Published(msgspec.Struct, frozen=True):
    """The file; `releases` are in order, `asked` those that were asked, by platform."""

    schema: int
    program: str
    releases: tuple[str, ...]
    asked: dict[str, tuple[str, ...]]
    areas: tuple[PublishedArea, ...]


def published(report: Report) -> bytes:
    """The file's bytes."""
    by_claim: dict[str, list[Trial]] = {}
    for trial in trials(report):
        by_claim.setdefault(trial.claim.id, []).append(trial)
    areas = tuple(_area(report, area, by_claim) for area in report.areas)
    matrix = report.matrix
    return render(Published(SCHEMA, matrix.program, matrix.releases, report.asked, areas))


def _area(report: Report, area: AreaView, by_claim: dict[str, list[Trial]]) -> PublishedArea:
    claims = tuple(_claim(report, view, by_claim.get(view.claim.id, [])) for view in area.claims)
    return PublishedArea(area.name, area.title, claims)


def _claim(report: Report, view: ClaimView, found: list[Trial]) -> PublishedClaim:
    claim = view.claim
    return PublishedClaim(
        id=claim.id,
        sentence=claim.sentence,
        kind=claim.kind,
        tiers=claim.tiers,
        answers={
            entry: report.matrix.questions.get(str(Question(claim.id, entry)), {})
            or report.matrix.questions[claim.id]
            for line in view.lines
            for entry in line.entries
        },
        values=claim.values,
        platform_independent=claim.platform_independent,
        unit=claim.unit,
        blocked=claim.blocked,
        decides=tuple(dict.fromkeys(rule.decides for rule in claim.rules)),
        statements=tuple(
            Judged(one.statement.source, one.statement.says, one.statement.entry, one.verdict)
            for one in found
        ),
    )
