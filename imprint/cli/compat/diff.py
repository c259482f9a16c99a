"""`imprint compat diff A B`: what two releases are known to answer differently."""

from collections.abc import Iterable

from imprint.cli.compat import telling
from imprint.compat import Basis, Catalogue, Matrix, UnreadableMatrix
from imprint.compat.cells import Cell, Difference, differences, question_of, together
from imprint.compat.versions import line_of


def diff(
    catalogue: Catalogue,
    matrix: Matrix | UnreadableMatrix,
    before: str,
    after: str,
    platform: str,
) -> Difference:
    """The differences; `UnknownRelease` where one of the two is not listed."""
    if isinstance(matrix, Matrix):
        for version in (before, after):
            line_of(matrix.releases).place(version)
    return differences(catalogue, matrix, before, after, platform)


def lines(found: Difference, catalogue: Catalogue) -> Iterable[str]:
    """A claim with its sentence, then what changed."""
    last = ""
    for group in together(found.changes):
        question = question_of(group[0])
        if question.claim != last:
            if last:
                yield ""
            last = question.claim
            yield question.claim
            yield from telling.filled(catalogue[question.claim].sentence, "  ")
        entries = ", ".join(question_of(change).entry for change in group)
        said = f"{_said(group[0].before)} -> {_said(group[0].after)}"
        yield from telling.filled(f"{said}: {entries}" if entries else said, "    ", "      ")
    if last:
        yield ""


def _said(cell: Cell) -> str:
    if cell.value is None:
        return telling.unknown(cell.reason)
    seen = "" if cell.basis is Basis.OBSERVED else f" [{telling.basis(cell)}]"
    return f"{telling.plain(cell.value)}{seen}"
