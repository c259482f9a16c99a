"""Which bytes a change replaced, and finding them again in a file that was edited since."""

from collections.abc import Iterator, Sequence

import msgspec

# Bytes kept of what is around a span, to know it again.
_CONTEXT = 32
# A shorter pattern could be anywhere, even when it is found only once.
_SHORTEST = 12
# Above this many lines one span for all of it has to do: comparing is quadratic.
_MOST_LINES = 2000


class Span(msgspec.Struct, frozen=True):
    """`inserted` at `offset` (bytes, in the file afterwards) took the place of `removed`.

    `lead` and `tail` are up to 32 bytes of what was directly before and behind `inserted`.
    """

    offset: int
    removed: bytes
    inserted: bytes
    lead: bytes
    tail: bytes


def spans_between(before: bytes, after: bytes) -> tuple[Span, ...]:
    """The differences, in order, each as small as possible."""
    if before == after:
        return ()
    return tuple(
        Span(
            offset=new.start,
            removed=before[old.start : old.stop],
            inserted=after[new.start : new.stop],
            lead=after[max(0, new.start - _CONTEXT) : new.start],
            tail=after[new.stop : new.stop + _CONTEXT],
        )
        for old, new in _differences(before, after)
    )


def undo(after: bytes, spans: Sequence[Span]) -> bytes:
    """The bytes before the change, from exactly those after it."""
    return _replace(after, [(span.offset, span) for span in spans])


def undo_in_changed(current: bytes, spans: Sequence[Span]) -> bytes | None:
    """Undo in a file that was edited elsewhere; None unless each span is found exactly once."""
    places: list[tuple[int, Span]] = []
    end = 0
    for span in spans:
        place = _find(current, span)
        if place is None or place < end:
            return None
        places.append((place, span))
        end = place + len(span.inserted)
    return _replace(current, places)


def _replace(data: bytes, places: Sequence[tuple[int, Span]]) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for place, span in places:
        pieces += (data[done:place], span.removed)
        done = place + len(span.inserted)
    return b"".join((*pieces, data[done:]))


def _find(current: bytes, span: Span) -> int | None:
    """Where the inserted bytes are, by both neighbours, else by either of them."""
    for lead, tail in _patterns(span):
        pattern = lead + span.inserted + tail
        place = current.find(pattern)
        if place >= 0 and current.find(pattern, place + 1) < 0:
            return place + len(lead)
    return None


def _patterns(span: Span) -> Iterator[tuple[bytes, bytes]]:
    yield span.lead, span.tail
    if span.inserted:
        one_sided = ((span.lead, b""), (b"", span.tail))
        yield from (
            (lead, tail)
            for lead, tail in one_sided
            if len(lead) + len(span.inserted) + len(tail) >= _SHORTEST
        )


def _differences(before: bytes, after: bytes) -> Iterator[tuple[range, range]]:
    """Pairs of ranges that differ: between common lines, trimmed to the byte."""
    old, new = _trim(before, after, range(len(before)), range(len(after)))
    wide_old, wide_new = _whole_lines(before, old, new)
    old_lines = before[wide_old.start : wide_old.stop].splitlines(keepends=True)
    new_lines = after[wide_new.start : wide_new.stop].splitlines(keepends=True)
    if not old_lines or not new_lines or max(len(old_lines), len(new_lines)) > _MOST_LINES:
        yield old, new
        return
    from difflib import SequenceMatcher

    old_at = _offsets(wide_old.start, old_lines)
    new_at = _offsets(wide_new.start, new_lines)
    matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag != "equal":
            yield _trim(
                before,
                after,
                range(old_at[old_from], old_at[old_to]),
                range(new_at[new_from], new_at[new_to]),
            )


def _whole_lines(before: bytes, old: range, new: range) -> tuple[range, range]:
    """Both ranges widened to ends of lines; what is around them is the same in both files."""
    head = old.start - (before.rfind(b"\n", 0, old.start) + 1)
    end = before.find(b"\n", old.stop)
    tail = (len(before) if end < 0 else end + 1) - old.stop
    return (
        range(old.start - head, old.stop + tail),
        range(new.start - head, new.stop + tail),
    )


def _offsets(start: int, lines: Sequence[bytes]) -> list[int]:
    offsets = [start]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    return offsets


def _trim(before: bytes, after: bytes, old: range, new: range) -> tuple[range, range]:
    """The ranges without what is equal at their beginnings and ends."""
    left, right = before[old.start : old.stop], after[new.start : new.stop]
    head = _common(left, right)
    left, right = left[head:], right[head:]
    tail = _common(left[::-1], right[::-1])
    return (
        range(old.start + head, old.stop - tail),
        range(new.start + head, new.stop - tail),
    )


def _common(left: bytes, right: bytes) -> int:
    """The length of the longest common beginning."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[:middle] == right[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
