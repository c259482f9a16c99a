"""`imprint compat show`: what is known, and how."""

from collections.abc import Iterable, Sequence

import msgspec

from imprint.cli.compat import telling
from imprint.compat import Catalogue, Claim, Matrix, Question, Reason, UnreadableMatrix
from imprint.compat.cells import Cell, cells, questions_of, selected
from imprint.compat.stretches import Stretch, alike, stretches_of
from imprint.compat.versions import line_of


class Shown(msgspec.Struct, frozen=True):
    """The cells asked for; `spans` say the same of every release, where no one was named."""

    cells: tuple[Cell, ...]
    spans: tuple[Stretch, ...] = ()


def show(
    catalogue: Catalogue,
    matrix: Matrix | UnreadableMatrix,
    text: str,
    version: str | None,
    platform: str,
) -> Shown:
    """A claim for every release, or what one release (none named: the newest) answers.

    `UnknownClaim`, `UnknownRelease` where there is none such.
    """
    questions = selected(catalogue, text, matrix)
    if isinstance(matrix, UnreadableMatrix):
        return Shown(cells(catalogue, matrix, questions, (version or "",), platform))
    if version is not None:
        line_of(matrix.releases).place(version)
    if version is not None or not text:
        asked = matrix.releases[-1:] if version is None else (version,)
        return Shown(cells(catalogue, matrix, questions, asked, platform))
    return Shown(
        cells(catalogue, matrix, questions, matrix.releases, platform),
        stretches_of(catalogue, matrix, _entry_by_entry(catalogue, matrix, questions), platform),
    )


def _entry_by_entry(
    catalogue: Catalogue, matrix: Matrix, questions: Iterable[Question]
) -> Iterable[Question]:
    """Of a table asked for as a whole: each of its entries."""
    for question in questions:
        if question.entry:
            yield question
        else:
            yield from questions_of(catalogue[question.claim], matrix)


def lines(shown: Shown, catalogue: Catalogue) -> Iterable[str]:
    """For people: the history of each claim, or a table of one release's answers."""
    if shown.spans:
        yield from _histories(shown.spans, catalogue)
    else:
        yield from _answers(shown.cells, catalogue)


# --- one claim, every release ---


def _histories(spans: Sequence[Stretch], catalogue: Catalogue) -> Iterable[str]:
    by_claim: dict[str, dict[str, tuple[Stretch, ...]]] = {}
    for span in spans:
        question = _question(span.claim)
        entries = by_claim.setdefault(question.claim, {})
        entries[question.entry] = (*entries.get(question.entry, ()), span)
    for number, (claim, entries) in enumerate(by_claim.items()):
        if number:
            yield ""
        yield from _heading(catalogue[claim])
        for names, own in alike(entries):
            indent = "  "
            if names != ("",):
                yield from telling.filled(", ".join(names), indent, indent)
                indent += "  "
            yield from _spans(own, indent)


def _heading(claim: Claim) -> Iterable[str]:
    yield claim.id
    yield from telling.filled(claim.sentence, "  ")
    decides = dict.fromkeys(rule.decides for rule in claim.rules)
    if decides:
        yield from telling.filled(f"(Imprint decides on it: {', '.join(decides)})", "  ")
    if claim.blocked:
        yield from telling.filled(f"blocked: {claim.blocked}", "  ")


def _spans(own: Sequence[Stretch], indent: str) -> Iterable[str]:
    if all(one.reason is Reason.NO_ROWS for one in own):
        yield f"{indent}not asked of any release"
        return
    return (yield from telling.columns((_span(one) for one in own), indent))


def _span(one: Stretch) -> tuple[str, str]:
    if one.reason is Reason.BEFORE_THE_FIRST:
        return f"up to {one.last}", "unknown: only newer releases were asked"
    if one.value is None:
        return one.span, telling.unknown(one.reason)
    return one.span, f"{telling.plain(one.value)}  [{telling.basis(one)}]"


# --- every claim, one release ---


def _answers(found: Sequence[Cell], catalogue: Catalogue) -> Iterable[str]:
    by_area: dict[str, list[Cell]] = {}
    for cell in found:
        by_area.setdefault(catalogue[_question(cell.claim).claim].area, []).append(cell)
    for area, cells_of_area in by_area.items():
        yield catalogue.titles.get(area, area)
        known = [cell for cell in cells_of_area if cell.reason is not Reason.NO_ROWS]
        yield from telling.columns(((cell.claim, _answer(cell)) for cell in known), "  ")
        silent = [cell.claim for cell in cells_of_area if cell.reason is Reason.NO_ROWS]
        if silent:
            yield from telling.filled(f"not asked: {', '.join(silent)}", "  ", "    ")
        yield ""


def _answer(cell: Cell) -> str:
    if cell.value is None:
        return telling.unknown(cell.reason)
    return f"{telling.plain(cell.value)}  [{telling.basis(cell)}]"


def _question(text: str) -> Question:
    return Question.parse(text) or Question(text)
