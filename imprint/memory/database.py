"""The SQLite file: opened for its owner alone, in WAL mode, with errors that say what to do."""

import contextlib
import functools
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from imprint.base.paths import make_private
from imprint.memory import schema
from imprint.memory.errors import (
    StoreError,
    StoreMissing,
    StoreReadOnly,
    StoreTooNew,
    damaged,
    translate,
)

BUSY_SECONDS = 10.0
_MAGIC = b"SQLite format 3\0"
CACHE_KIB = 16 * 1024


class Database:
    """One connection. `read()` and `write()` are the only ways to it."""

    def __init__(self, path: Path, sql: sqlite3.Connection) -> None:
        self.path = path
        self._sql = sql
        self._before_reading: Callable[[], None] | None = None

    @classmethod
    def open(cls, path: Path, *, create: bool, busy_seconds: float = BUSY_SECONDS) -> "Database":
        """Open, create or migrate the store; raises `StoreError`."""
        _prepare_file(path, create=create)
        with _translated(path):
            sql = sqlite3.connect(
                path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )
            database = cls(path, sql)
            try:
                database._configure()
                database._bring_up_to_date()
            except BaseException:
                sql.close()
                raise
        return database

    def close(self) -> None:
        """Close the connection; the last one empties the write-ahead log."""
        self._sql.close()

    @contextlib.contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A consistent view for several statements."""
        with _translated(self.path):
            if self._before_reading is not None:
                self._before_reading()
            if self._sql.in_transaction:  # reading inside our own transaction
                yield self._sql
                return
            self._sql.execute("BEGIN")
            try:
                yield self._sql
            finally:
                self._sql.execute("COMMIT")

    @contextlib.contextmanager
    def write(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it, or nothing when left by an exception.

        A power failure may take back the last transactions, which the transcripts bring again;
        not so a `durable` one.
        """
        with _translated(self.path):
            self._sql.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._sql.execute("BEGIN IMMEDIATE")
            try:
                yield self._sql
                self._sql.execute("COMMIT")
            except BaseException:
                if self._sql.in_transaction:
                    self._sql.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def before_reading(self, complete: Callable[[], None]) -> Iterator[None]:
        """`complete` the open transaction whenever something reads inside it."""
        self._before_reading = complete
        try:
            yield
        finally:
            self._before_reading = None

    def empty_log(self) -> None:
        """Take what was deleted out of the write-ahead log too, unless somebody reads just now."""
        with _translated(self.path):
            self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _configure(self) -> None:
        sql = self._sql
        sql.execute("PRAGMA foreign_keys = ON")
        sql.execute("PRAGMA secure_delete = ON")
        sql.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        sql.execute("PRAGMA temp_store = MEMORY")
        if sql.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            sql.execute("PRAGMA journal_mode = WAL").fetchone()
        # Foreign text in a damaged or edited store must not stop a search.
        sql.text_factory = functools.partial(str, encoding="utf-8", errors="replace")

    def _bring_up_to_date(self) -> None:
        newest = len(schema.MIGRATIONS)
        version = schema.version_of(self._sql)
        self._refuse_foreign(version)
        if version > newest:
            raise StoreTooNew(
                f"the store {self.path} has version {version}; this Imprint knows {newest}",
                fix="upgrade Imprint",
            )
        if version == newest:
            return
        if version > 0:
            _back_up(self._sql, self.path, version)
        with self.write() as sql:
            schema.migrate(sql, schema.MIGRATIONS)

    def _refuse_foreign(self, version: int) -> None:
        application = self._sql.execute("PRAGMA application_id").fetchone()[0]
        tables = self._sql.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        ours = application == schema.APPLICATION_ID
        if not ours and (version > 0 or tables > 0):
            raise damaged(self.path, "it is a database, but not one of Imprint's")


def _prepare_file(path: Path, *, create: bool) -> None:
    """Make sure of a private file before SQLite sees it: -wal and -shm take over its mode."""
    try:
        if not path.exists():
            if not create:
                raise StoreMissing(f"there is no store at {path}", fix="run `imprint learn`")
            make_private(path.parent)
            _create_private(path)
        elif not path.is_file():
            raise damaged(path, "it is not a file")
        elif not _is_database(path):
            raise damaged(path, "it is no database")
        elif sys.platform != "win32" and path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except OSError as error:
        raise StoreReadOnly(
            f"the store {path} cannot be opened: {error.strerror or error}",
            fix="give this user write permission to the file and its folder",
        ) from error


def _is_database(path: Path) -> bool:
    """Whether the file begins like one, or is empty; SQLite would overwrite a very short one."""
    with path.open("rb") as file:
        start = file.read(len(_MAGIC))
    return start in {b"", _MAGIC}


def _create_private(path: Path) -> None:
    with contextlib.suppress(FileExistsError):  # another process was faster
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _back_up(sql: sqlite3.Connection, path: Path, version: int) -> None:
    """Copy the store as it is to `<name>.v<version>.bak` before a migration touches it."""
    target = path.with_name(f"{path.name}.v{version}.bak")
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    _create_private(partial)
    copy = sqlite3.connect(partial, isolation_level=None)
    try:
        sql.backup(copy)
    finally:
        copy.close()
    partial.replace(target)


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except sqlite3.Error as error:
        raise translate(error, path) from error
