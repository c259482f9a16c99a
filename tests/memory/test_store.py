"""The store: private, transactional, and clear about what is wrong with it."""

import os
import signal
import sqlite3
import stat
import threading

import pytest

from imprint.memory import (
    Memory,
    SessionMeta,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreMissing,
    StoreReadOnly,
    StoreTooNew,
    Turn,
    WorkRecord,
    digest_text,
    listing,
    schema,
    words,
)
from tests.capabilities import HAS_MODES, needs_fork, needs_modes
from tests.memory.support import learn, meta, work
from tests.support import as_nobody


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@needs_modes
def test_folder_and_files_are_for_their_owner_alone(store_path):
    before = os.umask(0)
    try:
        with Memory.open(store_path) as memory:
            learn(memory, meta("a"), "hello")
            files = {
                path.name: mode(path) for path in store_path.parent.iterdir() if path.is_file()
            }
            assert files == {"memory.db": 0o600, "memory.db-wal": 0o600, "memory.db-shm": 0o600}
            assert mode(store_path.parent) == 0o700
    finally:
        os.umask(before)


@needs_modes
def test_a_store_that_others_could_read_is_closed_to_them(store_path):
    Memory.open(store_path).close()
    store_path.chmod(0o644)
    Memory.open(store_path).close()
    assert mode(store_path) == 0o600


def test_a_reader_does_not_make_a_store(store_path):
    with pytest.raises(StoreMissing):
        Memory.open(store_path, create=False)
    assert not store_path.parent.exists()


def test_deleted_content_is_overwritten_and_writes_are_logged_ahead(memory):
    with memory._database.read() as sql:
        assert sql.execute("PRAGMA secure_delete").fetchone()[0] == 1
        assert sql.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_turn_is_learned_once_per_session_and_event(memory):
    assert learn(memory, meta("a"), "one", "two") == 2
    assert learn(memory, meta("a"), "one", "two", "three") == 1
    assert learn(memory, meta("b"), "one") == 1
    assert [turn.text for turn in memory.session("conversation/a").turns] == ["one", "two", "three"]


def test_a_known_event_with_another_text_is_replaced_in_the_index_too(memory):
    learn(memory, meta("a"), "the first half")
    learn(memory, meta("a"), "the whole answer")
    assert memory.search("half") == []
    assert [hit.text for hit in memory.search("whole answer")] == ["the whole answer"]


def test_the_checkpoint_is_saved_with_the_turns_or_not_at_all(memory):
    learn(memory, meta("a"), "one", checkpoint=b"first")

    def importer_that_dies():
        with memory.importing(meta("a")) as session:
            session.add_turn(Turn("new", "user", "never to be seen"))
            session.finish(meta("a"), b"second")
            raise KeyError("the importer died")

    with pytest.raises(KeyError):
        importer_that_dies()
    assert memory.checkpoint("conversation/a") == b"first"
    assert memory.search("never to be seen") == []
    assert memory.sessions_known() == {"conversation/a": b"first"}
    assert memory.checkpoint("conversation/unknown") is None


def test_after_a_restart_what_is_not_seen_again_is_gone(memory):
    learn(memory, meta("a"), "keep this", "drop that")
    with memory.importing(meta("a")) as session:
        session.restart()
        assert not session.add_turn(Turn("event-0", "user", "keep this"))
        assert session.add_turn(Turn("event-9", "user", "new one"))
    assert [turn.text for turn in memory.session("conversation/a").turns] == [
        "keep this",
        "new one",
    ]
    assert memory.search("drop that") == []


def test_turns_that_were_undone_leave(memory):
    learn(memory, meta("a"), "one", "two", "three")
    with memory.importing(meta("a")) as session:
        assert session.remove_turns(["event-1", "event-2", "event-7"]) == 2
    assert [turn.text for turn in memory.session("conversation/a").turns] == ["one"]
    assert memory.search("three") == []


def test_a_project_that_becomes_known_later_moves_the_session(memory):
    learn(memory, meta("a", project=""), "hello there")
    learn(memory, meta("a", project="app"), "hello there")
    assert memory.search("hello", project="app")[0].project == "app"


