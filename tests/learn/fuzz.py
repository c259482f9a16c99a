"""Mutates transcripts byte by byte: `python -m tests.learn.fuzz --seconds 3600`.

What it finds is written to `--finds DIR`. Reduced to the lines that matter, with words of our own,
a find goes into `tests/learn/data/fuzz/`, and `test_fuzz.py` replays it for ever after. The corpus
holds real transcripts where they lie beside the checkout; nothing of them is copied from there.
"""

import argparse
import functools
import hashlib
import io
import random
import tempfile
import time
import traceback
from pathlib import Path

from imprint.base.paths import Environment
from imprint.learn import SessionState, learn_homes, load_policy
from imprint.learn.reader import TranscriptReader
from imprint.memory import Memory
from tests.learn.support import SHARED, Transcript

REDUCED = Path(__file__).parent / "data" / "fuzz"
FINDS = Path(tempfile.gettempdir()) / "imprint-fuzz"
LARGEST = 64 * 1024
IMPORT_EVERY = 25
"""Reading is a thousand times faster than importing; every so many inputs are imported too."""

_PIECES = (
    b"\n", b"\r\n", b"\0" * 64, b"{", b"}", b'"', b"\\", b'\\ud83d', b"\xe2\x80\xa8", b"\xff\xfe",
    b"\xef\xbb\xbf", b"null", b"[]", b"1e999", b'{"type":"user.message"}', b'"data":null,',
    b'"content":""', b'{"type":"session.start","data":{},"id":"', b"9" * 400, b"[" * 400,
)  # fmt: skip


@functools.cache
def corpus() -> list[bytes]:
    """Whole transcripts, each at most `LARGEST` bytes."""
    own = Transcript().start().user("where is it?").lines
    found = [b"".join(own)]
    found += [path.read_bytes()[:LARGEST] for path in sorted(REDUCED.glob("*.jsonl"))]
    found += [path.read_bytes()[:LARGEST] for path in sorted(SHARED.rglob("events*.jsonl"))]
    return [content for content in found if content]


def mutate(content: bytes, chance: random.Random, corpus: list[bytes]) -> bytes:
    """A few random changes: bytes, cuts, repeats, whole lines, pieces of another transcript."""
    data = bytearray(content)
    for _ in range(chance.randint(1, 8)):
        if not data:
            break
        place = chance.randrange(len(data))
        length = chance.choice((1, 2, 8, 60, 400))
        match chance.randrange(8):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                data[place] ^= 1 << chance.randrange(8)
            case 2:
                del data[place : place + length]
            case 3:
                data[place:place] = data[place : place + length]
            case 4:
                data[place:place] = chance.choice(_PIECES)
            case 5:
                other = chance.choice(corpus)
                begin = chance.randrange(len(other))
                data[place:place] = other[begin : begin + length * 4]
            case 6:
                lines = bytes(data).split(b"\n")
                chance.shuffle(lines)
                data = bytearray(b"\n".join(lines))
            case _:
                del data[place:]
    return bytes(data[: 2 * LARGEST])


def check_reading(content: bytes) -> None:
    """No exception, places in order, and reading in two parts finds what reading at once does."""
    whole = TranscriptReader(io.BytesIO(content))
    found = []
    for offset, event_id, _ in whole.read():
        assert 0 <= offset < len(content)
        assert event_id
        found.append((offset, event_id))
    assert whole.offset <= len(content)
    assert [place for place, _ in found] == sorted(place for place, _ in found)
    if content.endswith(b"\n"):  # a last line without its end waits, and is read again
        again = TranscriptReader(io.BytesIO(content), offset=whole.offset, events=whole.events)
        assert list(again.read()) == []


def check_importing(content: bytes, root: Path) -> None:
    """Importing ends well, and importing again learns nothing."""
    environment = Environment.scratch(root)
    folder = root / "session-state" / "fuzzed"
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(content)
    layout = environment.layout()
    state = SessionState(root / "session-state")
    policy = load_policy(environment)
    with Memory.open(layout.store) as memory:
        learn_homes(memory, [state], policy=policy, layout=layout)
        again = learn_homes(memory, [state], policy=policy, layout=layout)
    assert (again.learned, again.turns) == (0, 0)


def fuzz(seconds: float, seed: int, finds: Path = FINDS) -> int:
    """Run for so long; returns how many inputs failed."""
    chance = random.Random(seed)
    inputs = corpus()
    deadline = time.monotonic() + seconds
    count = failures = 0
    while time.monotonic() < deadline:
        content = mutate(chance.choice(inputs), chance, inputs)
        count += 1
        try:
            check_reading(content)
            if count % IMPORT_EVERY == 0:
                with tempfile.TemporaryDirectory() as scratch:
                    check_importing(content, Path(scratch))
        except Exception:  # noqa: BLE001 - whatever it is, it is a find
            failures += 1
            finds.mkdir(parents=True, exist_ok=True)
            name = hashlib.sha256(content).hexdigest()[:16]
            (finds / f"{name}.jsonl").write_bytes(content)
            print(f"{name}:\n{traceback.format_exc()}", flush=True)  # noqa: T201
    print(f"{count} inputs, {failures} failures, seed {seed}", flush=True)  # noqa: T201
    return failures


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--finds", type=Path, default=FINDS)
    arguments = parser.parse_args()
    seed = time.time_ns() if arguments.seed is None else arguments.seed
    raise SystemExit(min(fuzz(arguments.seconds, seed, arguments.finds), 1))


if __name__ == "__main__":
    main()
