"""Export and import: the whole memory as JSON lines, as often as one likes."""

import pytest

from imprint.memory import BadTransfer, Memory, WorkRecord
from tests.memory.support import learn, meta, work


@pytest.fixture
def filled(memory):
    learn(memory, meta("a"), "hello", "good morning", "数据库\u2028\u0085x")
    record = WorkRecord("w", "command", "ls -la", "2 files", "2026-05-01T10:00:00Z", 5)
    work(memory, meta("a"), record)
    learn(memory, meta("b", "other", "/src/other", day=2), "in another project")
    memory.remember("a note", "app")
    memory.remember("a note for everybody")
    return memory


def test_what_is_exported_can_be_imported_elsewhere(filled, tmp_path):
    lines = list(filled.export())
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
    with Memory.open(tmp_path / "other" / "memory.db") as other:
        added = other.import_(lines)
        assert (added.sessions, added.turns, added.work, added.notes, added.known) == (
            2,
            4,
            1,
            2,
            0,
        )
        assert list(other.export()) == lines
        assert other.session("conversation/a") == filled.session("conversation/a")
        assert [hit.text for hit in other.search("good morning")] == ["good morning"]
        assert other.sessions_known() == {}


def test_importing_twice_adds_nothing(filled):
    before = list(filled.export())
    added = filled.import_(before)
    assert (added.sessions, added.turns, added.work, added.notes, added.known) == (0, 0, 0, 0, 7)
    assert list(filled.export()) == before
    assert filled.checkpoint("conversation/a") == b"end"


HEADER = b'{"type":"imprint-memory","version":1}\n'


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        ([b"{}"], 1),
        ([b"nonsense"], 1),
        ([b'{"type":"note","text":"no header"}'], 1),
        ([b'{"type":"imprint-memory","version":2}'], 1),
        ([HEADER, b'{"type":"note","text":"kept out"}', b'{"type":"surprise"}'], 3),
        ([HEADER, b'{"type":"note","text":"  "}'], 2),
        ([HEADER, b'{"type":"turn","session":"s","event_id":"1","role":"user","text":"x"}'], 2),
        ([HEADER, b'{"type":"session","key":"k"}', b'{"type":"turn","session":"k"}'], 3),
        ([HEADER, b"\xff\xfe"], 2),
        ([HEADER, b'{"type":"note","text":"half an emoji \\ud83d"}'], 2),
    ],
)
def test_a_line_that_is_not_from_export_stops_the_import_and_leaves_no_trace(memory, lines, number):
    with pytest.raises(BadTransfer, match=f"line {number} "):
        memory.import_(lines)
    assert memory.notes() == []
    assert memory.sessions() == []


def test_empty_lines_do_no_harm(memory):
    assert memory.import_([HEADER, b"\n", b'{"type":"note","text":"kept"}\r\n', b""]).notes == 1


def test_the_same_note_is_kept_once(memory):
    first = memory.remember("use port 5433", "app")
    assert memory.remember("  use port 5433\n", "app") == first
    assert memory.remember("use port 5433") != first
    assert len(memory.notes()) == 2
