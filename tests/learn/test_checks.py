"""What `imprint doctor` says of learning."""

import datetime as dt

import pytest

from imprint.base.checks import Check, CheckContext, Status
from imprint.learn import SkippedSessions, drain_spool, pause
from imprint.learn.checks import IDS, Id, checkers
from imprint.learn.files import NotWritableError, write_private
from imprint.learn.health import SESSIONS, Health
from imprint.learn.spool import KEEP_SECONDS
from tests.capabilities import needs_fork
from tests.learn.support import START, Home, ManualClock, Transcript
from tests.learn.test_spool import Spool
from tests.support import as_nobody

NOW = START + dt.timedelta(days=30)


def checks(home: Home) -> dict[str, list[Check]]:
    """All findings by id."""
    context = CheckContext(home.world, NOW)
    return {checker.id: list(checker.run()) for checker in checkers(context)}


def test_nothing_is_wrong_where_nothing_was_learned(home: Home) -> None:
    found = checks(home)
    assert list(found) == list(IDS)
    assert {check.status for found in found.values() for check in found} == {Status.OK}


def test_nothing_is_wrong_after_learning(home: Home) -> None:
    home.put("s", Transcript().start().turn("a", "b"))
    home.learn()
    found = checks(home)
    assert {check.status for found in found.values() for check in found} == {Status.OK}
    assert "conversation/s" in found[Id.LAST][0].detail


def test_a_pause_that_goes_on_is_told(home: Home) -> None:
    pause(home.world, START.timestamp())
    [check] = checks(home)[Id.PAUSED]
    assert check.status is Status.ATTENTION
    assert "2026-10-01 09:00" in check.detail
    assert "pause --off" in check.fix


def test_announced_turns_that_wait_are_told(home: Home) -> None:
    spool = Spool(home, START.timestamp())
    spool.announce(home.state / "s" / "events.jsonl")
    [check] = checks(home)[Id.SPOOL]
    assert check.status is Status.ATTENTION
    assert "30 days" in check.detail


def test_announcements_that_could_not_be_read_are_told(home: Home) -> None:
    spool = Spool(home, START.timestamp())
    spool.raw(b"{")
    spool.drain()
    [check] = checks(home)[Id.SPOOL]
    assert check.status is Status.ATTENTION
    assert "rejected" in check.fix


def test_a_transcript_that_does_not_grow_is_told_until_it_does(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b").user("c")
    path = home.put("s", transcript)
    spool = Spool(home, transcript.now.timestamp())
    spool.announce(path)
    spool.drain()
    [check] = checks(home)[Id.GROWTH]
    assert check.status is Status.ATTENTION
    assert str(path) in check.detail
    home.put("s", transcript.answer("d").stop())
    spool.clock.wait(1)
    spool.drain()
    assert checks(home)[Id.GROWTH][0].status is Status.OK


def test_a_transcript_of_which_nothing_was_understood_is_broken(home: Home) -> None:
    path = home.put("s", Transcript().event("item.created", {}))
    home.learn()
    [check] = checks(home)[Id.SESSIONS]
    assert check.status is Status.BROKEN
    assert str(path) in check.detail
    path.unlink()
    assert checks(home)[Id.SESSIONS][0].status is Status.OK


def test_a_transcript_that_cannot_be_read_needs_attention(home: Home) -> None:
    (home.state / "s" / "events.jsonl").mkdir(parents=True)
    home.learn()
    [check] = checks(home)[Id.SESSIONS]
    assert check.status is Status.ATTENTION


def test_sessions_that_were_skipped_for_good_reasons_are_counted(home: Home) -> None:
    home.put("s", Transcript().start(None).turn("a", "b"))
    home.put("t", b"")
    home.learn()
    [check] = checks(home)[Id.SESSIONS]
    assert check.status is Status.OK
    assert "belongs nowhere" in check.detail
    assert "sessions --skipped" in check.detail


def test_damaged_lines_are_told_until_the_file_is_gone(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b").event("session.of_tomorrow", {})
    path = home.put("s", transcript.bytes + b"no event\n" + b"\0\0\n")
    home.learn()
    home.put("s", path.read_bytes() + Transcript("x").turn("c", "d").bytes)
    home.learn()
    [check] = checks(home)[Id.DAMAGE]
    assert check.status is Status.ATTENTION
    assert "1 cut-line" in check.detail
    assert "1 nul-bytes" in check.detail
    path.unlink()
    assert checks(home)[Id.DAMAGE][0].status is Status.OK


def test_unknown_event_types_are_named_and_are_no_damage(home: Home) -> None:
    home.put("s", Transcript().start().turn("a", "b").event("session.of_tomorrow", {}))
    home.learn()
    [check] = checks(home)[Id.DAMAGE]
    assert check.status is Status.OK
    assert "session.of_tomorrow" in check.detail


def test_a_gap_in_size_is_told(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b")
    home.put("s", transcript.event("session.shutdown", {"eventsFileSizeBytes": 99_999}))
    home.learn()
    [check] = checks(home)[Id.GAPS]
    assert check.status is Status.ATTENTION
    assert "99999 bytes" in check.detail


def test_only_the_latest_odd_sessions_are_remembered(home: Home) -> None:
    health = Health(home.world.layout().health)
    for number in range(SESSIONS + 10):
        health.note_stuck(f"conversation/{number}", "/x", 1.0)
    health.save()
    again = Health(home.world.layout().health)
    assert len(again.odd) == SESSIONS
    assert "conversation/0" not in again.odd


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"odd": 1}', b"\0"])
def test_a_damaged_file_of_ones_own_is_an_empty_one(home: Home, data: bytes) -> None:
    layout = home.world.layout()
    for path in (layout.health, layout.skipped):
        path.write_bytes(data)
    home.put("s", Transcript().start().turn("a", "b"))
    assert home.learn().turns == 2
    assert list(SkippedSessions(layout.skipped)) == []
    assert Health(layout.health).odd == {}


@needs_fork
def test_a_folder_that_cannot_be_written_is_a_clear_error(home: Home) -> None:
    folder = home.world.imprint_home / "theirs"
    folder.mkdir(mode=0o700)

    def task() -> str:
        try:
            write_private(folder / "x.json", b"{}")
        except NotWritableError as error:
            return f"{error.code}: {error.message} {error.fix}"
        return "written"

    said = as_nobody(task)
    assert said.startswith("not-writable")
    assert "x.json" in said
    assert "permission" in said


def test_a_stuck_entry_is_given_up_in_the_end(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b").user("c")
    spool = Spool(home, transcript.now.timestamp())
    spool.announce(home.put("s", transcript))
    clock = ManualClock(spool.clock.now() + KEEP_SECONDS + 1)
    assert drain_spool(home.world, clock=clock).waiting == 0
    assert spool.left == []
