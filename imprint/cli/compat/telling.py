"""How answers are told on a terminal: values, bases, and lines that fit its width."""

import shutil
import textwrap
from collections.abc import Iterable, Sequence

from imprint.compat import Basis, Reason, Value
from imprint.compat.cells import Cell
from imprint.compat.stretches import Stretch

_WIDEST = 120
_NARROWEST = 60
_WITHOUT_TERMINAL = 100


def width() -> int:
    """Columns to fill."""
    columns = shutil.get_terminal_size((_WITHOUT_TERMINAL, 24)).columns
    return max(_NARROWEST, min(columns, _WIDEST))


def plain(value: Value) -> str:
    """A value; a table's entries by what they answer, a line for each answer."""
    match value:
        case dict():
            by_answer: dict[str, list[str]] = {}
            for name, entry in value.items():
                by_answer.setdefault(str(entry), []).append(name)
            return "\n".join(f"{said}: {', '.join(names)}" for said, names in by_answer.items())
        case list():
            return ", ".join(value) or "none"
        case _:
            return str(value)


def basis(found: Cell | Stretch) -> str:
    """What an answer rests on, with the releases that were asked where these are not all."""
    match found.basis:
        case Basis.BRACKETED:
            return f"bracketed: {listed(found.observed_in)}"
        case Basis.PROJECTED:
            return f"projected: {listed(found.observed_in)}"
        case Basis.OTHER_PLATFORM:
            return f"another platform: {listed(found.observed_in)}"
        case _:
            return str(found.basis)


def unknown(reason: Reason | None) -> str:
    """Why there is no answer."""
    return f"unknown: {reason.meaning}" if reason else "unknown"


def listed(versions: Sequence[str], most: int = 4) -> str:
    """Releases that were asked; of many only how many."""
    return ", ".join(versions) if len(versions) <= most else f"{len(versions)} releases asked"


def filled(text: str, indent: str = "", further: str | None = None) -> list[str]:
    """Text in lines that fit; ids and versions are not broken."""
    return textwrap.wrap(
        text,
        width(),
        initial_indent=indent,
        subsequent_indent=indent if further is None else further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def columns(rows: Iterable[tuple[str, ...]], indent: str = "") -> list[str]:
    """Rows of a small table; the last column is wrapped, and may have lines of its own."""
    given = list(rows)
    if not given:
        return []
    widths = [max(len(row[at]) for row in given) for at in range(len(given[0]) - 1)]
    lines = []
    for row in given:
        head = "  ".join(f"{text:<{size}}" for text, size in zip(row, widths, strict=False))
        start = f"{indent}{head}  "
        for line in row[-1].split("\n"):
            lines.extend(filled(line, start, f"{' ' * len(start)}  ") or [start.rstrip()])
            start = " " * len(start)
    return lines
