"""What the pages of the report are made of: areas, claims, and per platform who says what when."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from imprint.compat.catalogue import Catalogue
from imprint.compat.cells import Cell, Difference, cells, compared, questions_of
from imprint.compat.claim import Claim
from imprint.compat.evidence import Basis
from imprint.compat.inference import build_matrix
from imprint.compat.loader import load_catalogue, load_observations, load_releases
from imprint.compat.matrix import Matrix
from imprint.compat.observation import Observations
from imprint.compat.shipped import PROGRAM
from imprint.compat.stretches import Stretch, alike, stretches
from imprint.compat.values import Question
from imprint.compat.versions import in_order, line_of, order

Answers = Mapping[Question, Mapping[str, tuple[Cell, ...]]]
"""Every question that was asked of any release: its cells by platform, one per listed release."""


@dataclass(frozen=True, slots=True)
class Line:
    """Entries of one claim that share their history (the empty name: the claim itself).

    Of `platforms` where no release was asked there is none: what is known there, if anything, is
    what the others answered, and saying it once is enough.
    """

    entries: tuple[str, ...]
    platforms: dict[str, tuple[Stretch, ...]]


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim with its lines; none where no release was asked."""

    claim: Claim
    lines: tuple[Line, ...]

    @property
    def is_answered(self) -> bool:
        """Whether any release is known to answer it."""
        return any(
            one.value is not None
            for line in self.lines
            for stretches in line.platforms.values()
            for one in stretches
        )


@dataclass(frozen=True, slots=True)
class AreaView:
    """An area of the catalogue."""

    name: str
    title: str
    claims: tuple[ClaimView, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a page may say; `asked` are the releases whose runs count, by platform.

    Answers are looked up once: there are many releases, and every page needs them.
    """

    catalogue: Catalogue
    matrix: Matrix
    observations: tuple[Observations, ...]
    asked: dict[str, tuple[str, ...]]
    areas: tuple[AreaView, ...]
    answers: Answers

    @property
    def claims(self) -> tuple[ClaimView, ...]:
        """Those of all areas."""
        return tuple(claim for area in self.areas for claim in area.claims)

    @property
    def unlisted(self) -> tuple[str, ...]:
        """Releases with observations that npm lists no longer: the matrix leaves them out."""
        versions = {one.run.version for one in self.observations}
        return in_order(versions.difference(self.matrix.releases))

    def asked_on(self, platform: str) -> int:
        """How many questions were asked of any release on a platform."""
        return sum(any(platform in line.platforms for line in view.lines) for view in self.claims)

    def difference(self, platform: str, before: str, after: str) -> Difference:
        """What two releases answer differently on a platform."""
        line = line_of(self.matrix.releases)
        old, new = line.place(before), line.place(after)
        return compared(
            (cells[platform][old], cells[platform][new]) for cells in self.answers.values()
        )


def load_report(folder: Traversable) -> Report:
    """The report on a data folder; `DataInvalid` where a file does not say what it must."""
    catalogue = load_catalogue(folder)
    observations = load_observations(folder, catalogue)
    line = load_releases(folder).line()
    return report_on(catalogue, build_matrix(PROGRAM, line, observations), observations)


def report_on(catalogue: Catalogue, matrix: Matrix, observations: Sequence[Observations]) -> Report:
    """The report on a catalogue and what was observed."""
    counted = [
        one.run for one in observations if not one.is_void and one.run.version in matrix.releases
    ]
    platforms = sorted({run.platform for run in counted})
    asked = {
        platform: in_order(run.version for run in counted if run.platform == platform)
        for platform in platforms
    }
    answers = _answers(catalogue, matrix, platforms)
    areas = tuple(
        AreaView(
            name,
            title,
            tuple(
                _view(claim, answers, platforms)
                for claim in catalogue.claims.values()
                if claim.area == name
            ),
        )
        for name, title in catalogue.titles.items()
    )
    ordered = sorted(observations, key=lambda one: (order(one.run.version), one.run.platform))
    return Report(catalogue, matrix, tuple(ordered), asked, areas, answers)


def _answers(catalogue: Catalogue, matrix: Matrix, platforms: Sequence[str]) -> Answers:
    return {
        question: {
            platform: cells(catalogue, matrix, [question], matrix.releases, platform)
            for platform in platforms
        }
        for claim in catalogue.claims.values()
        for question in questions_of(claim, matrix)
        if str(question) in matrix.questions or claim.id in matrix.questions
    }


def _view(claim: Claim, answers: Answers, platforms: Sequence[str]) -> ClaimView:
    """The claim's lines: entries belong together that have one history on every platform."""
    own = {one.entry: cells for one, cells in answers.items() if one.claim == claim.id}
    every = {
        platform: {entry: stretches(cells[platform]) for entry, cells in own.items()}
        for platform in platforms
    }
    by_platform = {
        platform: histories
        for platform, histories in every.items()
        if any(map(_was_asked, histories.values()))
    }
    groups = [tuple(own)] if own else []
    for histories in by_platform.values():
        groups = [
            names
            for group in groups
            for names, _ in alike({entry: histories[entry] for entry in group})
        ]
    return ClaimView(
        claim,
        tuple(
            Line(group, {name: histories[group[0]] for name, histories in by_platform.items()})
            for group in groups
        ),
    )


def _was_asked(found: Iterable[Stretch]) -> bool:
    """Whether the platform itself says something, if only that it is not known."""
    return any(not one.is_beyond and one.basis is not Basis.OTHER_PLATFORM for one in found)
