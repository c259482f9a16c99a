"""`Memory`: all that other rooms need of the store."""

import contextlib
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from imprint.memory import digest, digest_text, listing, notes, search, transfer
from imprint.memory.database import BUSY_SECONDS, Database
from imprint.memory.importing import SessionImport
from imprint.memory.records import (
    TALK_KINDS,
    Forgotten,
    Hit,
    Kind,
    Note,
    SessionDetail,
    SessionMeta,
    SessionRow,
    Transferred,
)
from imprint.memory.terms import clean
from imprint.memory.words import Words


class Memory:
    """An open store; a context manager. Every method raises `StoreError` when it cannot."""

    def __init__(self, database: Database, digests: Path) -> None:
        self._database = database
        self._digests = digests
        self._words = Words()
        self._changes = 0

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        create: bool = True,
        digests: Path | None = None,
        busy_seconds: float = BUSY_SECONDS,
    ) -> Self:
        """Open the store at `path`; `StoreMissing` if there is none and `create` is false.

        `digests` is the folder of prepared digests, beside the store unless told otherwise.
        """
        database = Database.open(path, create=create, busy_seconds=busy_seconds)
        return cls(database, path.parent / "digests" if digests is None else digests)

    def close(self) -> None:
        """Close the store; using it afterwards is an error."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def checkpoint(self, key: str) -> bytes | None:
        """Where reading of a session stopped; None if it was never learned from a transcript."""
        with self._database.read() as sql:
            row = sql.execute("SELECT checkpoint FROM session WHERE key = ?", (clean(key),))
            found = row.fetchone()
            return None if found is None else found[0]

    def sessions_known(self) -> dict[str, bytes]:
        """The checkpoints of all sessions learned from transcripts."""
        with self._database.read() as sql:
            rows = sql.execute("SELECT key, checkpoint FROM session WHERE checkpoint IS NOT NULL")
            return dict(rows.fetchall())

    @contextlib.contextmanager
    def importing(self, meta: SessionMeta) -> Iterator[SessionImport]:
        """Learn a session in one transaction; leaving by exception learns nothing of it."""
        with self._writing() as sql:
            session = SessionImport(sql, self._words, meta, int(time.time()))
            with self._database.before_reading(session.flush):
                yield session
                session.close()

    @contextlib.contextmanager
    def _writing(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        try:
            with self._database.write(durable=durable) as sql:
                self._notice_others(sql)
                yield sql
        except BaseException:
            self._words.clear()  # what was added with the transaction went with it
            raise

    def _notice_others(self, sql: sqlite3.Connection) -> None:
        """Another process may have forgotten words that this one knows to be listed."""
        changes = int(sql.execute("PRAGMA data_version").fetchone()[0])
        if changes != self._changes:
            self._words.clear()
        self._changes = changes

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        project: str | None = None,
        role: str | None = None,
        since: str | None = None,
        until: str | None = None,
        kinds: Sequence[Kind] = TALK_KINDS,
        prefer: str | None = None,
        stemming: bool = True,
    ) -> list[Hit]:
        """The best hits first; nothing where nothing fits.

        `project` (a project's name or directory), `role`, `since`, `until` (ISO times) and
        `kinds` restrict; `prefer` (a project, or a directory in it) only ranks; `stemming` lets
        `failed` find `failing`.
        """
        wanted = search.Search(query, limit, project, role, since, until, kinds, prefer, stemming)
        with self._database.read() as sql:
            return search.run(sql, wanted, int(time.time()))

    def sessions(self, limit: int = 20, *, project: str | None = None) -> list[SessionRow]:
        """The latest sessions first."""
        with self._database.read() as sql:
            return listing.sessions(sql, limit, project)

    def session(self, key: str) -> SessionDetail | None:
        """A session with its turns and work records in order; None if it is not known."""
        with self._database.read() as sql:
            return listing.session(sql, clean(key))

    def remember(self, text: str, project: str | None = None) -> str:
        """Keep a note, return its id; the same text for the same project is one note.

        The prepared digests say it from now on.
        """
        with self._writing(durable=True) as sql:
            number = notes.remember(sql, self._words, text, project or "", int(time.time()))
        digest.refresh_digests(self, self._digests)
        return number

    def notes(self) -> list[Note]:
        """All notes, oldest first."""
        with self._database.read() as sql:
            return notes.all_notes(sql)

    def forget(
        self, *, session: str | None = None, note: str | None = None, project: str | None = None
    ) -> Forgotten:
        """Remove a session, a note or a whole project with all that came from it.

        Nothing of it stays in the files of the store, nor in the prepared digests.
        """
        with self._writing(durable=True) as sql:
            forgotten = notes.forget(sql, self._words, session=session, note=note, project=project)
            directories = digest.withdraw_digests(self._digests)
        digest.prepare_digests(self, self._digests, directories)
        self._database.empty_log()
        return forgotten

    def export(self) -> Iterator[bytes]:
        """The whole memory as JSON lines, one at a time; complete when read to the end."""
        with self._database.read() as sql:
            yield from transfer.export_lines(sql)

    def import_(self, lines: Iterable[bytes]) -> Transferred:
        """Add what `export` wrote; what is known already is left alone. All or nothing.

        Raises `BadTransfer` for the first line that does not fit.
        """
        with self._writing(durable=True) as sql:
            added = transfer.import_lines(sql, self._words, lines, int(time.time()))
        digest.refresh_digests(self, self._digests)
        return added

    def digest_texts(self, directories: Iterable[str], max_bytes: int) -> dict[str, str]:
        """What `digest.prepare_digests` writes."""
        with self._database.read() as sql:
            return digest_text.digest_texts(sql, directories, max_bytes)
