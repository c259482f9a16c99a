"""A process that reads ahead: it says what reading here says, and never stays behind."""

import errno
import io
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from imprint.learn import SkipReason, ahead
from imprint.learn.ahead import AHEAD_BYTES, NotAheadError, ReadAhead, is_worth_it
from imprint.learn.damage import Damage
from imprint.learn.events import Event, SnapshotRewind, ToolStart
from imprint.learn.reader import TranscriptReader
from imprint.learn.tools import Started, started_work
from tests.capabilities import needs_fork
from tests.learn import fuzz
from tests.learn.support import Home, Transcript

pytestmark = needs_fork

MANY = 3 * ahead.ITEMS


@dataclass
class Said:
    """All that a reader says."""

    events: list[tuple[int, str, Event | Started, int]]
    offset: int
    total: int
    damage: Damage
    oldest: tuple[int, int] | None


def here(content: bytes, offset: int = 0, events: int = 0) -> Said:
    """Reading in this process, passing over what may be passed over."""
    reader = TranscriptReader(io.BytesIO(content), offset=offset, events=events)
    said: list[tuple[int, str, Event | Started, int]] = []
    for start, event_id, event in reader.read():
        if isinstance(event, ToolStart):
            reader.skip_repeats(event)
            if works := started_work(event):
                said.append((start, event_id, Started(event.time, works), reader.before))
            continue
        if isinstance(event, SnapshotRewind):
            reader.forget_repeats()
        said.append((start, event_id, event, reader.before))
    return Said(said, reader.offset, reader.events, reader.damage, reader.oldest_open_tool)


def elsewhere(path: Path, offset: int = 0, events: int = 0) -> Said:
    """The same by a process of its own."""
    with path.open("rb") as file:
        reader = ReadAhead(path, file, offset=offset, events=events)
    said = [(*found, reader.before) for found in reader.read()]
    return Said(said, reader.offset, reader.events, reader.damage, reader.oldest_open_tool)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a transcript lies."""
    return tmp_path / "events.jsonl"


@pytest.fixture
def home_ahead(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home whose sessions are read ahead, be they large or not."""
    monkeypatch.setattr("imprint.learn.reading.is_worth_it", lambda size: True)
    return home


def long_talk() -> Transcript:
    """More than is sent together, with calls that come again and some that fail."""
    transcript = Transcript().start()
    for number in range(MANY):
        transcript.tool("bash", {"command": f"make {number % 7}"}, success=number % 5 > 0)
        transcript.turn(f"q{number}", f"a{number}")
    return transcript


