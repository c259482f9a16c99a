"""`imprint compat bisect CLAIM A..B`: between which releases an answer changes."""

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from imprint.base.errors import ExitCode, RefusedError, UsageError
from imprint.cli.compat import telling
from imprint.cli.compat.probing import Prober, why
from imprint.compat import (
    Basis,
    Catalogue,
    Kind,
    Matrix,
    Packaging,
    Question,
    Reason,
    ReleaseList,
    Value,
    answer,
)
from imprint.compat.bisection import Bisection, Outcome, Step, bisect
from imprint.compat.observation import judge_all
from imprint.compat.seen import Seen, read_seen

RUN_SECONDS = 1200.0
"""For one claim's sessions, twice, and a download of 200 MB before them."""

ATTEMPTS = 2
"""An answer that differs between two attempts is none."""


class NoProbe(RefusedError):
    """The claim is in the catalogue, and nothing here can answer it."""

    code = "no-probe"


class Bisected(msgspec.Struct, frozen=True):
    """What was asked, and what came of it: see `Bisection`."""

    claim: str
    platform: str
    outcome: Outcome
    before: Step
    after: Step
    steps: tuple[Step, ...]
    unjudged: tuple[str, ...]
    elsewhere: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Bisecting:
    """One question about releases on a platform, with what is known and who asks."""

    question: Question
    platform: str
    releases: ReleaseList
    recorded: Mapping[str, Value]
    prober: Prober
    data: Path
    say: Callable[[str], None]

    def between(self, first: str, last: str) -> Bisected:
        """Bisect; each answer is said as it comes."""
        for version in (first, last):
            if version in self.recorded:
                self._tell(Step(version, self.recorded[version], is_recorded=True))
        result = bisect(
            self.releases.line(),
            first,
            last,
            self._ask,
            recorded=self.recorded,
            offered=offered(self.releases, self.platform),
        )
        return self._told(result)

    def _told(self, result: Bisection) -> Bisected:
        return Bisected(
            claim=str(self.question),
            platform=self.platform,
            outcome=result.outcome,
            before=result.before,
            after=result.after,
            steps=result.steps,
            unjudged=result.unjudged,
            elsewhere=result.elsewhere,
        )

    def _ask(self, version: str) -> Step:
        began = time.monotonic()
        step = self._asked(version)
        self._tell(step, f"  ({time.monotonic() - began:.0f} s)")
        return step

    def _asked(self, version: str) -> Step:
        with tempfile.TemporaryDirectory(prefix="imprint-bisect-") as folder:
            rows = Path(folder) / "rows.json"
            finished = self.prober.run(
                (
                    f"--copilot={version}",
                    f"--claim={self.question.claim}",
                    f"--attempts={ATTEMPTS}",
                    f"--rows={rows}",
                    f"--compat-data={self.data}",
                )
            )
            if finished is None:
                raise KeyboardInterrupt
            try:
                seen = read_seen(rows)
            except (OSError, ValueError):
                return Step(version, None, why(finished, version, self.prober.seconds))
        found = [one for one in seen if one.observations.run.version == version]
        if not found:
            return Step(version, None, why(finished, version, self.prober.seconds))
        return _step(version, self.question, found[0])

    def _tell(self, step: Step, more: str = "") -> None:
        said = f"no answer: {step.why}" if step.value is None else telling.plain(step.value)
        self.say(f"{step.version:<10}  {said}{'  (recorded)' if step.is_recorded else more}")


def asked_question(catalogue: Catalogue, text: str, judges: Iterable[str]) -> Question:
    """The one question of a claim; `UsageError` for a whole table, `NoProbe` where none is."""
    question = catalogue.question(text)
    claim = catalogue[question.claim]
    if claim.kind is Kind.TABLE and not question.entry:
        example = claim.keys[0] if claim.keys else "ENTRY"
        raise UsageError(
            f"{claim.id} is a table: one entry of it can be bisected",
            fix=f"such as {claim.id}[{example}]; its entries: {', '.join(claim.keys)}",
        )
    if claim.blocked or claim.id not in set(judges):
        why_not = claim.blocked or "nobody has written one yet"
        raise NoProbe(f"no probe answers {claim.id}: {why_not}", fix="docs/probes.md says how")
    return question


def interval(releases: ReleaseList, text: str) -> tuple[str, str]:
    """The ends of `A..B`, the older one first; `UsageError` where it is none, or not listed."""
    first, dots, last = text.partition("..")
    if not dots or not first or not last:
        raise UsageError(
            f"{text!r} is no range of releases", fix="give A..B, such as 1.0.70..1.0.80"
        )
    line = releases.line()
    if line.place(first) > line.place(last):
        raise UsageError(f"{first} is not older than {last}", fix="give A..B, the older one first")
    return first, last


def recorded_answers(
    catalogue: Catalogue, matrix: Matrix, question: Question, platform: str
) -> dict[str, Value]:
    """The releases that were observed to answer, with their answers."""
    claim = catalogue[question.claim]
    found = (
        answer(claim, question.entry, version, platform, matrix) for version in matrix.releases
    )
    return {
        one.version: one.value
        for one in found
        if one.value is not None and one.basis is Basis.OBSERVED
    }


def exit_code(found: Bisected) -> ExitCode:
    """An end without an answer leaves it undetermined."""
    return ExitCode.UNDETERMINED if found.outcome is Outcome.UNDECIDED else ExitCode.OK


def conclusion(found: Bisected) -> Iterable[str]:
    """What people are told in the end."""
    before, after = found.before, found.after
    match found.outcome:
        case Outcome.CHANGES:
            change = f"{_plain(before)} -> {_plain(after)}"
            yield f"{found.claim} changes between {before.version} and {after.version}: {change}"
            if found.unjudged:
                yield f"  between the two, without an answer: {', '.join(found.unjudged)}"
            for older, newer in found.elsewhere:
                yield f"  it changes between {older} and {newer} too"
        case Outcome.AGREE:
            ends = f"{before.version} and {after.version}"
            yield f"{found.claim}: {ends} give the same answer, {_plain(before)}"
            yield "  it may change and change back between them: take a narrower range"
        case Outcome.UNDECIDED:
            silent = [one.version for one in (before, after) if one.value is None]
            yield f"{found.claim}: no answer from {' and '.join(silent)}; take another end"


def _step(version: str, question: Question, seen: Seen) -> Step:
    if seen.void:
        return Step(version, None, seen.void)
    verdicts = judge_all(seen.observations)
    verdict, _ = verdicts.get(question) or verdicts.get(Question(question.claim)) or (None, None)
    if verdict is None:
        return Step(version, None, "it said nothing about it")
    if isinstance(verdict, Reason):
        said = [row.reason for row in seen.observations.rows if row.claim == question.claim]
        return Step(version, None, "".join(said) or verdict.meaning)
    return Step(version, verdict)


def offered(releases: ReleaseList, platform: str) -> frozenset[str]:
    """The releases that can be had on a platform, as far as the list tells."""
    return frozenset(
        release.version
        for release in releases.releases
        if platform not in release.platforms
        or release.platforms[platform].packaging is not Packaging.NOT_OFFERED
    )


def _plain(step: Step) -> str:
    return "unknown" if step.value is None else telling.plain(step.value)
