"""Importing again and again: resumed, rewritten, undone, copied, forgotten."""

import os
import shutil
from pathlib import Path

import pytest

from imprint.hook_entry import read_digest
from imprint.learn import SessionState, SkipReason
from imprint.learn.reading import Reading
from imprint.memory import StoreFull
from tests.learn.support import Home, Transcript

pytestmark = pytest.mark.usefixtures("here_and_ahead")


def test_a_second_scan_finds_nothing_new(home: Home) -> None:
    home.put("s", Transcript().start().turn("a", "b"))
    assert home.learn().turns == 2
    again = home.learn()
    assert (again.learned, again.unchanged, again.turns) == (0, 1, 0)


def test_a_session_that_goes_on_is_read_from_where_reading_stopped(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = Transcript().start().turn("a", "b")
    home.put("s", transcript)
    home.learn()
    known = len(transcript.bytes)
    home.put("s", transcript.turn("c", "d"))
    starts: list[int] = []
    original = Reading.read

    def spy(self: Reading) -> None:
        starts.append(self.reader.offset)
        original(self)

    monkeypatch.setattr(Reading, "read", spy)
    report = home.learn()
    assert (report.learned, report.turns) == (1, 2)
    assert starts == [known]
    assert home.texts("s") == ["a", "b", "c", "d"]


def test_a_resumed_session_is_one_session(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b").event("session.shutdown", {})
    home.put("s", transcript)
    home.learn()
    size, events = len(transcript.bytes), len(transcript.lines)
    resumed = {"resumeTime": "", "eventCount": events, "eventsFileSizeBytes": size}
    transcript.event("session.resume", {**resumed, "context": {"cwd": "/home/me/other"}})
    home.put("s", transcript.turn("c", "d"))
    report = home.learn()
    assert report.gaps == ()
    assert home.texts("s") == ["a", "b", "c", "d"]
    detail = home.session("s")
    assert detail is not None
    assert detail.directories == ("/home/me/app", "/home/me/other")


def test_a_half_written_line_waits_for_its_other_half(home: Home) -> None:
    whole = Transcript().start().turn("a", "b").user("x" * 300_000).bytes
    home.put("s", whole[:-150_000])
    report = home.learn()
    assert report.turns == 2
    assert not report.damage.lines
    home.put("s", whole)
    assert home.learn().turns == 1


def test_a_last_line_without_its_end_is_learned_once(home: Home) -> None:
    transcript = Transcript().start().user("a").answer("b")
    home.put("s", transcript.bytes[:-1])
    assert home.learn().turns == 2
    assert home.learn().turns == 0
    home.put("s", transcript.user("c"))
    assert home.learn().turns == 1
    assert home.texts("s") == ["a", "b", "c"]


@pytest.mark.parametrize("how", ["in place", "another file"])
def test_what_the_user_undid_leaves_the_memory(home: Home, how: str) -> None:
    transcript = Transcript().start().turn("a", "b").turn("undone", "too")
    transcript.tool("bash", {"command": "undone"})
    path = home.put("s", transcript)
    assert home.learn().turns == 4
    # Copilot cuts its file before the prompt that was undone, then goes on behind it.
    cut = Transcript().start().turn("a", "b").turn("instead of it", "a long answer " * 200)
    if how == "another file":
        path.unlink()
    home.put("s", cut)
    assert home.learn().removed >= 2
    assert home.texts("s")[:3] == ["a", "b", "instead of it"]
    assert home.memory.search("undone", kinds=("user", "assistant", "command")) == []
    assert home.work("s") == []


def test_what_was_undone_leaves_the_memory_before_anything_else_is_said(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    kept = transcript.bytes
    home.put("s", transcript.turn("undone", "too"))
    home.learn()
    home.put("s", kept)
    home.learn()
    assert home.texts("s") == ["a", "b"]


def test_everything_can_be_undone(home: Home) -> None:
    transcript = Transcript().start()
    kept = transcript.bytes
    home.put("s", transcript.turn("undone", "too"))
    home.learn()
    home.put("s", kept)
    home.learn()
    assert home.texts("s") == []


@pytest.mark.parametrize("listed", [True, False])
def test_a_recorded_rewind_takes_its_turns_out(home: Home, listed: bool) -> None:
    transcript = Transcript().start().turn("a", "b")
    first = len(transcript.ids)
    transcript.turn("undone", "too")
    data: dict[str, object] = {"upToEventId": transcript.ids[first], "eventsRemoved": 4}
    if listed:
        data["eventIds"] = transcript.ids[first:]
    transcript.event("session.snapshot_rewind", data).turn("c", "d")
    home.put("s", transcript)
    home.learn()
    assert home.texts("s") == ["a", "b", "c", "d"]


def test_a_recorded_rewind_reaches_what_was_learned_before(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    start_of_turn = len(transcript.ids)
    home.put("s", transcript.turn("undone", "too").tool("bash", {"command": "undone"}))
    home.learn()
    data = {"upToEventId": transcript.ids[start_of_turn], "eventsRemoved": 6}
    home.put("s", transcript.event("session.snapshot_rewind", data))
    assert home.learn().removed == 3
    assert home.texts("s") == ["a", "b"]
    assert home.work("s") == []


def test_events_that_a_rewind_does_not_list_stay(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b").user("undone")
    undone = transcript.ids[-1]
    transcript.tool("create", {"path": "/by/a/background/agent"})
    data = {"upToEventId": undone, "eventsRemoved": 1, "eventIds": [undone]}
    home.put("s", transcript.event("session.snapshot_rewind", data))
    home.learn()
    assert home.texts("s") == ["a", "b"]
    assert home.work("s") == [("write", "/by/a/background/agent")]


def test_a_rewind_to_an_event_that_is_not_there_changes_nothing(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    transcript.event("session.snapshot_rewind", {"upToEventId": "gone", "eventsRemoved": 9})
    home.put("s", transcript)
    home.learn()
    assert home.texts("s") == ["a", "b"]


def test_what_somebody_trimmed_from_a_file_stays_learned(home: Home) -> None:
    transcript = Transcript().start()
    for number in range(20):
        transcript.turn(f"q{number}", f"a{number}")
    home.put("s", transcript)
    home.learn()
    trimmed = transcript.lines[:5] + transcript.lines[-8:]
    home.put("s", b"".join(trimmed))
    report = home.learn()
    assert (report.turns, report.removed) == (0, 0)
    assert len(home.texts("s")) == 40
    transcript.turn("and", "on")
    home.put("s", b"".join(trimmed + transcript.lines[-4:]))
    assert home.learn().turns == 2
    assert home.texts("s")[-3:] == ["a19", "and", "on"]


def test_what_was_trimmed_stays_even_if_nothing_known_is_left(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    home.put("s", transcript)
    home.learn()
    known = len(transcript.lines)
    for number in range(9):
        transcript.turn(f"q{number}", f"a{number}")
    home.put("s", b"".join(transcript.lines[:1] + transcript.lines[known + 4 :]))
    home.learn()
    assert home.texts("s")[:3] == ["a", "b", "q1"]


def test_a_file_that_a_crash_filled_with_nul_bytes_takes_nothing_away(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b").turn("c", "d")
    home.put("s", transcript)
    home.learn()
    half = len(b"".join(transcript.lines[:5]))
    home.put("s", transcript.bytes[:half] + b"\0" * (len(transcript.bytes) - half))
    report = home.learn()
    assert (report.turns, report.removed) == (0, 0)
    assert home.texts("s") == ["a", "b", "c", "d"]


def test_another_first_line_means_another_file_of_which_nothing_is_doubled(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    home.put("s", transcript)
    home.learn()
    home.put("s", b"".join(transcript.lines[1:]) + Transcript("x").turn("c", "d").bytes)
    report = home.learn()
    assert (report.turns, report.removed) == (2, 0)
    assert home.texts("s") == ["a", "b", "c", "d"]


def test_another_inode_with_the_same_bytes_is_read_on(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    path = home.put("s", transcript)
    home.learn()
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.replace(path)
    report = home.learn()
    assert (report.unchanged, report.turns) == (1, 0)
    home.put("s", transcript.turn("c", "d"))
    assert home.learn().turns == 2


def test_events_that_are_repeated_in_a_file_are_one_turn_each(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    home.put("s", transcript.bytes + b"".join(transcript.lines[1:]))
    assert home.learn().turns == 2
    assert home.texts("s") == ["a", "b"]


def test_a_touched_file_is_no_news(home: Home) -> None:
    path = home.put("s", Transcript().start().turn("a", "b"))
    home.learn()
    os.utime(path, (1, 1))
    assert home.learn().unchanged == 1
    assert home.learn().unchanged == 1


def test_a_copied_session_folder_is_learned_once(home: Home) -> None:
    transcript = Transcript().start().turn("unmistakable", "b")
    original = home.put("s", transcript)
    os.utime(original, (1, 1))
    home.learn()
    home.put("copy", transcript)
    [skipped] = home.learn().skipped_sessions
    assert (skipped.reason, skipped.detail) == (SkipReason.COPY, "conversation/s")
    assert len(home.memory.search("unmistakable")) == 1


def test_a_forked_session_adds_its_own_turns_alone(home: Home) -> None:
    transcript = Transcript().start().turn("shared", "yes")
    home.put("s", transcript)
    os.utime(home.put("fork", Transcript().start().turn("shared", "yes").turn("own", "fork's")))
    home.learn()
    assert home.texts("s") == ["shared", "yes"]
    assert home.texts("fork") == ["own", "fork's"]
    fork = Transcript().start().turn("shared", "yes").turn("own", "fork's").turn("more", "of it")
    home.put("fork", fork)
    home.learn()
    assert home.texts("fork") == ["own", "fork's", "more", "of it"]


def test_a_renamed_session_does_not_double(home: Home) -> None:
    transcript = Transcript().start().turn("unmistakable", "b")
    path = home.put("s", transcript)
    home.learn()
    path.parent.rename(path.parent.with_name("renamed"))
    home.put("renamed", transcript.turn("c", "d"))
    home.learn()
    assert len(home.memory.search("unmistakable")) == 1
    assert home.texts("renamed") == ["c", "d"]


def test_short_event_ids_of_other_producers_are_no_sign_of_a_copy(home: Home) -> None:
    line = '{{"type":"user.message","id":"e2","data":{{"content":"{}"}}}}\n'
    start = '{"type":"session.start","id":"e1","data":{"context":{"cwd":"/a"}}}\n'
    for name in ("one", "two"):
        home.put(name, (start + line.format(name)).encode())
    home.learn()
    assert (home.texts("one"), home.texts("two")) == (["one"], ["two"])


def test_a_shorter_copy_elsewhere_takes_nothing_away(home: Home, tmp_path: Path) -> None:
    transcript = Transcript().start().turn("a", "b")
    old = tmp_path / "backup" / "s" / "events.jsonl"
    old.parent.mkdir(parents=True)
    old.write_bytes(transcript.bytes)
    home.put("s", transcript.turn("c", "d"))
    home.learn()
    report = home.learn(SessionState(tmp_path / "backup"))
    assert report.skipped == {SkipReason.DUPLICATE: 1}
    assert home.texts("s") == ["a", "b", "c", "d"]
    assert home.learn().unchanged == 1


def test_a_longer_copy_elsewhere_adds_what_is_new(home: Home, tmp_path: Path) -> None:
    transcript = Transcript().start().turn("a", "b")
    home.put("s", transcript)
    home.learn()
    moved = tmp_path / "moved" / "s" / "events.jsonl"
    moved.parent.mkdir(parents=True)
    moved.write_bytes(transcript.turn("c", "d").bytes)
    assert home.learn(SessionState(tmp_path / "moved")).turns == 2
    assert home.texts("s") == ["a", "b", "c", "d"]


def test_a_deleted_folder_leaves_what_was_learned(home: Home) -> None:
    path = home.put("s", Transcript().start().turn("a", "b"))
    home.learn()
    shutil.rmtree(path.parent)
    home.learn()
    assert home.texts("s") == ["a", "b"]


def test_a_forgotten_session_stays_forgotten(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    home.put("s", transcript)
    home.learn()
    home.memory.forget(session="conversation/s")
    assert home.learn().skipped == {SkipReason.FORGOTTEN: 1}
    home.put("s", transcript.turn("c", "d"))
    assert home.learn().skipped == {SkipReason.FORGOTTEN: 1}
    assert home.memory.search("a") == []


def test_a_gap_in_what_copilot_recorded_is_shown(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    place = len(transcript.bytes)
    resumed = {"resumeTime": "", "eventCount": 99, "eventsFileSizeBytes": place + 1000}
    transcript.event("session.resume", resumed)
    end = len(transcript.bytes)
    transcript.event("session.shutdown", {"eventsFileSizeBytes": end})
    home.put("s", transcript)
    gaps = home.learn().gaps
    assert [(key, gap.what, gap.recorded, gap.read) for key, gap in gaps] == [
        ("conversation/s", "events", 99, 5),
        ("conversation/s", "bytes", place + 1000, place),
    ]


def test_damaged_lines_are_counted_and_cost_no_others(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b").turn("c", "d")
    transcript.lines[3] = transcript.lines[3][:50] + b"\n"
    home.put("s", transcript)
    report = home.learn()
    assert report.damage.bad_lines == 1
    assert home.texts("s") == ["a", "c", "d"]


def test_digests_of_the_directories_are_prepared(home: Home) -> None:
    transcript = Transcript().start("/home/me/app").turn("remember the heron", "b")
    home.put("s", transcript.event("session.context_changed", {"cwd": "/home/me/lib"}))
    home.learn()
    digests = str(home.world.layout().digests)
    for directory in ("/home/me/app", "/home/me/app/src"):
        assert "remember the heron" in read_digest(digests, directory)
    assert not list(home.world.layout().digests.glob(".due"))


def test_digests_that_a_killed_run_left_due_are_prepared_by_the_next(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.put("s", Transcript().start("/home/me/app").turn("remember the heron", "b"))

    def fail(*_: object, **__: object) -> int:
        raise StoreFull("no room")

    with monkeypatch.context() as patch:
        patch.setattr("imprint.learn.run.prepare_digests", fail)
        with pytest.raises(StoreFull):
            home.learn()
    assert home.learn().unchanged == 1
    assert "heron" in read_digest(str(home.world.layout().digests), "/home/me/app")


def test_a_failing_memory_learns_nothing_of_that_session_and_the_next_run_all(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.put("s", Transcript().start().turn("a", "b").turn("c", "d"))
    from imprint.memory import SessionImport

    def full(*_: object) -> None:
        raise StoreFull("no room")

    with monkeypatch.context() as patch:
        patch.setattr(SessionImport, "finish", full)
        with pytest.raises(StoreFull):
            home.learn()
    assert home.session("s") is None
    assert home.learn().turns == 4