def test_it_says_what_reading_here_says(path: Path) -> None:
    content = long_talk().bytes
    path.write_bytes(content)
    assert elsewhere(path) == here(content)
    middle = here(content[: len(content) // 2])
    assert elsewhere(path, middle.offset, middle.total) == here(
        content, middle.offset, middle.total
    )


@pytest.mark.parametrize("seed", range(40))
def test_it_says_the_same_of_damaged_files(path: Path, seed: int) -> None:
    inputs = fuzz.corpus()
    chance = Random(seed)
    content = fuzz.mutate(chance.choice(inputs), chance, inputs)
    path.write_bytes(content)
    assert elsewhere(path) == here(content)


def test_calls_come_again_after_a_rewind(path: Path) -> None:
    transcript = Transcript().start().turn("a", "b")
    for _ in range(2):
        transcript.tool("bash", {"command": "make"}).tool("bash", {"command": "make"})
        transcript.event("session.snapshot_rewind", {"upToEventId": "gone", "eventsRemoved": 1})
    path.write_bytes(transcript.bytes)
    said = elsewhere(path)
    assert said == here(transcript.bytes)
    assert sum(isinstance(event, Started) for _, _, event, _ in said.events) == 2


def test_the_first_event_comes_at_once_and_then_more_and_more() -> None:
    reader = TranscriptReader(io.BytesIO(long_talk().bytes))
    sizes = [len(items) for items in ahead._bundles(reader)]
    assert sizes[:8] == [1, 2, 4, 8, 16, 32, 64, ahead.ITEMS]
    assert max(sizes) == ahead.ITEMS


def test_long_lines_are_not_sent_together() -> None:
    transcript = Transcript().start()
    for _ in range(MANY):
        transcript.user("x" * ahead.ITEM_BYTES)
    sizes = [len(items) for items in ahead._bundles(TranscriptReader(io.BytesIO(transcript.bytes)))]
    assert set(sizes) <= {0, 1, 2}


def test_whoever_stops_listening_leaves_no_process(path: Path) -> None:
    path.write_bytes(long_talk().bytes)
    with path.open("rb") as file:
        reader = ReadAhead(path, file, offset=0, events=0)
    with closing(reader.read()) as events:
        next(events)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_file_that_cannot_be_read_is_an_error_of_the_system(path: Path) -> None:
    path.write_bytes(b"")
    with path.open("rb") as file:
        reader = ReadAhead(path, file, offset=0, events=0)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        list(reader.read())


def test_another_file_in_its_place_is_not_read(path: Path) -> None:
    path.write_bytes(long_talk().bytes)
    with path.open("rb") as file:
        reader = ReadAhead(path, file, offset=0, events=0)
        path.rename(path.with_suffix(".old"))
        path.write_bytes(Transcript().start().bytes)
        with pytest.raises(NotAheadError):
            list(reader.read())


def test_a_reader_that_is_killed_costs_nothing(
    home_ahead: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork = os.fork

    def fork_and_kill() -> int:
        process = fork()
        if process:
            os.kill(process, signal.SIGKILL)
        return process

    monkeypatch.setattr(os, "fork", fork_and_kill)
    home_ahead.put("s", long_talk())
    assert home_ahead.learn().turns == 2 * MANY
    assert len(home_ahead.work("s")) == 2 * 7  # each command, and that it failed


@pytest.mark.parametrize("name", ["pipe", "fork"])
def test_a_reader_that_cannot_be_started_costs_nothing(
    home_ahead: Home, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, "resource temporarily unavailable")

    monkeypatch.setattr(os, name, refuse)
    home_ahead.put("s", long_talk())
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    assert home_ahead.learn().turns == 2 * MANY
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


def test_a_reader_that_fails_costs_nothing_and_says_nothing(
    home_ahead: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fails(reader: TranscriptReader) -> Iterator[None]:
        yield from ()
        raise ZeroDivisionError

    monkeypatch.setattr(ahead, "_bundles", fails)
    home_ahead.put("s", long_talk())
    assert home_ahead.learn().turns == 2 * MANY
    assert capfd.readouterr() == ("", "")


def test_a_transcript_that_vanishes_is_skipped(
    home_ahead: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home_ahead.put("s", Transcript().start().turn("a", "b"))
    fork = os.fork

    def vanish() -> int:
        path.unlink(missing_ok=True)
        return fork()

    monkeypatch.setattr(os, "fork", vanish)
    report = home_ahead.learn()
    assert report.skipped == {SkipReason.UNREADABLE: 1}


def test_it_is_worth_it_for_large_files_where_it_can_be_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert is_worth_it(AHEAD_BYTES)
    assert not is_worth_it(AHEAD_BYTES - 1)
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert not is_worth_it(AHEAD_BYTES)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1})
    assert not is_worth_it(AHEAD_BYTES)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setattr("sys.platform", "darwin")
    assert not is_worth_it(AHEAD_BYTES)


def test_a_large_first_import_is_read_ahead_and_leaves_no_thread(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setattr(ahead, "AHEAD_BYTES", 1024)
    forks = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: forks.append(1) or fork())
    home.put("s", long_talk())
    home.put("t", Transcript("t").start().turn("a", "b"))
    running = threading.enumerate()
    assert home.learn().turns == 2 * MANY + 2
    assert len(forks) == 2
    assert threading.enumerate() == running
