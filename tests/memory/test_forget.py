"""Forgetting takes all that came from a session, a note, a project; and it stays forgotten."""

import pytest

from imprint.base.errors import UsageError
from imprint.memory import Memory, Turn, UnknownItem, WorkRecord
from imprint.memory.digest import prepare_digests
from tests.memory.support import learn, meta, work

SECRET_WORD = "xylophonequartz"


def everything_under(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def filled(memory, store_path):
    learn(memory, meta("a"), f"{SECRET_WORD} one", f"{SECRET_WORD} two")
    work(memory, meta("a"), WorkRecord("w", "command", f"run {SECRET_WORD}", SECRET_WORD))
    learn(memory, meta("b", day=2), "something else")
    prepare_digests(memory, store_path.parent / "digests", ["/src/app"])
    return memory


def test_a_forgotten_session_leaves_turns_work_index_words_and_digests(filled, store_path):
    assert SECRET_WORD.encode() in everything_under(store_path.parent)
    gone = filled.forget(session="conversation/a")
    assert (gone.sessions, gone.turns, gone.work, gone.notes) == (1, 2, 1, 0)
    assert filled.search(SECRET_WORD) == []
    assert filled.session("conversation/a") is None
    assert [row.key for row in filled.sessions()] == ["conversation/b"]
    assert SECRET_WORD.encode() not in everything_under(store_path.parent)
    assert b"something else" in everything_under(store_path.parent / "digests")


def test_a_forgotten_session_is_not_learned_again(filled):
    filled.forget(session="conversation/a")
    assert learn(filled, meta("a"), f"{SECRET_WORD} one", checkpoint=b"again") == 0
    assert filled.search(SECRET_WORD) == []
    assert filled.session("conversation/a") is None
    assert filled.checkpoint("conversation/a") == b"again"
    with pytest.raises(UnknownItem):
        filled.forget(session="conversation/a")


def test_a_forgotten_session_comes_back_by_import(filled):
    exported = list(filled.export())
    filled.forget(session="conversation/a")
    assert filled.import_(exported).turns == 2
    assert len(filled.search(SECRET_WORD)) == 2
    assert filled.session("conversation/a").row.project == "app"


def test_a_forgotten_note_leaves_store_and_digests(filled, store_path):
    number = filled.remember(f"note {SECRET_WORD}s", "app")
    assert f"{SECRET_WORD}s".encode() in everything_under(store_path.parent / "digests")
    assert filled.forget(note=number).notes == 1
    assert filled.notes() == []
    assert f"{SECRET_WORD}s".encode() not in everything_under(store_path.parent)


def test_a_forgotten_project_takes_its_sessions_and_notes(filled, store_path):
    learn(filled, meta("c", "hidden-project", "/src/hidden"), "other project")
    filled.remember("a note", "hidden-project")
    gone = filled.forget(project="/src/hidden")
    assert (gone.sessions, gone.turns, gone.notes) == (1, 1, 1)
    assert b"hidden" not in everything_under(store_path.parent)
    assert len(filled.sessions()) == 2


def test_words_that_nobody_said_any_more_leave_the_list(memory):
    learn(memory, meta("a"), "alpha beta", "beta gamma")
    learn(memory, meta("b"), "beta delta")
    memory.forget(session="conversation/a")
    with memory._database.read() as sql:
        assert {row[0] for row in sql.execute("SELECT term FROM word")} == {"beta", "delta"}
    learn(memory, meta("c"), "alpha again")
    with memory._database.read() as sql:
        assert sql.execute("SELECT 1 FROM word WHERE term = 'alpha'").fetchone()


def test_words_of_an_import_that_failed_are_listed_when_it_is_repeated(memory):
    session = meta("a")

    def importer_that_dies():
        with memory.importing(session) as importing:
            importing.add_turn(Turn("event-0", "user", "alpha"))
            importing.close()
            raise KeyError("died")

    with pytest.raises(KeyError):
        importer_that_dies()
    learn(memory, session, "alpha")
    with memory._database.read() as sql:
        assert [row[0] for row in sql.execute("SELECT term FROM word")] == ["alpha"]


@pytest.mark.parametrize(
    "what", [{"session": "conversation/x"}, {"note": "note-x"}, {"project": "x"}, {"project": ""}]
)
def test_what_is_not_known_cannot_be_forgotten(filled, what):
    with pytest.raises(UnknownItem):
        filled.forget(**what)
    assert len(filled.sessions()) == 2


@pytest.mark.parametrize("what", [{}, {"session": "a", "note": "b"}])
def test_exactly_one_thing_is_forgotten_at_a_time(filled, what):
    with pytest.raises(UsageError):
        filled.forget(**what)


def test_the_total_follows_what_is_learned_and_forgotten(memory):
    learn(memory, meta("a"), "one", "two")
    learn(memory, meta("b"), "three")
    number = memory.remember("four")
    memory.forget(session="conversation/a")
    with memory._database.read() as sql:
        assert sql.execute("SELECT turns FROM total").fetchone()[0] == 2
    memory.forget(note=number)
    with memory._database.read() as sql:
        assert sql.execute("SELECT turns FROM total").fetchone()[0] == 1


def test_the_index_is_sound_after_learning_and_forgetting(store_path):
    with Memory.open(store_path) as memory:
        for number in range(30):
            learn(memory, meta(f"s{number}"), *(f"word{i} text {number}" for i in range(20)))
        for number in range(0, 30, 2):
            memory.forget(session=f"conversation/s{number}")
        with memory._database.write() as sql:
            sql.execute("INSERT INTO entry_index(entry_index) VALUES ('integrity-check')")
            assert sql.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert len(memory.search("word3 text", limit=50)) == 15
