"""Draining the spool: every announced turn is learned, none is lost, nobody waits for ever."""

from pathlib import Path

import pytest

from imprint import hook_entry
from imprint.hook_entry import read_digest
from imprint.learn import LearningBusyError, LearnReport, SkipReason, drain_spool, pause
from imprint.learn.run import learning_lock
from imprint.learn.spool import KEEP_SECONDS, WAIT_SECONDS
from imprint.learn.spool_folder import REJECTED, pending
from imprint.memory import StoreFull
from tests.capabilities import needs_modes
from tests.learn.support import Home, ManualClock, Transcript


class Spool:
    """The spool of a home, with a clock that is moved by hand."""

    def __init__(self, home: Home, now: float) -> None:
        self.home = home
        self.clock = ManualClock(now)

    def announce(self, transcript: Path | str, name: str = "1", **more: object) -> Path:
        """What the Stop hook writes."""
        entry: dict[str, object] = {
            "version": 1,
            "action": "stop",
            "session_id": "s",
            "transcript_path": str(transcript),
            "cwd": "/home/me/app",
            "event_name": "Stop",
            "received_ns": int(self.clock.now() * 1e9),
            "copilot_home": "",
            **more,
        }
        return self.raw(hook_entry.encode_json(entry).encode(), name)

    def raw(self, data: bytes, name: str = "1") -> Path:
        """Any file in the spool."""
        folder = self.home.world.layout().spool
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.json"
        path.write_bytes(data)
        return path

    def drain(self, **options: float) -> LearnReport:
        """Drain it."""
        return drain_spool(self.home.world, clock=self.clock, **options)

    @property
    def left(self) -> list[str]:
        """Entries that are still there."""
        return [path.stem for path in pending(self.home.world.layout())]


TURN = Transcript().start().turn("a", "b")


@pytest.fixture
def spool(home: Home) -> Spool:
    """An empty spool, a moment after the turn."""
    return Spool(home, TURN.now.timestamp() + 0.05)


def turn() -> Transcript:
    """A transcript with one turn, to go on with."""
    return Transcript().start().turn("a", "b")


def test_an_empty_spool_needs_no_store(home: Home) -> None:
    assert drain_spool(home.world) == LearnReport()


def test_a_complete_turn_is_learned_and_its_entry_removed(home: Home, spool: Spool) -> None:
    spool.announce(home.put("s", turn().stop()))
    report = spool.drain()
    assert (report.learned, report.turns, report.waiting) == (1, 2, 0)
    assert spool.left == []
    assert home.texts("s") == ["a", "b"]
    assert spool.clock.waits == []


def test_the_last_answer_is_waited_for(home: Home, spool: Spool) -> None:
    whole = turn()
    path = home.put("s", b"".join(whole.lines[:3]))
    spool.announce(path)
    spool.clock.after(0.15, lambda: path.write_bytes(whole.stop().bytes))
    spool.drain()
    assert home.texts("s") == ["a", "b"]
    assert spool.left == []
    assert sum(spool.clock.waits) < 0.4


def test_the_transcript_itself_is_waited_for(home: Home, spool: Spool) -> None:
    path = home.state / "s" / "events.jsonl"
    spool.announce(path)
    spool.clock.after(0.1, lambda: home.put("s", turn().stop()))
    spool.drain()
    assert home.texts("s") == ["a", "b"]
    assert spool.left == []


def test_the_turn_before_does_not_pass_for_the_one_that_was_announced(
    home: Home, spool: Spool
) -> None:
    transcript = turn().stop().turn("c", "d")
    path = home.put("s", turn().stop())
    spool.clock = ManualClock(transcript.now.timestamp() + 0.05)
    spool.announce(path)
    spool.clock.after(0.15, lambda: path.write_bytes(transcript.stop().bytes))
    spool.drain()
    assert home.texts("s") == ["a", "b", "c", "d"]


