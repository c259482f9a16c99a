"""From observations to spans.

An unknown is never a no; nothing is carried backward; an answer that was observed never changes
for what another release answers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from imprint.compat.evidence import Basis, Evidence, Reason, least
from imprint.compat.matrix import SCHEMA, History, Matrix, Span, Unjudged
from imprint.compat.observation import Judged, Observations, judge_all
from imprint.compat.values import Question, Value
from imprint.compat.versions import Line

Verdicts = Mapping[str, tuple[Judged, Evidence]]
"""By version: what a release that was asked answered, with the tier of the evidence."""


@dataclass(frozen=True, slots=True)
class _Answer:
    version: str
    value: Value
    tier: Evidence


def build_matrix(program: str, line: Line, files: Iterable[Observations]) -> Matrix:
    """The matrix of all runs that count; void runs and unlisted releases are left out."""
    collected: dict[Question, dict[str, dict[str, tuple[Judged, Evidence]]]] = {}
    for file in files:
        version, platform = file.run.version, file.run.platform
        if file.run.program != program or version not in line:
            continue
        for question, verdict in judge_all(file).items():
            collected.setdefault(question, {}).setdefault(platform, {})[version] = verdict
    questions = {
        str(question): {
            platform: history(line, verdicts) for platform, verdicts in sorted(platforms.items())
        }
        for question, platforms in sorted(_with_whole_rows(collected).items())
    }
    return Matrix(SCHEMA, program, line.versions, questions)


def _with_whole_rows(
    collected: dict[Question, dict[str, dict[str, tuple[Judged, Evidence]]]],
) -> dict[Question, dict[str, dict[str, tuple[Judged, Evidence]]]]:
    """A table that could not be judged as a whole: none of its entries could, in that release."""
    for question in [question for question in collected if question.entry]:
        for platform, verdicts in collected.get(Question(question.claim), {}).items():
            own = collected[question].setdefault(platform, {})
            for version, verdict in verdicts.items():
                own.setdefault(version, verdict)
    return collected


def history(line: Line, verdicts: Verdicts) -> History:
    """The spans of one question on one platform."""
    answers = [
        _Answer(version, verdict, tier)
        for version, (verdict, tier) in _by_age(line, verdicts)
        if not isinstance(verdict, Reason)
    ]
    unjudged = tuple(
        Unjudged(version, verdict)
        for version, (verdict, _) in _by_age(line, verdicts)
        if isinstance(verdict, Reason)
    )
    runs = _runs(line, answers, {one.version: one.reason for one in unjudged})
    values = {answer.version: answer.value for answer in answers}
    spans = [_span(line, run, values) for run in runs]
    projected = _projected(line, answers, unjudged)
    return History((*spans, *projected), unjudged)


def _by_age(line: Line, verdicts: Verdicts) -> list[tuple[str, tuple[Judged, Evidence]]]:
    return sorted(verdicts.items(), key=lambda item: line.place(item[0]))


def _runs(
    line: Line, answers: list[_Answer], unjudged: Mapping[str, Reason]
) -> list[list[_Answer]]:
    """Neighbouring answers that agree, cut where a release between could not be judged."""
    runs: list[list[_Answer]] = []
    for answer in answers:
        last = runs[-1][-1] if runs else None
        joined = last is not None and _same(last.value, answer.value)
        if last is not None and joined:
            joined = unjudged.keys().isdisjoint(line.between(last.version, answer.version))
        if joined:
            runs[-1].append(answer)
        else:
            runs.append([answer])
    return runs


def _span(line: Line, run: list[_Answer], values: Mapping[str, Value]) -> Span:
    first, last = run[0].version, run[-1].version
    complete = len(run) == len(line.between(first, last))
    return Span(
        first=first,
        last=last,
        value=run[0].value,
        basis=Basis.OBSERVED if complete else Basis.BRACKETED,
        tier=least(answer.tier for answer in run),
        observed=tuple(answer.version for answer in run),
        from_open=_is_open(line.before(first), values),
        to_open=_is_open(line.after(last), values),
    )


def _is_open(neighbour: str | None, values: Mapping[str, Value]) -> bool:
    """An end is closed by a neighbour that was seen to answer otherwise, and by nothing else."""
    return neighbour is None or neighbour not in values


def _projected(
    line: Line, answers: list[_Answer], unjudged: tuple[Unjudged, ...]
) -> tuple[Span, ...]:
    """Releases newer than the newest that was asked, if that one answered."""
    if not answers:
        return ()
    newest = answers[-1]
    first = line.after(newest.version)
    if first is None or any(
        line.place(one.version) > line.place(newest.version) for one in unjudged
    ):
        return ()
    span = Span(
        first=first,
        last=line.versions[-1],
        value=newest.value,
        basis=Basis.PROJECTED,
        tier=newest.tier,
        observed=(newest.version,),
        from_open=True,
        to_open=True,
    )
    return (span,)


def _same(one: Value, other: Value) -> bool:
    return one == other
