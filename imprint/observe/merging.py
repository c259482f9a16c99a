"""One claim, several areas: each answers those entries of the table that its own way can see."""

from imprint.observe.judged import Judge, Judged, SessionsByName
from imprint.observe.sessions import SessionUseless

Table = dict[str, str | int | float]


def merged(*parts: Judge) -> Judge:
    """A judge of all entries that any part answers with its controls held.

    A part that proves nothing leaves its entries out and spoils none of the others'; where no
    part answers, the first one's reason is told. Two parts that answer one entry differently
    leave it out.
    """
    if len(parts) == 1:
        return parts[0]

    def judge(sessions: SessionsByName) -> Judged:
        given = [_ask(part, sessions) for part in parts]
        answered = [one for one in given if isinstance(one, Judged) and _is_answer(one)]
        if answered:
            return _together(answered)
        first = given[0]
        if isinstance(first, SessionUseless):
            raise first
        return first

    return judge


def _ask(part: Judge, sessions: SessionsByName) -> Judged | SessionUseless:
    try:
        return part(sessions)
    except SessionUseless as error:
        return error


def _is_answer(judged: Judged) -> bool:
    return isinstance(judged.value, dict) and judged.positive and judged.negative


def _together(answered: list[Judged]) -> Judged:
    tables = [one.value for one in answered if isinstance(one.value, dict)]
    entries = {name for table in tables for name in table}
    value: Table = {}
    for name in sorted(entries):
        said = [table[name] for table in tables if name in table]
        if all(one == said[0] for one in said):
            value[name] = said[0]
    return Judged(value or None, dict(value), positive=True, negative=True, reason="parts-differ")
