"""`matrix.md`: every question with its answers, release by release, for people."""

from collections.abc import Iterable, Sequence

from imprint.compat.claim import Claim
from imprint.compat.evidence import Basis
from imprint.compat.report import writing
from imprint.compat.report.model import AreaView, ClaimView, Line, Report
from imprint.compat.report.writing import count

_ABOUT = """\
# What Copilot CLI releases do

What an integration with GitHub Copilot stands on (hooks, MCP entries, instructions, the layout of
transcripts) is written down nowhere for all releases, and changes between them. Every answer here
was given by a real release of the Copilot CLI, run offline against a scripted model, with a
positive and a negative control beside it. How to ask a release yourself:
[docs/probes.md](../docs/probes.md). What is inferred from what:
[docs/compat.md](../docs/compat.md).
"""

_READING = """\
## How to read it

An answer stands behind the releases that it holds for, both ends included. Of releases before the
first one named in a row nothing is said: nobody asked them, and nothing is carried backward.

A table has a column for each platform on which any of its questions was asked. On every other
platform the answers of these are taken, except for questions that say "each platform for itself":
of them nothing is known there.
"""


def matrix_page(report: Report) -> bytes:
    """The page."""
    return writing.page(
        [
            *_ABOUT.splitlines(),
            "",
            *_summary(report),
            "",
            *_READING.splitlines(),
            "",
            *writing.table(("mark", "basis", "meaning"), writing.LEGEND),
            "## Areas",
            "",
            *_contents(report),
            "",
            *(line for area in report.areas for line in _area(area, tuple(report.asked))),
        ]
    )


def _summary(report: Report) -> Iterable[str]:
    claims = report.claims
    answered = sum(view.is_answered for view in claims)
    yield f"- {count(len(claims), 'question')}, {answered} of them answered."
    listed = len(report.matrix.releases)
    for platform, versions in report.asked.items():
        yield (
            f"- {platform}: {count(report.asked_on(platform), 'question')} asked, of "
            f"{len(versions)} of {count(listed, 'listed release')}: {', '.join(versions)}."
        )
    if report.unlisted:
        gone = ", ".join(report.unlisted)
        yield f"- Asked, and left out because npm lists them no longer: {gone}."
    yield "- What each release changed: [changes.md](changes.md)."
    yield "- Documents that say how Copilot is, put on trial: [seeds.md](seeds.md)."
    yield "- The same for programs: [matrix.json](matrix.json)."


def _contents(report: Report) -> Iterable[str]:
    for area in report.areas:
        answered = sum(view.is_answered for view in area.claims)
        yield f"- [{area.title}](#{area.name}): {answered} of {len(area.claims)} answered"


def _area(area: AreaView, platforms: Sequence[str]) -> Iterable[str]:
    yield writing.anchor(area.name)
    yield ""
    yield f"## {area.title}"
    yield ""
    asked = [view for view in area.claims if view.lines]
    here = {name for view in asked for line in view.lines for name in line.platforms}
    platforms = [name for name in platforms if name in here]
    yield from writing.table(
        ("question", *platforms), (row for view in asked for row in _rows(view, platforms))
    )
    yield from _unasked([view for view in area.claims if not view.lines])


def _rows(view: ClaimView, platforms: Sequence[str]) -> Iterable[tuple[str, ...]]:
    claim = view.claim
    head = f"{writing.anchor(claim.id)}{writing.cell(claim.sentence)}<br>`{claim.id}`"
    decides = writing.decisions(claim)
    beside = [f"Imprint decides {decides}"] if decides else []
    beside += [] if claim.platform_independent else ["each platform for itself"]
    if beside:
        head += f" ({'; '.join(beside)})"
    if len(view.lines) == 1 and view.lines[0].entries == ("",):
        yield (head, *_cells(claim, view.lines[0], platforms))
        return
    yield (head, *("" for _ in platforms))
    for line in view.lines:
        yield (f"↳ {writing.names(line.entries)}", *_cells(claim, line, platforms))


def _cells(claim: Claim, line: Line, platforms: Sequence[str]) -> Iterable[str]:
    independent = claim.platform_independent
    elsewhere = writing.MARKS[Basis.OTHER_PLATFORM] if independent else writing.NOT_ASKED
    return (
        writing.history(line.platforms[platform]) if platform in line.platforms else elsewhere
        for platform in platforms
    )


def _unasked(views: Sequence[ClaimView]) -> Iterable[str]:
    if not views:
        return
    yield "Not asked of any release:"
    yield ""
    for view in views:
        claim = view.claim
        why = f" Blocked: {claim.blocked}." if claim.blocked else ""
        sign = f"{writing.BLOCKED} " if claim.blocked else ""
        yield f"- {writing.anchor(claim.id)}{sign}{claim.sentence} `{claim.id}`.{why}"
    yield ""
