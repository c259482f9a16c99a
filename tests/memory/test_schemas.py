"""Stores of every released schema can be opened, searched and written by this Imprint."""

import hashlib
import shutil
from pathlib import Path

import pytest

from imprint.memory import Memory, schema
from imprint.memory.terms import terms_of
from tests.memory.support import learn, meta

DATA = Path(__file__).parent / "data"
VERSIONS = range(1, len(schema.MIGRATIONS) + 1)

TERMS_DIGEST = "8dde37d93203d53abba336589bf6b924dc1145d811f9eb6dab73f3a71cd57132"
"""Of the terms of the labelled set. A store is indexed by them, and deleting from the index
needs the very same ones: whoever changes them adds a migration that indexes everything again.
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_store_of_this_schema_still_works(version, store_path):
    store_path.parent.mkdir()
    shutil.copyfile(DATA / f"store-v{version}.db", store_path)
    with Memory.open(store_path) as memory:
        assert [row.key for row in memory.sessions()] == ["conversation/b", "conversation/a"]
        assert memory.search("getUserId")[0].session == "conversation/a"
        assert memory.search("数据库")[0].role == "assistant"
        assert memory.search("server.py", kinds=("write",))[0].text.strip() == "src/server.py"
        assert [note.text for note in memory.notes()] == ["always use tabs"]
        assert memory.sessions_known()["conversation/a"] == b"end"
        assert learn(memory, meta("c", day=3), "to be forgotten") == 0
        assert learn(memory, meta("b", "other", "/src/other", day=2), "a second session", "x") == 1
        assert memory.forget(session="conversation/a").turns == 2
        assert memory.search("getUserId") == []
        with memory._database.write() as sql:
            sql.execute("INSERT INTO entry_index(entry_index) VALUES ('integrity-check')")


def test_terms_are_those_that_stores_are_indexed_by():
    text = (DATA / "found_again.tsv").read_text("utf-8")
    digest = hashlib.sha256("\n".join(sorted(terms_of(text))).encode("utf-8")).hexdigest()
    assert digest == TERMS_DIGEST
