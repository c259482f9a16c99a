"""The tables, and the way from one version of them to the next.

`entry` holds all that can be found: turns, work records, notes. Its id grows with the entry's
time (see `entries`), so that the order of the index is the order of time.

`entry_index` is contentless: what goes in is derived from the entry's text by `terms`, and
deleting needs the very same derivation. It keeps no positions (`detail=none`): a tenth of the
size, and looking at the few best texts gives a better order than positions do. It gathers up to
8 MB of postings before it writes them (SQLite's own setting is 1 MB): a third of the time.

`word` lists the terms that are words, for typing errors and forms of a word. `total` counts turns
and notes. A session's `place` is its directory in the form that directories are compared in.
"""

import sqlite3
from collections.abc import Callable, Sequence

APPLICATION_ID = 0x494D5052  # "IMPR"

_TABLES = """
CREATE TABLE project (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project(id),
    directory TEXT NOT NULL DEFAULT '',
    place TEXT NOT NULL DEFAULT '',
    directories TEXT NOT NULL DEFAULT '[]',
    started_at TEXT NOT NULL DEFAULT '',
    ended_at TEXT NOT NULL DEFAULT '',
    client TEXT NOT NULL DEFAULT '',
    client_version TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL DEFAULT '',
    checkpoint BLOB,
    latest INTEGER NOT NULL DEFAULT 0,
    turns INTEGER NOT NULL DEFAULT 0,
    work INTEGER NOT NULL DEFAULT 0,
    forgotten INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX session_latest ON session(latest);
CREATE INDEX session_project ON session(project, latest);
CREATE INDEX session_place ON session(place, project);
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    session INTEGER REFERENCES session(id),
    project INTEGER NOT NULL REFERENCES project(id),
    kind TEXT NOT NULL,
    event TEXT NOT NULL,
    mark TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    length INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX entry_once ON entry(session, event, mark);
CREATE INDEX entry_note ON entry(event) WHERE kind = 'note';
CREATE VIRTUAL TABLE entry_index USING fts5(
    terms, content='', columnsize=0, detail=none, tokenize="ascii tokenchars '_'"
);
INSERT INTO entry_index(entry_index, rank) VALUES ('hashsize', 8388608);
CREATE TABLE word (
    term TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE total (
    turns INTEGER NOT NULL
) STRICT;
INSERT INTO total VALUES (0);
"""


def _create(sql: sqlite3.Connection) -> None:
    run_script(sql, _TABLES)
    sql.execute(f"PRAGMA application_id = {APPLICATION_ID}")


SPOKEN = "kind IN ('user', 'assistant')"
"""A query that says so in these very words can use `entry_spoken`, and its order for what it says
of `kind` before that."""


def _index_spoken(sql: sqlite3.Connection) -> None:
    """What was said first and last in a session is found without looking at all of it."""
    sql.execute(f"CREATE INDEX entry_spoken ON entry(session, kind, ordinal) WHERE {SPOKEN}")


Migration = Callable[[sqlite3.Connection], None]

MIGRATIONS: tuple[Migration, ...] = (_create, _index_spoken)
"""The nth brings a store from version n to n + 1; never edited once released, only added to."""


def run_script(sql: sqlite3.Connection, script: str) -> None:
    """Run statements inside the open transaction (`executescript` would commit it)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            sql.execute(statement)
            statement = ""


def version_of(sql: sqlite3.Connection) -> int:
    """The schema version that the store was written with; 0 for a new file."""
    return int(sql.execute("PRAGMA user_version").fetchone()[0])


def migrate(sql: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """Bring the store to the newest version, inside the caller's transaction."""
    for number, migration in enumerate(migrations, start=1):
        if version_of(sql) < number:
            migration(sql)
            sql.execute(f"PRAGMA user_version = {number}")