def test_work_records_are_kept_beside_the_turns(memory):
    learn(memory, meta("a"), "please look")
    done = WorkRecord("w", "read", "src/app.py", "", "2026-05-01T10:00:00Z", 7)
    work(memory, meta("a"), done, done, WorkRecord("w", "modified", "src/app.py", ordinal=8))
    assert [record.kind for record in memory.session("conversation/a").work] == ["read", "modified"]
    assert memory.session("conversation/a").work[0] == done
    assert memory.sessions()[0].work == 2
    assert memory.sessions()[0].turns == 1


def test_sessions_are_listed_latest_first_and_by_project(memory):
    for number in (2, 1, 3):
        learn(memory, meta(f"s{number}", f"p{number}", f"/p{number}", day=number), f"task {number}")
    assert [row.title for row in memory.sessions()] == ["task 3", "task 2", "task 1"]
    assert [row.title for row in memory.sessions(1)] == ["task 3"]
    assert [row.title for row in memory.sessions(project="p1")] == ["task 1"]
    assert [row.title for row in memory.sessions(project="/p2")] == ["task 2"]
    assert memory.sessions(project="p9") == []
    assert memory.session("conversation/none") is None


def test_surrogates_and_nul_are_stored_as_valid_text(memory):
    odd = SessionMeta("conversation/\udc80", "p\ud83d", "/\udcff", ("/\udcff",))
    with memory.importing(odd) as session:
        session.add_turn(Turn("\ud83d", "user", "half an emoji \ud83d and a \0", "\udc00"))
        session.add_work(WorkRecord("x\ud83d", "command", "ls \ud83d", "\ud83d"))
        session.finish(odd, b"")
    assert memory.search("half emoji")[0].text == "half an emoji \ufffd and a "
    assert memory.session("conversation/\udc80").row.key == "conversation/\ufffd"
    assert memory.sessions()[0].project == "p\ufffd"


def test_text_that_somebody_else_broke_does_not_stop_a_reader(memory, store_path):
    learn(memory, meta("a"), "hello there")
    raw = sqlite3.connect(store_path)
    raw.execute("UPDATE entry SET text = CAST(x'68656c6c6f20ff' AS TEXT)")
    raw.commit()
    raw.close()
    assert memory.search("hello")[0].text == "hello \ufffd"


def test_a_store_that_somebody_writes_is_reported_as_locked(store_path):
    with Memory.open(store_path) as first, Memory.open(store_path, busy_seconds=0.05) as second:
        with first.importing(meta("a")) as session:
            session.add_turn(Turn("1", "user", "in the making"))
            with pytest.raises(StoreLocked, match="another process"):
                learn(second, meta("b"), "me too")
            assert second.search("making") == []
        assert learn(second, meta("b"), "me too") == 1
        assert len(second.sessions()) == 2


@needs_fork
def test_an_importer_that_is_killed_leaves_what_was_there(store_path):
    with Memory.open(store_path) as memory:
        learn(memory, meta("a"), "before", checkpoint=b"1")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        memory = Memory.open(store_path)
        with memory.importing(meta("a")) as session:
            for number in range(2000):
                session.add_turn(Turn(f"lost-{number}", "user", f"never committed {number}" * 20))
            session.finish(meta("a"), b"2")
            os.write(writing, b"x")
            signal.pause()
    assert os.read(reading, 1) == b"x"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with Memory.open(store_path) as memory:
        assert memory.checkpoint("conversation/a") == b"1"
        assert memory.search("committed") == []
        assert learn(memory, meta("a"), "before", "after", checkpoint=b"2") == 1


