"""What becomes of the rows: they are recorded, or compared with what was recorded before."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from imprint.compat import (
    Answer,
    Basis,
    Matrix,
    Observations,
    Outcome,
    Reason,
    Row,
    UnreadableMatrix,
    answer,
    shipped_catalogue,
)
from imprint.compat.attempts import CONTROL_FAILED
from imprint.compat.cells import questions_of
from imprint.compat.derived import render, render_matrix
from imprint.compat.observation import judge_all
from imprint.compat.report import REPORTS, report_files
from imprint.compat.seen import Seen, write_seen
from imprint.compat.shipped import MATRIX, PROGRAM
from imprint.compat.values import Question, entries
from probes.asking import Asked

SCHEMA = 1

RACES = frozenset({"hooks.payload.transcript_flushed"})
"""Who comes first differs from run to run: another outcome is said, and contradicts nothing."""

_ASKED_IN_VAIN = frozenset({Reason.MIXED, Reason.INCONCLUSIVE, Reason.BLOCKED})

_FIRM = frozenset({Basis.OBSERVED, Basis.BRACKETED, Basis.PROJECTED})


@dataclass(slots=True)
class Verdict:
    """Gathers the rows of all releases; `lines` say what came of them, `is_bad` if that is bad.

    Strictly, an answer that is not recorded is bad, and a recorded one that is not given now.
    `rows` is a file that takes everything that was seen.
    """

    folder: Path
    matrix: Matrix | UnreadableMatrix
    platform: str
    record: bool
    is_strict: bool = False
    rows: Path | None = None
    lines: list[str] = field(default_factory=list)
    is_bad: bool = False
    _asked: dict[str, list[Asked]] = field(default_factory=dict)
    _workers: dict[str, set[str]] = field(default_factory=dict)
    _lost: set[str] = field(default_factory=set)
    _failed: list[str] = field(default_factory=list)

    def add(self, asked: Asked, worker: str) -> None:
        """One row, from a worker (empty: none)."""
        self._asked.setdefault(asked.run.version, []).append(asked)
        self._workers.setdefault(asked.run.version, set()).add(worker)

    def fail(self, nodeid: str) -> None:
        """A probe that broke: its release is not complete."""
        self._failed.append(nodeid)

    @property
    def has_lost(self) -> bool:
        """Whether a worker died."""
        return bool(self._lost)

    def lose(self, worker: str) -> None:
        """A worker that died."""
        self._lost.add(worker)

    def finish(self, claims: tuple[str, ...]) -> None:
        """Record every complete release, or compare each with the matrix."""
        seen = []
        for version, asked in self._asked.items():
            void = self._why_void(version, asked)
            seen.append(Seen(_observations(asked), void))
            if void:
                self._bad(f"{version}: nothing of it counts: {void}")
            elif self.record:
                self._record(version, asked, claims)
            else:
                self._compare(version, _observations(asked))
        if self.rows is not None:
            write_seen(self.rows, seen)
        if self.record and self._asked:
            self._derive()

    def _derive(self) -> None:
        """The files that follow from the observations; the report only in a checkout."""
        (self.folder / MATRIX).write_bytes(render_matrix(self.folder))
        reports = self.folder.parent / REPORTS
        if reports.is_dir():
            for name, data in report_files(self.folder).items():
                (reports / name).write_bytes(data)

    def _why_void(self, version: str, asked: list[Asked]) -> str:
        workers = self._workers[version]
        if workers & self._lost or len(workers) > 1:
            return "a worker died"
        ran = any(one.row.outcome is not Outcome.BLOCKED for one in asked)
        run = _observations(asked).run
        if not ran:
            return f"it can't be asked: {asked[0].row.reason}"
        if run.executable_before != run.executable_after:
            return "its executable changed meanwhile"
        if run.reported_version not in {"", version}:
            return f"it called itself {run.reported_version}"
        if not run.reported_version:
            return f"no session told its version: {asked[0].row.reason}"
        return ""

    def _record(self, version: str, asked: list[Asked], claims: tuple[str, ...]) -> None:
        observations = _observations(asked)
        if sorted(row.claim for row in observations.rows) != sorted(claims) or self._failed:
            self._bad(f"{version}: not recorded, because probes failed or were left out")
            return
        file = self.folder / "observations" / PROGRAM / version / f"{self.platform}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(render(observations))
        seen = sum(row.outcome is Outcome.OBSERVED for row in observations.rows)
        self.lines.append(f"{version}: recorded, {seen} of {len(claims)} claims answered")
        self.lines.extend(_unjudged(version, observations))

    def _compare(self, version: str, observations: Observations) -> None:
        changed, new, same = 0, 0, 0
        for question, (verdict, _) in judge_all(observations).items():
            if isinstance(verdict, Reason):
                self._missing(version, question)
                continue
            known = answer(
                shipped_catalogue()[question.claim],
                question.entry,
                version,
                self.platform,
                self.matrix,
            )
            if known.value is None or known.basis not in _FIRM:
                new += 1
                self._new(f"{version}: new: {question}: {verdict}", known)
            elif known.value == verdict:
                same += 1
            elif question.claim in RACES:
                self.lines.append(f"{version}: a race: {question}: {known.value}, now {verdict}")
            else:
                changed += 1
                held = f"{known.value} ({known.basis})"
                self._bad(f"{version}: changed: {question}: {held} -> {verdict}")
        self.lines.extend(_unjudged(version, observations))
        self.lines.append(f"{version}: {same} answers as recorded, {changed} changed, {new} new")

    def _new(self, line: str, known: Answer) -> None:
        """An answer that is not recorded; of one that was asked in vain before it is no news."""
        if known.reason in _ASKED_IN_VAIN or known.question.claim in RACES:
            self.lines.append(f"{line} (recorded: {known.reason})")
        else:
            self._bad_if_strict(line)

    def _missing(self, version: str, question: Question) -> None:
        """A question without an answer now; a recorded one is missed."""
        claim = shipped_catalogue()[question.claim]
        asked = (question,) if question.entry else questions_of(claim, self.matrix)
        for one in asked:
            known = answer(claim, one.entry, version, self.platform, self.matrix)
            if known.basis is Basis.OBSERVED and claim.id not in RACES:
                self._bad_if_strict(f"{version}: no answer now: {one}: {known.value} (observed)")

    def _bad_if_strict(self, line: str) -> None:
        if self.is_strict:
            self._bad(line)
        else:
            self.lines.append(line)

    def _bad(self, line: str) -> None:
        self.is_bad = True
        self.lines.append(line)


def _observations(asked: list[Asked]) -> Observations:
    """The rows with the circumstances of the last: those of the whole run."""
    run = asked[-1].run
    rows = sorted((one.row for one in asked), key=lambda row: row.claim)
    return Observations(SCHEMA, run, tuple(rows))


def _unjudged(version: str, observations: Observations) -> Iterable[str]:
    for row in observations.rows:
        if row.outcome is not Outcome.OBSERVED:
            why = f"{row.outcome}, {row.reason}{_controls(row)}"
            yield f"{version}: could not be judged: {row.claim}: {why}"
            continue
        given = {one for value in row.attempts for one in entries(row.claim, value)}
        for question in sorted(given - set(entries(row.claim, row.value or ""))):
            yield f"{version}: mixed: {question}"


def _controls(row: Row) -> str:
    """Which control failed, where that is the reason."""
    if row.reason != CONTROL_FAILED or row.controls is None:
        return ""
    positive, negative = row.controls.positive, row.controls.negative
    return f" (controls: positive {positive}, negative {negative})"
