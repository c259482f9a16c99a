"""Whether a transcript holds the turn that a Stop hook announced."""

from pathlib import Path

import pytest

from imprint.learn.completeness import QUIET_SECONDS, TAIL_BYTES, State, Watch
from tests.learn.support import START, Transcript


def state(path: Path, transcript: Transcript | bytes, stopped_at: float, quiet: float = 0) -> State:
    """What a look at this content tells, after a time without change."""
    path.write_bytes(transcript if isinstance(transcript, bytes) else transcript.bytes)
    watch = Watch(str(path), stopped_at)
    watch.look(0)
    return watch.look(quiet)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A transcript's place."""
    return tmp_path / "events.jsonl"


def at(transcript: Transcript) -> float:
    """A moment after the last event."""
    return transcript.now.timestamp() + 0.1


def test_a_transcript_without_the_last_answer_is_open(path: Path) -> None:
    asked = Transcript().start().turn("a", "b").user("c")
    assert state(path, asked, at(asked), quiet=60) is State.OPEN


def test_the_end_of_the_stop_hook_completes_the_turn(path: Path) -> None:
    transcript = Transcript().start().turn("a", "b")
    stopped = at(transcript)
    assert state(path, transcript.stop(), stopped) is State.COMPLETE


def test_the_end_of_an_earlier_stop_hook_completes_nothing(path: Path) -> None:
    transcript = Transcript().start().turn("a", "b").stop().user("c")
    assert state(path, transcript, at(transcript)) is State.OPEN


def test_a_turn_is_complete_though_autopilot_went_on_at_once(path: Path) -> None:
    transcript = Transcript().start().turn("a", "b")
    stopped = at(transcript)
    transcript.stop().user("", isAutopilotContinuation=True).answer("on it", toolRequests=[{}])
    assert state(path, transcript, stopped) is State.COMPLETE


def test_the_hook_of_a_subagent_completes_what_is_there(path: Path) -> None:
    transcript = Transcript().start().user("a").answer("delegating", toolRequests=[{}])
    stopped = at(transcript)
    assert state(path, transcript.stop(), stopped) is State.COMPLETE


def test_another_event_from_after_the_stop_completes_a_settled_turn(path: Path) -> None:
    transcript = Transcript().start().turn("a", "b")
    stopped = at(transcript)
    transcript.event("session.shutdown", {})
    assert state(path, transcript, stopped) is State.COMPLETE


def test_a_new_prompt_alone_does_not_complete_the_turn_before(path: Path) -> None:
    transcript = Transcript().start().turn("a", "b").user("c")
    assert state(path, transcript, at(transcript) - 30) is State.OPEN


def test_without_records_of_hooks_a_quiet_settled_file_has_to_do(path: Path) -> None:
    transcript = Transcript().start().turn("a", "b")
    assert state(path, transcript, at(transcript)) is State.OPEN
    assert state(path, transcript, at(transcript), quiet=QUIET_SECONDS) is State.COMPLETE


def test_releases_without_events_of_turns_settle_with_an_answer_without_tools(path: Path) -> None:
    transcript = Transcript().start().user("a").answer("b")
    assert state(path, transcript, at(transcript), quiet=60) is State.COMPLETE
    transcript.answer("c", toolRequests=[{"toolCallId": "x"}])
    assert state(path, transcript, at(transcript), quiet=60) is State.OPEN


@pytest.mark.parametrize("kind", ["abort", "session.shutdown"])
def test_an_aborted_turn_is_settled(path: Path, kind: str) -> None:
    transcript = Transcript().start().user("a").event("assistant.turn_start", {})
    assert state(path, transcript.event(kind, {}), at(transcript), quiet=60) is State.COMPLETE


def test_what_subagents_say_settles_nothing(path: Path) -> None:
    transcript = Transcript().start().user("a").answer("delegating", toolRequests=[{}])
    transcript.answer("sub", agent="a1").answer("sub", parentToolCallId="c")
    assert state(path, transcript, at(transcript), quiet=60) is State.OPEN


def test_a_half_written_last_line_counts_as_not_written(path: Path) -> None:
    transcript = Transcript().start().user("a").answer("b")
    assert state(path, transcript.bytes[:-1], at(transcript), quiet=60) is State.OPEN


def test_a_missing_file_is_missing(path: Path) -> None:
    assert Watch(str(path), 0).look(0) is State.MISSING


def test_only_the_end_of_a_long_file_is_looked_at(path: Path) -> None:
    transcript = Transcript().start().event("system.message", {"content": "x" * 2 * TAIL_BYTES})
    transcript.turn("a", "b")
    stopped = at(transcript)
    assert state(path, transcript.stop(), stopped) is State.COMPLETE


def test_damaged_lines_do_not_hide_the_others(path: Path) -> None:
    transcript = Transcript().start().turn("a", "b")
    transcript.lines.append(b"\0\0 no event \xff\n")
    stopped = at(transcript)
    assert state(path, transcript.stop(), stopped) is State.COMPLETE


def test_a_file_that_grows_is_not_quiet(path: Path) -> None:
    transcript = Transcript().start().turn("a", "b")
    path.write_bytes(transcript.bytes)
    watch = Watch(str(path), START.timestamp() + 1e6)
    assert watch.look(0) is State.OPEN
    path.write_bytes(transcript.turn("c", "d").bytes)
    assert watch.look(QUIET_SECONDS) is State.OPEN
    assert watch.look(2 * QUIET_SECONDS) is State.COMPLETE
