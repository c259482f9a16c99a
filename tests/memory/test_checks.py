"""What doctor says of a store; looking at it changes no file, whatever state it is in."""

import datetime as dt
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from imprint.base.checks import Check, CheckContext, Status
from imprint.base.paths import Environment, Layout, make_private
from imprint.memory import Memory, SessionMeta, StoreDamaged, Turn, checks
from imprint.memory.checks import Id
from tests.capabilities import needs_modes

NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


@pytest.fixture
def layout(world: Environment) -> Layout:
    make_private(world.imprint_home)
    return world.layout()


@pytest.fixture
def filled(layout: Layout) -> Layout:
    """A store with a few thousand words in it, closed."""
    with Memory.open(layout.store) as memory:
        meta = SessionMeta("conversation/1", "app", "/src/app")
        with memory.importing(meta) as session:
            for number in range(200):
                text = f"word{number} " * 200
                session.add_turn(Turn(str(number), "user", text, "2026-11-01T00:00:00Z", number))
            session.finish(meta, b"")
    return layout


def look(layout: Layout, *, live: bool = False) -> tuple[Check, ...]:
    environment = Environment.scratch(layout.root.parent)
    assert environment.layout() == layout
    context = CheckContext(environment, NOW, live=live)
    return tuple(check for checker in checks.checkers(context) for check in checker.run())


def one(layout: Layout, name: Id) -> Check:
    (check,) = (check for check in look(layout) if check.id == name)
    return check


def files(layout: Layout) -> dict[str, tuple[bytes, int]]:
    return {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in layout.root.iterdir()
        if path.is_file()
    }


def test_a_closed_store_is_fine_and_stays_as_it_is(filled: Layout) -> None:
    before = files(filled)
    found = look(filled)
    assert [(check.id, check.status) for check in found] == [(name, Status.OK) for name in Id]
    assert files(filled) == before


def test_without_a_store_nothing_was_learned_and_none_is_made(layout: Layout) -> None:
    assert "nothing was learned" in one(layout, Id.STORE).detail
    assert list(layout.root.iterdir()) == []


def test_without_an_imprint_home_none_is_made(world: Environment) -> None:
    assert {check.status for check in look(world.layout())} == {Status.OK}
    assert not world.imprint_home.exists()


@pytest.mark.parametrize("content", [b"not a database", b"SQLite format 3\0", b"x" * 5000])
def test_what_is_no_database_is_broken(layout: Layout, content: bytes) -> None:
    layout.store.write_bytes(content)
    check = one(layout, Id.STORE)
    assert check.status is Status.BROKEN
    assert "imprint learn" in check.fix


def test_somebody_elses_database_is_broken(layout: Layout) -> None:
    with sqlite3.connect(layout.store) as sql:
        sql.execute("CREATE TABLE x(y)")
    sql.close()
    assert one(layout, Id.STORE).status is Status.BROKEN


def test_a_newer_imprints_store_is_broken_here(filled: Layout) -> None:
    with sqlite3.connect(filled.store) as sql:
        sql.execute("PRAGMA user_version = 99")
    sql.close()
    check = one(filled, Id.STORE)
    assert check.status is Status.BROKEN
    assert check.fix == "upgrade Imprint"


def test_a_damaged_page_is_found(filled: Layout) -> None:
    data = bytearray(filled.store.read_bytes())
    for page in range(3, len(data) // 4096):
        data[page * 4096 : page * 4096 + 100] = b"\xff" * 100
    filled.store.write_bytes(data)
    check = one(filled, Id.INTEGRITY)
    assert check.status is Status.BROKEN
    assert "imprint learn" in check.fix


def test_looking_for_damage_ends_in_time(filled: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_deadline", lambda seconds: lambda: True)
    check = one(filled, Id.INTEGRITY)
    assert check.status is Status.OK
    assert "--live" in check.detail


_WRITER = """
import sys
from pathlib import Path
from imprint.memory import Memory
memory = Memory.open(Path(sys.argv[1]))
memory.remember("not yet in the file itself")
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def writer(filled: Layout) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that has the store open, its last words in the log alone."""
    argv = [sys.executable, "-c", _WRITER, str(filled.store)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().rstrip() == b"ready"
        assert filled.store.with_name("memory.db-wal").stat().st_size > 0
        yield process


def test_a_store_that_somebody_writes_to_is_looked_at_and_left_as_it_is(
    filled: Layout, writer: subprocess.Popen[bytes]
) -> None:
    before = files(filled)
    assert one(filled, Id.INTEGRITY).status is Status.OK
    assert files(filled) == before
    assert writer.poll() is None


@pytest.mark.parametrize("index", ["there", "lost"])
def test_a_store_whose_writer_was_killed_is_looked_at_and_left_as_it_is(
    filled: Layout, writer: subprocess.Popen[bytes], index: str
) -> None:
    writer.kill()
    writer.wait()
    if index == "lost":
        filled.store.with_name("memory.db-shm").unlink()
    before = files(filled)
    assert one(filled, Id.INTEGRITY).status is Status.OK
    assert files(filled) == before


@needs_modes
def test_a_home_that_others_may_look_into_is_named_with_what_to_type(filled: Layout) -> None:
    filled.root.chmod(0o755)
    filled.store.chmod(0o644)
    found = [check for check in look(filled) if check.id == Id.PRIVATE]
    assert {check.status for check in found} == {Status.ATTENTION}
    assert any(f"chmod 700 '{filled.root}'" in check.fix for check in found)
    assert any(f"chmod 600 '{filled.store}'" in check.fix for check in found)


def test_what_lies_in_a_private_folder_is_private(filled: Layout) -> None:
    filled.store.chmod(0o644)
    assert one(filled, Id.PRIVATE).status is Status.OK


def test_a_folder_in_the_place_of_the_store_is_an_error_with_a_way_out(layout: Layout) -> None:
    Path(layout.store).mkdir()
    with pytest.raises(StoreDamaged):
        look(layout)
