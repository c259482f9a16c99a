"""`seeds.md`: for which releases each statement of a document is true."""

from collections import Counter
from collections.abc import Iterable, Sequence

from imprint.compat.report import writing
from imprint.compat.report.model import Report
from imprint.compat.report.trial import Trial, Verdict, disagreements, trials

_ABOUT = """\
# The seeds on trial

Imprint began with four documents about Copilot. They contradict each other, and some of what they
say was true of one release only. Here each statement stands beside what releases answered when they
were asked. The marks are explained in [matrix.md](matrix.md#how-to-read-it).
"""

_SEEDS = {
    "ADR": "ADR 0057: the Copilot home is GitHub Copilot's store, configuration and hook root",
    "AH": "AgentiHooks: GitHub Copilot CLI as a target (written for 1.0.79-6 to 1.0.83)",
    "DC": "deja: Copilot CLI",
    "DV": "deja: VS Code Copilot Chat",
}

_SIGNS = {
    Verdict.TRUE: "true",
    Verdict.FALSE: "**false**",
    Verdict.DEPENDS: "**depends on the release**",
}


def seeds_page(report: Report) -> bytes:
    """The page."""
    found = trials(report)
    sources = dict.fromkeys(_seed(one) for one in found)
    return writing.page(
        [
            *_ABOUT.splitlines(),
            "",
            *_platforms(report),
            *_summary(found),
            *_quarrels(disagreements(found)),
            *(
                line
                for source in sorted(sources)
                for line in _section(source, [one for one in found if _seed(one) == source])
            ),
        ]
    )


def _platforms(report: Report) -> Iterable[str]:
    """Where a question was not asked, nothing of it is on trial."""
    if not report.asked:
        return
    asked = ", ".join(f"{report.asked_on(platform)} on {platform}" for platform in report.asked)
    yield f"Questions asked: {asked}."
    yield "A statement is judged by the platforms on which its question was asked; where these are"
    yield "several, each is named beside its releases."
    yield ""


def _seed(trial: Trial) -> str:
    return trial.statement.source.partition(" ")[0]


def _summary(found: Sequence[Trial]) -> Iterable[str]:
    by_seed: dict[str, Counter[Verdict]] = {}
    for one in found:
        by_seed.setdefault(_seed(one), Counter())[one.verdict] += 1
    rows = [
        (
            f"[{source}](#{source})",
            writing.cell(_SEEDS.get(source, source)),
            *(str(by_seed[source][verdict]) for verdict in Verdict),
        )
        for source in sorted(by_seed)
    ]
    return writing.table(("", "document", *(verdict.value for verdict in Verdict)), rows)


def _quarrels(groups: Sequence[tuple[Trial, ...]]) -> Iterable[str]:
    if not groups:
        return
    yield "## Where they contradict each other"
    yield ""
    yield from writing.table(
        ("question", "they say", "releases answered"), (_quarrel(group) for group in groups)
    )


def _quarrel(group: Sequence[Trial]) -> tuple[str, ...]:
    first = group[0]
    said = "<br>".join(
        f"{one.statement.source}: {writing.code(one.statement.says)}" for one in group
    )
    answered = writing.history(first.history) if first.history else first.why_undecided
    return (_question(first), said, answered)


def _section(source: str, found: Sequence[Trial]) -> Iterable[str]:
    yield writing.anchor(source)
    yield ""
    yield f"## {_SEEDS.get(source, source)}"
    yield ""
    decided = [one for one in found if one.verdict is not Verdict.UNDECIDED]
    yield from writing.table(
        ("section", "question", "it says", "verdict", "true for", "false for", "unknown for"),
        (_row(one) for one in decided),
    )
    yield from _undecided([one for one in found if one.verdict is Verdict.UNDECIDED])


def _undecided(found: Sequence[Trial]) -> Iterable[str]:
    if not found:
        return
    yield "Undecided:"
    yield ""
    groups: dict[tuple[str, str, str], list[Trial]] = {}
    for one in found:
        groups.setdefault((_place(one), one.claim.id, one.why_undecided), []).append(one)
    for (section, claim, why), group in groups.items():
        where = f"{section}: " if section else ""
        sentence = writing.cell(group[0].claim.sentence)
        said = ", ".join(_said(one) for one in group)
        yield f"- {where}{sentence} {writing.claim_link(claim)}: it says {said} ({why})"
    yield ""


def _said(trial: Trial) -> str:
    entry, says = trial.statement.entry, writing.code(trial.statement.says)
    return f"{says} of {writing.code(entry)}" if entry else says


def _place(trial: Trial) -> str:
    """The section of the document, empty where it has none."""
    return writing.cell(trial.statement.source.partition(" ")[2])


def _row(trial: Trial) -> tuple[str, ...]:
    return (
        _place(trial) or "-",
        _question(trial),
        writing.code(trial.statement.says),
        _SIGNS[trial.verdict],
        writing.spans(trial.confirm),
        writing.spans(trial.refute),
        writing.spans(trial.open),
    )


def _question(trial: Trial) -> str:
    entry = trial.statement.entry
    link = writing.claim_link(trial.claim.id, [entry] if entry else ())
    return f"{writing.cell(trial.claim.sentence)}<br>{link}"