def test_two_importers_of_one_session_learn_each_turn_once(store_path):
    Memory.open(store_path).close()
    texts = [f"sentence number {number}" for number in range(40)]
    added = []
    start = threading.Barrier(2, timeout=30)

    def importer():
        with Memory.open(store_path) as memory:
            start.wait()
            added.append(learn(memory, meta("a"), *texts))

    threads = [threading.Thread(target=importer) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(added) == [0, 40]
    with Memory.open(store_path) as memory:
        assert len(memory.session("conversation/a").turns) == 40


@pytest.mark.parametrize("content", [b"not a database at all, but long enough" * 40, b"x"])
def test_a_file_that_is_no_database_is_reported_as_damaged_and_left_alone(store_path, content):
    store_path.parent.mkdir()
    store_path.write_bytes(content)
    with pytest.raises(StoreDamaged) as caught:
        Memory.open(store_path)
    assert "imprint learn" in caught.value.fix
    assert store_path.read_bytes() == content


def test_a_folder_in_the_place_of_the_store_is_reported_as_damaged(store_path):
    store_path.mkdir(parents=True)
    with pytest.raises(StoreDamaged, match="not a file"):
        Memory.open(store_path)


def test_somebody_elses_database_is_not_taken_over(store_path):
    store_path.parent.mkdir()
    other = sqlite3.connect(store_path)
    other.execute("CREATE TABLE precious (id)")
    other.close()
    before = store_path.read_bytes()
    with pytest.raises(StoreDamaged, match="not one of Imprint's"):
        Memory.open(store_path)
    assert store_path.read_bytes()[100:] == before[100:]


def test_a_store_with_broken_pages_is_reported_as_damaged(store_path):
    with Memory.open(store_path) as memory:
        learn(memory, meta("a"), *(f"text {number} " * 50 for number in range(200)))
    data = bytearray(store_path.read_bytes())
    for page in range(2, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = os.urandom(64)
    store_path.write_bytes(data)

    def reader():
        with Memory.open(store_path) as memory:
            memory.session("conversation/a")
            memory.search("text")

    with pytest.raises(StoreDamaged):
        reader()


def test_a_store_from_a_newer_imprint_is_left_alone(store_path):
    Memory.open(store_path).close()
    raw = sqlite3.connect(store_path)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreTooNew, match="99") as caught:
        Memory.open(store_path)
    assert caught.value.fix == "upgrade Imprint"


def test_a_full_disk_rolls_back_and_says_so(store_path):
    with Memory.open(store_path) as memory:
        learn(memory, meta("a"), "kept", checkpoint=b"1")
        with memory._database.read() as sql:
            pages = sql.execute("PRAGMA page_count").fetchone()[0]
        memory._database._sql.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreFull, match="could not be written"):
            learn(memory, meta("a"), "kept", *(os.urandom(500).hex() for _ in range(100)))
        assert memory.checkpoint("conversation/a") == b"1"
        assert [hit.text for hit in memory.search("kept")] == ["kept"]
        memory._database._sql.execute("PRAGMA max_page_count = 1000000")
        assert learn(memory, meta("a"), "kept", "and more", checkpoint=b"2") == 1


@needs_fork
def test_a_folder_without_write_permission_is_one_clear_error(open_folder):
    def task():
        try:
            Memory.open(open_folder / "sub" / "memory.db")
        except StoreReadOnly as error:
            return error.code
        return "opened"

    assert as_nobody(task) == "store-read-only"


@needs_fork
def test_a_store_of_another_user_is_one_clear_error(open_folder):
    path = open_folder / "memory.db"
    with Memory.open(path) as memory:
        learn(memory, meta("a"), "hello")

    def task():
        try:
            Memory.open(path)
        except StoreError as error:
            return error.code
        return "opened"

    assert as_nobody(task) == "store-read-only"


def test_a_migration_keeps_a_backup_and_is_whole_or_absent(store_path, monkeypatch):
    with Memory.open(store_path) as memory:
        learn(memory, meta("a"), "hello")

    def broken(sql):
        sql.execute("CREATE TABLE half_done (id)")
        sql.execute("SELECT * FROM no_such_table")

    released = schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", (*released, broken))
    with pytest.raises(StoreError):
        Memory.open(store_path)
    monkeypatch.setattr(
        schema,
        "MIGRATIONS",
        (*released, lambda sql: schema.run_script(sql, "CREATE TABLE done (id);")),
    )
    with Memory.open(store_path) as memory:
        assert len(memory.search("hello")) == 1
        with memory._database.read() as sql:
            assert schema.version_of(sql) == len(released) + 1
            tables = {row[0] for row in sql.execute("SELECT name FROM sqlite_master")}
    assert "done" in tables
    assert "half_done" not in tables
    backup = store_path.with_name(f"memory.db.v{len(released)}.bak")
    assert not HAS_MODES or mode(backup) == 0o600
    monkeypatch.undo()
    with Memory.open(backup) as memory:
        assert len(memory.search("hello")) == 1


