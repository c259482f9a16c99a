"""Spoils some lines of a transcript, and checks that all others are read as before."""

import io
import json
import random
import time

from imprint.learn.damage import DamageKind
from imprint.learn.reader import TranscriptReader
from tests.learn.support import SHARED, Transcript

SLOWEST = 2.0
"""Seconds for one small file: nothing may be quadratic."""

_PIECES = (
    b"\0",
    b"\0" * 300,
    b"\n",
    b"\r",
    b"\r\n",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\\ud83d",
    b'"',
    b"\\",
    b"{",
    b"}",
    b'{"type":"',
    b'{"type":"user.message","data":{"content":"',
    b'{"type":"session.start","data":{}}',
    b"[" * 2000,
    b"1e999",
    b"NaN",
)


def corpus() -> list[list[bytes]]:
    """Lines of real transcripts where there are some, and of a made one."""
    made = Transcript().start().turn("a", "b\u2028c").tool("bash", {"command": "x"}).hook()
    files = sorted((SHARED / "sessions").glob("*/*/events.jsonl"))[::5]
    files += sorted((SHARED / "public" / "events").glob("*.jsonl"))[8:]
    real = [path.read_bytes().splitlines(keepends=True) for path in files]
    return [made.turn("c", "d").lines, *(lines for lines in real if lines)]


def mutate(line: bytes, chance: random.Random) -> bytes:
    """One kind of damage."""
    content = bytearray(line)
    place = chance.randrange(len(content) + 1)
    match chance.randrange(7):
        case 0:
            content[place : place + 1] = bytes([chance.randrange(256)])
        case 1:
            del content[place : place + chance.randint(1, 300)]
        case 2:
            content[place:place] = chance.choice(_PIECES)
        case 3:
            content[place:place] = chance.randbytes(chance.randint(1, 40))
        case 4:
            del content[place:]
        case 5:
            content[place:place] = content[chance.randrange(len(content)) :]
        case _:
            begin = chance.randrange(len(content))
            content[begin:place] = b"\0" * max(0, place - begin)
    return bytes(content)


def ids_of(data: bytes, offset: int = 0, events: int = 0) -> tuple[list[str], TranscriptReader]:
    """The ids of the events that are handed out."""
    reader = TranscriptReader(io.BytesIO(data), offset=offset, events=events)
    found = []
    for place, number, _ in reader.read():
        assert 0 <= place < len(data), "an offset outside the file"
        assert number, "an event without a name"
        found.append(number)
    assert reader.offset <= len(data), "read behind the end"
    return found, reader


def check(lines: list[bytes], chance: random.Random) -> None:
    """Damage some lines; the others must be read as before."""
    damaged = set(chance.sample(range(len(lines)), chance.randint(1, min(4, len(lines)))))
    changed = [mutate(line, chance) if n in damaged else line for n, line in enumerate(lines)]
    data = b"".join(changed)
    started = time.monotonic()
    found, _ = ids_of(data)
    assert time.monotonic() - started < SLOWEST, "too slow"
    for number, line in enumerate(lines):
        follows_whole_line = number == 0 or changed[number - 1].endswith(b"\n")
        if number not in damaged and follows_whole_line:
            alone, _ = ids_of(line)
            assert set(alone) <= set(found) | _failures(line), f"line {number} was lost"
    _check_parts(data, found, chance)


def _failures(line: bytes) -> set[str]:
    """The end of a tool call tells its failure only together with its start."""
    event = json.loads(line)
    return {str(event.get("id"))} if event.get("type") == "tool.execution_complete" else set()


def _check_parts(data: bytes, found: list[str], chance: random.Random) -> None:
    """Reading in two parts finds what reading at once does."""
    _, ended = ids_of(data + b"\n")
    if DamageKind.RAW_NEWLINE in ended.damage.lines:
        return  # a broken string across the parts costs its event
    first, before = ids_of(data[: chance.randrange(len(data) + 1)])
    second, _ = ids_of(data, before.offset, before.events)
    ends = {number for number in found if number not in {*first, *second}}
    assert not ends or _are_ends(data, ends), "lost between two parts"


def _are_ends(data: bytes, ids: set[str]) -> bool:
    """Whether these are ends of commands, whose start was in the part before."""
    return all(
        b"tool.execution_complete" in line
        for number in ids
        for line in data.split(b"\n")
        if number.encode() in line and b'"id":"' + number.encode() in line
    )
