"""A new session is written many rows at a time, and nobody can tell."""

import pytest

from imprint.memory import Memory, Turn, WorkRecord
from imprint.memory.batch import CHARACTERS, ROWS, SLOTS
from tests.memory.support import learn, meta

MANY = ROWS * 2 + 10


def turns(count, second=0, word="walrus"):
    stamp = f"2026-05-01T10:00:{second:02d}Z"
    return [Turn(f"e{second}-{n}", "user", f"{word} number{n}", stamp, n) for n in range(count)]


def add_all(memory, session, added):
    with memory.importing(session) as importing:
        for turn in added:
            assert importing.add_turn(turn)
        importing.finish(session, b"end")


def sound(memory):
    with memory._database.write() as sql:
        sql.execute("INSERT INTO entry_index(entry_index) VALUES ('integrity-check')")
        assert sql.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return [row[0] for row in sql.execute("SELECT id FROM entry ORDER BY id")]


def test_all_of_a_large_session_is_there_and_found(memory):
    add_all(memory, meta("a"), turns(MANY))
    assert [turn.ordinal for turn in memory.session("conversation/a").turns] == list(range(MANY))
    assert memory.search(f"walrus number{MANY - 1}")[0].text == f"walrus number{MANY - 1}"
    assert len(sound(memory)) == MANY


def test_sessions_of_the_same_second_share_its_ids_in_batches(memory):
    for name in "abc":
        add_all(memory, meta(name), turns(MANY, word=f"walrus{name}"))
    for name in "abc":
        assert len(memory.session(f"conversation/{name}").turns) == MANY
        assert memory.search(f"walrus{name} number5")[0].session == f"conversation/{name}"
    assert len(set(sound(memory))) == 3 * MANY


def test_times_that_go_back_give_each_entry_an_id_of_its_own(memory):
    mixed = [turn for pair in zip(turns(9, 5), turns(9, 3), strict=True) for turn in pair]
    add_all(memory, meta("a"), mixed)
    ids = sound(memory)
    assert len(set(ids)) == 18
    assert max(ids) - min(ids) < 3 * SLOTS


def test_what_waits_is_seen_by_whoever_reads_inside_the_import(memory):
    session = meta("a")
    with memory.importing(session) as importing:
        for turn in turns(3):
            importing.add_turn(turn)
        assert len(memory.session("conversation/a").turns) == 3
        assert not importing.add_turn(turns(1)[0])
        assert importing.add_turn(turns(1, second=9)[0])
        assert importing.remove_turns(["e9-0", "e0-1"]) == 2
        importing.finish(session, b"end")
    assert [turn.event_id for turn in memory.session("conversation/a").turns] == ["e0-0", "e0-2"]
    assert len(sound(memory)) == 2


def test_a_new_session_that_starts_over_keeps_what_comes_again(memory):
    session = meta("a")
    with memory.importing(session) as importing:
        for turn in turns(4):
            importing.add_turn(turn)
        importing.restart()
        for turn in [*turns(2), *turns(2, second=7)]:
            importing.add_turn(turn)
        importing.finish(session, b"end")
    found = [turn.event_id for turn in memory.session("conversation/a").turns]
    assert sorted(found) == ["e0-0", "e0-1", "e7-0", "e7-1"]


@pytest.mark.parametrize("count", [3, MANY])
def test_an_import_that_fails_leaves_nothing_that_waited(memory, count):
    def importer_that_dies():
        with memory.importing(meta("a")) as importing:
            for turn in turns(count):
                importing.add_turn(turn)
            raise KeyError("died")

    with pytest.raises(KeyError):
        importer_that_dies()
    assert memory.session("conversation/a") is None
    assert learn(memory, meta("b"), "walrus") == 1
    assert [hit.session for hit in memory.search("walrus")] == ["conversation/b"]
    assert len(sound(memory)) == 1


def test_a_session_of_long_turns_and_much_work_is_whole(store_path):
    session = meta("a")
    with Memory.open(store_path) as memory:
        with memory.importing(session) as importing:
            for number in range(5):
                text = f"unique{number} " + "word " * (CHARACTERS // 5)
                importing.add_turn(Turn(f"t{number}", "assistant", text, "", number))
                importing.add_work(WorkRecord(f"w{number}", "read", f"src/file{number}.py"))
            importing.finish(session, b"end")
        row = memory.session("conversation/a").row
        assert (row.turns, row.work) == (5, 5)
        assert len(memory.search("unique4")) == 1
        assert len(memory.search("file3.py", kinds=("read",))) == 1
        assert len(sound(memory)) == 10