def test_a_discarded_session_leaves_nothing_and_can_be_learned_again(memory):
    learn(memory, meta("a"), "not allowed any more")
    with memory.importing(meta("a")) as session:
        session.discard()
    assert memory.sessions() == []
    assert memory.sessions_known() == {}
    assert memory.search("allowed") == []
    assert learn(memory, meta("a"), "allowed again") == 1
    assert memory.sessions()[0].turns == 1


def latest_and_highest(memory, key):
    with memory._database.read() as sql:
        return sql.execute(
            "SELECT latest, (SELECT max(id) FROM entry WHERE session = session.id)"
            " FROM session WHERE key = ?",
            (key,),
        ).fetchone()


def test_a_session_knows_its_latest_entry_however_it_came_to_it(memory):
    early, late = "2026-05-01T10:00:00Z", "2026-05-03T10:00:00Z"
    key = "conversation/a"
    for added in (
        [Turn("1", "user", "one", late, 1)],
        [Turn("2", "user", "two", early, 2)],
        [Turn("3", "user", "three", late, 3), Turn("4", "user", "four", early, 4)],
        [],
    ):
        with memory.importing(meta("a")) as session:
            for turn in added:
                session.add_turn(turn)
        latest, highest = latest_and_highest(memory, key)
        assert latest == highest
    for gone in ("3", "1"):
        with memory.importing(meta("a")) as session:
            session.remove_turns([gone])
        latest, highest = latest_and_highest(memory, key)
        assert latest == highest


def test_the_ends_of_a_session_are_found_without_looking_at_all_of_it(memory):
    learn(memory, meta("a"), "hello")
    with memory._database.read() as sql:
        statements = []
        sql.set_trace_callback(statements.append)
        digest_text.digest_texts(sql, ["/src/app"], 5000)
        listing.sessions(sql, 5, None)
        sql.set_trace_callback(None)
        asked = [text for text in statements if "FROM entry" in text and "session =" in text]
        steps = [row[3] for text in asked for row in sql.execute(f"EXPLAIN QUERY PLAN {text}")]
    searches = [step for step in steps if " entry " in f"{step} "]
    assert len(searches) >= 4
    assert all("entry_spoken (session=? AND kind=?)" in step for step in searches)
    assert not [step for step in steps if "FOR ORDER BY" in step]


def listed(memory, word):
    with memory._database.read() as sql:
        return sql.execute("SELECT 1 FROM word WHERE term = ?", (word,)).fetchone() is not None


def test_words_that_another_process_forgot_are_listed_again(store_path):
    with Memory.open(store_path) as memory:
        learn(memory, meta("a"), "a walrus sings")
        with Memory.open(store_path) as other:
            other.forget(session="conversation/a")
        assert not listed(memory, "walrus")
        learn(memory, meta("b"), "a walrus dances")
        assert listed(memory, "walrus")


def test_all_words_are_listed_however_many_there_are(memory, monkeypatch):
    monkeypatch.setattr(words, "MANY", 50)
    monkeypatch.setattr(words.Words, "ENTRIES", 20)
    letters = "abcdefghijklmnopqrstuvwxyz"
    plain = [f"{a}{b}word" for a in letters for b in letters]
    mixed = [f"{word.upper()}_v2," for word in plain]
    texts = [" ".join(pair) for pair in zip(plain, mixed, strict=True)]
    learn(memory, meta("a"), *texts)
    with memory._database.read() as sql:
        found = {row[0] for row in sql.execute("SELECT term FROM word")}
    assert found.issuperset(plain)


def test_a_word_that_may_name_a_secret_is_looked_at_again_in_every_text(memory):
    secret = "q8Zk" + "2mXw7Lp4"
    learn(memory, meta("a"), "the password is long", f"the password is {secret}")
    learn(memory, meta("b"), "the password is long", f"the password is {secret} now")
    for name in "ab":
        texts = [turn.text for turn in memory.session(f"conversation/{name}").turns]
        assert not any(secret in text for text in texts)
        assert texts[0] == "the password is long"
