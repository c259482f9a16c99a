"""Which sessions a store holds, and what else lies there."""

import os
import sys
from pathlib import Path

import pytest

from imprint.base.pathcontext import NativePaths
from imprint.learn import Policy, SessionState, SkippedSessions, SkipReason
from imprint.learn.reading import Task
from imprint.learn.session import learn_session
from imprint.learn.store import found_at
from tests.capabilities import needs_byte_names, needs_links, needs_modes
from tests.learn.support import Home, Transcript
from tests.support import as_nobody

SAID = Transcript().start().turn("a", "b")


def test_a_folder_without_a_transcript_is_counted(home: Home) -> None:
    (home.state / "s").mkdir(parents=True)
    (home.state / "s" / "workspace.yaml").write_text("cwd: /a\n", encoding="utf-8")
    assert home.learn().skipped == {SkipReason.NO_TRANSCRIPT: 1}


def test_an_empty_file_is_counted_and_learned_once_it_is_not_empty(home: Home) -> None:
    home.put("s", b"")
    assert home.learn().skipped == {SkipReason.EMPTY: 1}
    home.put("s", SAID)
    assert home.learn().turns == 2


def test_a_file_of_unknown_events_alone_is_counted_apart(home: Home) -> None:
    home.put("s", Transcript().event("conversation.item", {}).event("conversation.item", {}))
    report = home.learn()
    assert report.skipped == {SkipReason.UNKNOWN_EVENTS: 1}
    assert report.damage.unknown == {"conversation.item": 2}


def test_a_file_of_nul_bytes_alone_is_counted(home: Home) -> None:
    home.put("s", b"\0" * 4096 + b"\n")
    [skipped] = home.learn().skipped_sessions
    assert skipped.reason is SkipReason.UNKNOWN_EVENTS


def test_a_session_in_which_nobody_spoke_is_counted(home: Home) -> None:
    home.put("s", Transcript().start().event("session.info", {"message": "hello"}))
    assert home.learn().skipped == {SkipReason.NO_TURNS: 1}
    assert home.session("s") is None


@pytest.mark.parametrize(
    "path",
    [
        "session-state/0f5e.jsonl",
        "history-session-state/session_0f5e_17.json",
        "jb/0f5e/partition-1.jsonl",
    ],
)
def test_older_and_foreign_layouts_are_named_as_not_supported(home: Home, path: str) -> None:
    file = home.state.parent / path
    file.parent.mkdir(parents=True)
    file.write_bytes(SAID.bytes)
    [skipped] = home.learn().skipped_sessions
    assert skipped.reason is SkipReason.UNSUPPORTED_LAYOUT
    assert skipped.path == str(file)


def test_other_files_beside_the_sessions_are_nothing(home: Home) -> None:
    home.put("s", SAID)
    (home.state / "notes.txt").write_text("x", encoding="utf-8")
    report = home.learn()
    assert (report.learned, report.skipped) == (1, {})


def test_a_folder_of_collected_sessions_is_looked_through(home: Home, tmp_path: Path) -> None:
    for place in ("one/s1", "two/deep/s2"):
        file = tmp_path / "collected" / place / "events.jsonl"
        file.parent.mkdir(parents=True)
        file.write_bytes(Transcript(place).start().turn("a", "b").bytes)
    report = home.learn(SessionState(tmp_path / "collected", nested=True))
    assert (report.learned, report.skipped) == (2, {})
    assert home.texts("s2") == ["a", "b"]
    single = SessionState(tmp_path / "collected" / "one" / "s1", nested=True)
    assert home.learn(single).unchanged == 1


def test_folders_inside_a_session_are_no_sessions(home: Home) -> None:
    file = home.state / "s" / "files" / "events.jsonl"
    file.parent.mkdir(parents=True)
    file.write_bytes(SAID.bytes)
    assert home.learn().skipped == {SkipReason.NO_TRANSCRIPT: 1}


@needs_modes
def test_a_transcript_that_cannot_be_read_is_counted_and_tried_again(home: Home) -> None:
    path = home.put("s", SAID)
    path.chmod(0)
    found = found_at(path, NativePaths())
    assert found is not None
    task = Task(home.memory, found, Policy(), None, lambda _: "")
    assert as_nobody(lambda: str(learn_session(task).reason)) == SkipReason.UNREADABLE
    path.chmod(0o600)
    assert home.learn().turns == 2


def test_a_folder_in_place_of_the_transcript_is_counted(home: Home) -> None:
    (home.state / "s" / "events.jsonl").mkdir(parents=True)
    assert home.learn().skipped == {SkipReason.UNREADABLE: 1}


def test_of_two_homes_with_the_same_session_the_longer_file_is_read(home: Home) -> None:
    longer = Transcript().start().turn("a", "b").turn("c", "d")
    home.put("s", SAID)
    other = home.state.parent.parent / "other" / "session-state"
    (other / "s").mkdir(parents=True)
    (other / "s" / "events.jsonl").write_bytes(longer.bytes)
    states = (SessionState(home.state), SessionState(other))
    report = home.learn(*states)
    assert (report.learned, report.turns) == (1, 4)
    assert report.skipped == {SkipReason.DUPLICATE: 1}
    again = home.learn(*states)
    assert (again.unchanged, again.turns, again.skipped) == (1, 0, {SkipReason.DUPLICATE: 1})


def test_what_was_skipped_is_kept_with_its_reason_and_goes_when_it_is_gone(home: Home) -> None:
    path = home.put("s", Transcript().start(None).turn("a", "b"))
    home.put("t", b"")
    home.learn()
    listed = {item.key: item.reason for item in SkippedSessions(home.world.layout().skipped)}
    assert listed == {
        "conversation/s": SkipReason.NO_DIRECTORY,
        "conversation/t": SkipReason.EMPTY,
    }
    path.unlink()
    path.parent.rmdir()
    home.put("t", SAID)
    home.learn()
    assert list(SkippedSessions(home.world.layout().skipped)) == []


def test_skipped_sessions_are_not_read_again_while_nothing_changes(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.put("s", Transcript().start(None).turn("a", "b"))
    home.learn()
    opened: list[str] = []
    sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name == "open" else None)
    assert home.learn().skipped == {SkipReason.NO_DIRECTORY: 1}
    assert not [path for path in opened if path.endswith("events.jsonl")]


@needs_links
def test_links_between_folders_do_not_go_on_for_ever(home: Home, tmp_path: Path) -> None:
    root = tmp_path / "loop"
    root.mkdir()
    (root / "self").symlink_to(root)
    assert home.learn(SessionState(root, nested=True)).learned == 0


@needs_byte_names
def test_a_folder_whose_name_is_no_text_is_a_session_like_any_other(home: Home) -> None:
    name = os.fsdecode(b"caf\xe9")
    home.put(name, SAID)
    assert home.learn().turns == 2
    assert home.learn().unchanged == 1
    assert home.texts("caf\\udce9") == ["a", "b"]
    other = os.fsdecode(b"na\xefve")
    path = home.put(other, Transcript("x").start(None).turn("a", "b"))
    for _ in range(2):
        [skipped] = home.learn().skipped_sessions
        assert skipped.path == str(path).replace(other, "na\\udcefve")
        assert skipped.reason is SkipReason.NO_DIRECTORY