def test_a_host_that_records_no_hooks_is_learned_when_its_file_is_quiet(
    home: Home, spool: Spool
) -> None:
    spool.announce(home.put("s", turn()))
    spool.drain()
    assert home.texts("s") == ["a", "b"]
    assert spool.left == []
    assert sum(spool.clock.waits) < WAIT_SECONDS


def test_an_incomplete_turn_is_learned_as_far_as_it_goes_and_its_entry_kept(
    home: Home, spool: Spool
) -> None:
    path = home.put("s", turn().user("c"))
    spool.announce(path)
    report = spool.drain()
    assert (report.turns, report.waiting) == (3, 1)
    assert spool.left == ["1"]
    assert sum(spool.clock.waits) == pytest.approx(WAIT_SECONDS, abs=0.2)
    path.write_bytes(turn().user("c").answer("d").stop().bytes)
    assert spool.drain().turns == 1
    assert spool.left == []
    assert home.texts("s") == ["a", "b", "c", "d"]


def test_a_late_entry_is_not_waited_for_again(home: Home, spool: Spool) -> None:
    spool.announce(home.put("s", turn().user("c")), received_ns=0)
    spool.drain()
    assert spool.clock.waits == []
    assert spool.left == []


def test_an_entry_whose_transcript_never_appears_goes_in_the_end(home: Home, spool: Spool) -> None:
    spool.announce(home.state / "s" / "events.jsonl")
    assert spool.drain().waiting == 1
    assert spool.left == ["1"]
    spool.clock.wait(KEEP_SECONDS)
    assert spool.drain().waiting == 0
    assert spool.left == []


def test_a_clock_that_was_set_back_keeps_nobody_waiting(home: Home, spool: Spool) -> None:
    spool.announce(home.put("s", turn().user("c")), received_ns=int(9e18))
    spool.drain()
    assert sum(spool.clock.waits) == pytest.approx(WAIT_SECONDS, abs=0.2)


def test_without_a_path_the_layout_of_session_state_decides(home: Home, spool: Spool) -> None:
    home.put("s", turn().stop())
    spool.announce("", copilot_home=str(home.state.parent))
    spool.drain()
    assert home.texts("s") == ["a", "b"]
    assert spool.left == []


def test_without_path_and_home_the_users_own_home_is_meant(home: Home, spool: Spool) -> None:
    home.put("s", turn().stop())
    spool.announce("")
    spool.drain()
    assert home.texts("s") == ["a", "b"]


@pytest.mark.parametrize("session_id", ["", "../s", "a/b"])
def test_an_entry_that_speaks_of_no_transcript_is_dropped(
    home: Home, spool: Spool, session_id: str
) -> None:
    spool.announce("", session_id=session_id)
    assert spool.drain().rejected == 0
    assert spool.left == []


def test_a_relative_path_is_meant_from_the_sessions_directory(home: Home, spool: Spool) -> None:
    home.put("s", turn().stop())
    path = "session-state/s/events.jsonl"
    spool.announce(path, cwd=str(home.state.parent))
    spool.drain()
    assert home.texts("s") == ["a", "b"]


def test_the_folder_of_the_transcript_is_the_key_whatever_id_was_announced(
    home: Home, spool: Spool
) -> None:
    path = home.put("parent", turn().stop())
    spool.announce(path, "1", session_id="agent-or-call-id")
    spool.announce(path, "2", session_id="parent")
    report = spool.drain()
    assert report.turns == 2
    assert home.texts("parent") == ["a", "b"]
    assert spool.left == []


def test_a_transcript_of_another_program_is_named_as_not_supported(
    home: Home, spool: Spool, tmp_path: Path
) -> None:
    other = tmp_path / "projects" / "x.jsonl"
    spool.announce(other)
    assert spool.drain().skipped == {SkipReason.UNSUPPORTED_LAYOUT: 1}
    assert spool.left == []


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"version": 99}', b"\0" * 100])
def test_an_entry_that_cannot_be_read_is_put_aside_and_stops_nobody(
    home: Home, spool: Spool, data: bytes
) -> None:
    spool.raw(data, "0")
    spool.announce(home.put("s", turn().stop()))
    report = spool.drain()
    assert (report.rejected, report.turns) == (1, 2)
    assert spool.left == []
    assert len(list((home.world.layout().spool / REJECTED).iterdir())) == 1


