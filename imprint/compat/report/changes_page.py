"""`changes.md`: what each release that was asked changed against the one asked before it."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from imprint.compat.cells import Cell, Change, question_of, together
from imprint.compat.decide import decide
from imprint.compat.evidence import Reason
from imprint.compat.observation import Observations, judge_all
from imprint.compat.report import writing
from imprint.compat.report.model import Report
from imprint.compat.values import Value
from imprint.compat.versions import line_of

_ABOUT = """\
# What each Copilot CLI release changed

Each release that was asked is compared with the one asked before it, newest first: only questions
that both answered. A change may have come with any of the releases between the two.
What a question means: [matrix.md](matrix.md).
"""

NOTHING = "Nothing changed."


def changes_page(report: Report) -> bytes:
    """The page."""
    return writing.page(
        [
            *_ABOUT.splitlines(),
            "",
            *(
                line
                for platform, versions in report.asked.items()
                for before, after in reversed(list(pairwise(versions)))
                for line in _section(report, platform, before, after)
            ),
        ]
    )


def _section(report: Report, platform: str, before: str, after: str) -> Iterable[str]:
    found = report.difference(platform, before, after)
    yield f"## {after} ({platform})"
    yield ""
    yield f"Against {before}{_between(report, before, after)}."
    yield ""
    if not found.changes:
        yield NOTHING
        yield ""
    yield from writing.table(
        ("question", before, after, "what Imprint does"),
        (_row(report, group) for group in together(found.changes)),
    )
    yield from _unjudged(report, platform, after)


def _between(report: Report, before: str, after: str) -> str:
    inner = line_of(report.matrix.releases).between(before, after)[1:-1]
    if not inner:
        return ", the release before it"
    named = inner if len(inner) <= 6 else (*inner[:2], "…", *inner[-2:])
    return f"; between them, not asked: {', '.join(named)}"


def _row(report: Report, group: Sequence[Change]) -> tuple[str, ...]:
    first = group[0]
    entries = tuple(question_of(change).entry for change in group)
    claim = report.catalogue[question_of(first).claim]
    before, after = _contrast(first.before.value, first.after.value)
    return (
        f"{writing.cell(claim.sentence)}<br>{writing.claim_link(claim.id, entries)}",
        before,
        after,
        _decided(report, claim.id, first.before, first.after),
    )


def _contrast(before: Value | None, after: Value | None) -> tuple[str, str]:
    """Two values; of lists only what is in one of them."""
    if isinstance(before, list) and isinstance(after, list):
        gone = [name for name in before if name not in after]
        new = [name for name in after if name not in before]
        return (
            f"{writing.value(gone)} (of {len(before)})",
            f"{writing.value(new)} (of {len(after)})",
        )
    return _said(before), _said(after)


def _said(found: Value | None) -> str:
    return "unknown" if found is None else writing.value(found)


def _decided(report: Report, claim: str, before: Cell, after: Cell) -> str:
    """The decisions that the change turns: before, then after."""
    found = report.catalogue[claim]
    turned = []
    for name in dict.fromkeys(rule.decides for rule in found.rules):
        if found.rule(name, _system(before.platform)) is None:
            continue
        old, new = (
            decide(found, one.version, one.platform, report.matrix, decides=name)
            for one in (before, after)
        )
        if old.action != new.action:
            turned.append(f"`{name}`: {writing.code(old.action)}, now {writing.code(new.action)}")
    return "<br>".join(turned)


def _system(platform: str) -> str:
    return "linux" if platform.startswith("linux") else platform.partition("-")[0]


def _unjudged(report: Report, platform: str, version: str) -> Iterable[str]:
    """The questions that the release was asked in vain, and why."""
    found = [
        f"{writing.claim_link(claim, entries)} ({why})"
        for run in report.observations
        if (run.run.version, run.run.platform) == (version, platform)
        for (claim, why), entries in _in_vain(run).items()
    ]
    if found:
        yield f"Asked without an answer: {'; '.join(found)}."
        yield ""


def _in_vain(run: Observations) -> dict[tuple[str, str], list[str]]:
    """Entries by claim and reason; what a row says itself is told before the general reason."""
    said = {row.claim: row.reason for row in run.rows}
    found: dict[tuple[str, str], list[str]] = {}
    for question, (verdict, _) in judge_all(run).items():
        if isinstance(verdict, Reason):
            why = said.get(question.claim) or verdict.value
            found.setdefault((question.claim, why), []).append(question.entry)
    return found
