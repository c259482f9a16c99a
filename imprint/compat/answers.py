"""One question, one release, one platform: what the matrix answers, and on what basis."""

from collections.abc import Iterable
from dataclasses import dataclass

from imprint.compat.claim import Claim
from imprint.compat.evidence import Basis, Evidence, Reason
from imprint.compat.matrix import History, Matrix, Span, UnreadableMatrix
from imprint.compat.observation import Observations, judge_all
from imprint.compat.values import Question, Value
from imprint.compat.versions import Line, line_of


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or why there is none: `reason` is set where `value` is None.

    `observed_in` are the releases whose observation it rests on, `on` the platform they ran on.
    """

    question: Question
    version: str
    platform: str
    value: Value | None = None
    basis: Basis = Basis.NONE
    tier: Evidence | None = None
    observed_in: tuple[str, ...] = ()
    on: str = ""
    reason: Reason | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is a value."""
        return self.value is not None


@dataclass(frozen=True, slots=True)
class Local:
    """What was seen here: it wins for the executable with this digest, and for no other."""

    executable: str
    observations: tuple[Observations, ...] = ()


def answer(
    claim: Claim,
    entry: str,
    version: str | None,
    platform: str,
    matrix: Matrix | UnreadableMatrix,
    local: Local | None = None,
) -> Answer:
    """The answer to `claim[entry]`; local observations first, another platform's last."""
    question = Question(claim.id, entry)
    seen = _locally(question, version or "", platform, local) if local else None
    if seen is not None:
        return seen
    if version is None:
        return Answer(question, "", platform, reason=Reason.NO_VERSION)
    if isinstance(matrix, UnreadableMatrix):
        return Answer(question, version, platform, reason=Reason.UNREADABLE)
    if version not in matrix.releases:
        return Answer(question, version, platform, reason=Reason.UNLISTED)
    return _from_matrix(claim, question, version, platform, matrix)


def _locally(question: Question, version: str, platform: str, local: Local) -> Answer | None:
    """The newest local observation of this executable; None where it says nothing about it."""
    runs = [
        one
        for one in local.observations
        if one.run.executable_before == local.executable and one.run.platform == platform
    ]
    for one in sorted(runs, key=lambda one: one.run.ended_at, reverse=True):
        found = judge_all(one, question.claim).get(question)
        if found is None:
            continue
        verdict, tier = found
        ran = version or one.run.version
        if verdict is Reason.MIXED:
            return Answer(question, ran, platform, reason=Reason.MIXED)
        if not isinstance(verdict, Reason):
            basis, where = Basis.LOCAL, (one.run.version,)
            return Answer(question, ran, platform, verdict, basis, tier, where, platform)
    return None


def _from_matrix(
    claim: Claim, question: Question, version: str, platform: str, matrix: Matrix
) -> Answer:
    histories = matrix.questions.get(str(question)) or matrix.questions.get(claim.id) or {}
    own = _in_history(question, version, platform, histories.get(platform), matrix)
    if own.is_known or not claim.platform_independent or own.reason in _OWN_REFUSALS:
        return own
    others = [
        _in_history(question, version, other, history, matrix)
        for other, history in sorted(histories.items())
        if other != platform
    ]
    return _from_others(own, [other for other in others if other.is_known])


_OWN_REFUSALS = frozenset({Reason.MIXED, Reason.INCONCLUSIVE, Reason.BLOCKED})
"""The platform itself was asked at this release: another one does not overrule it."""


def _from_others(own: Answer, others: list[Answer]) -> Answer:
    if not others:
        return own
    if any(other.value != others[0].value for other in others):
        reason = Reason.PLATFORMS_DISAGREE
        return Answer(own.question, own.version, own.platform, reason=reason)
    best = min(others, key=lambda other: other.basis.rank)
    return Answer(
        own.question,
        own.version,
        own.platform,
        best.value,
        Basis.OTHER_PLATFORM,
        best.tier,
        best.observed_in,
        best.on,
    )


def _in_history(
    question: Question, version: str, platform: str, history: History | None, matrix: Matrix
) -> Answer:
    if history is None or not (history.spans or history.unjudged):
        return Answer(question, version, platform, reason=Reason.NO_ROWS)
    for one in history.unjudged:
        if one.version == version:
            return Answer(question, version, platform, reason=one.reason)
    line = line_of(matrix.releases)
    place = line.place(version)
    for span in history.spans:
        if line.place(span.first) <= place <= line.place(span.last):
            basis, seen = _support(line, span, version)
            return Answer(question, version, platform, span.value, basis, span.tier, seen, platform)
    return Answer(question, version, platform, reason=_why_not(line, history, version))


def _support(line: Line, span: Span, version: str) -> tuple[Basis, tuple[str, ...]]:
    """What this one release's answer rests on within its span."""
    if span.basis is Basis.PROJECTED:
        return Basis.PROJECTED, span.observed
    if version in span.observed:
        return Basis.OBSERVED, (version,)
    place = line.place(version)
    older = [one for one in span.observed if line.place(one) < place]
    newer = [one for one in span.observed if line.place(one) > place]
    return Basis.BRACKETED, (older[-1], newer[0])


def _why_not(line: Line, history: History, version: str) -> Reason:
    asked = (*_observed(history.spans), *(one.version for one in history.unjudged))
    older = any(line.place(one) < line.place(version) for one in asked)
    return Reason.IN_DOUBT if older else Reason.BEFORE_THE_FIRST


def _observed(spans: Iterable[Span]) -> Iterable[str]:
    return (version for span in spans for version in span.observed)