def test_only_the_latest_rejected_entries_are_kept(home: Home, spool: Spool) -> None:
    for number in range(40):
        spool.raw(b"{", f"{number:03d}")
    assert spool.drain().rejected == 40
    kept = sorted(path.stem for path in (home.world.layout().spool / REJECTED).iterdir())
    assert kept == [f"{number:03d}" for number in range(20, 40)]


def test_an_entry_that_appears_meanwhile_is_learned_too(home: Home, spool: Spool) -> None:
    first = home.put("s", turn())
    spool.announce(first, "1")
    other = Transcript("t").start().turn("c", "d")

    def another() -> None:
        spool.announce(home.put("t", other.stop()), "2")

    spool.clock.after(0.5, another)
    spool.drain()
    assert (home.texts("s"), home.texts("t")) == (["a", "b"], ["c", "d"])
    assert spool.left == []


def test_an_open_turn_does_not_hold_up_another_session(home: Home, spool: Spool) -> None:
    open_path = home.put("s", turn().user("c"))
    spool.announce(open_path, "1")
    spool.announce(home.put("t", Transcript("t").start().turn("c", "d").stop()), "2")
    learned: list[list[str]] = []
    spool.clock.after(0.02, lambda: learned.append(home.texts("t")))
    spool.drain()
    assert learned == [["c", "d"]]


def test_digests_are_prepared_even_if_a_killed_run_had_learned_the_turn(
    home: Home, spool: Spool
) -> None:
    path = home.put("s", turn().stop())
    home.learn()
    for file in home.world.layout().digests.iterdir():
        file.unlink()
    spool.announce(path)
    assert spool.drain().turns == 0
    assert "asked: a" in read_digest(str(home.world.layout().digests), "/home/me/app")


def test_a_failing_store_keeps_the_entry(
    home: Home, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.announce(home.put("s", turn().stop()))

    def full(*_: object) -> None:
        raise StoreFull("no room")

    with monkeypatch.context() as patch:
        patch.setattr("imprint.memory.SessionImport.finish", full)
        with pytest.raises(StoreFull):
            spool.drain()
    assert spool.left == ["1"]
    assert spool.drain().turns == 2


def test_nothing_is_learned_during_a_pause_and_a_scan_finds_the_rest_later(
    home: Home, spool: Spool
) -> None:
    spool.announce(home.put("s", turn().stop()))
    pause(home.world, spool.clock.now())
    assert spool.drain().turns == 0
    assert spool.left == []
    assert home.session("s") is None


def test_an_excluded_session_is_not_learned_by_its_hook(home: Home, spool: Spool) -> None:
    home.configure('exclude = ["/home/me"]')
    spool.announce(home.put("s", turn().stop()))
    assert spool.drain().skipped == {SkipReason.EXCLUDED: 1}
    assert spool.left == []
    assert home.session("s") is None


def test_whoever_comes_second_waits_and_then_says_so(home: Home, spool: Spool) -> None:
    spool.announce(home.put("s", turn().stop()))
    with learning_lock(home.world.layout()), pytest.raises(LearningBusyError):
        drain_spool(home.world, clock=spool.clock, lock_seconds=0.05)
    assert spool.left == ["1"]
    assert spool.drain().turns == 2


@needs_modes
def test_files_are_the_owners_alone(home: Home, spool: Spool) -> None:
    spool.announce(home.put("s", Transcript().start(None).turn("a", "b").stop()))
    spool.drain()
    layout = home.world.layout()
    for path in (layout.skipped, layout.learning, layout.store):
        assert path.stat().st_mode & 0o077 == 0
