"""The checks of the store, for `imprint doctor`: nothing is opened for writing.

The version stands in the file's header; SQLite itself is only needed to look for damage.
"""

import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from imprint.base.checks import Check, CheckContext, Checker, Status
from imprint.base.paths import Layout

SECONDS = 0.1
LIVE_SECONDS = 20.0
"""How long damage is looked for, without and with `--live`."""

_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"
# https://www.sqlite.org/fileformat2.html#the_database_header: big-endian at these offsets.
_USER_VERSION, _APPLICATION_ID = 60, 68


class Id(StrEnum):
    """The ids of this room's checks: stable, each explained in docs/doctor.md."""

    STORE = "memory.store"
    PRIVATE = "memory.private"
    INTEGRITY = "memory.integrity"


IDS = tuple(Id)


@dataclass(frozen=True, slots=True)
class _Header:
    """What the first bytes of a store say."""

    version: int
    application: int


def checkers(context: CheckContext) -> tuple[Checker, ...]:
    """The checks of the store in this Imprint home."""
    layout = context.environment.layout()
    seconds = LIVE_SECONDS if context.live else SECONDS
    return (
        Checker(Id.STORE, partial(check_store, layout)),
        Checker(Id.PRIVATE, partial(check_private, layout)),
        Checker(Id.INTEGRITY, partial(check_integrity, layout, seconds)),
    )


def check_store(layout: Layout) -> Iterator[Check]:
    """Whether there is a store of a version that this Imprint knows."""
    path = layout.store
    header = _header(path)
    if header is None:
        yield Check(Id.STORE, Status.OK, f"no store at {path} yet: nothing was learned")
        return
    yield _judge(path, header)


def check_private(layout: Layout) -> Iterator[Check]:
    """Whether others on this computer can look into the memory."""
    if sys.platform == "win32" or not layout.root.exists():
        yield Check(Id.PRIVATE, Status.OK, f"{layout.root} lies in the user's own folder")
        return
    places = (layout.root, layout.store, layout.spool, layout.digests, layout.log)
    open_to_others = [path for path in places if path.exists() and path.stat().st_mode & 0o077]
    # A folder that nobody else may enter protects what lies in it.
    if layout.root in open_to_others:
        for path in open_to_others:
            mode = "700" if path.is_dir() else "600"
            what = f"others on this computer may look at {path}"
            yield Check(Id.PRIVATE, Status.ATTENTION, what, f"`chmod {mode} '{path}'`")
    else:
        yield Check(Id.PRIVATE, Status.OK, f"{layout.root} is for its owner alone")


def check_integrity(layout: Layout, seconds: float) -> Iterator[Check]:
    """SQLite's own quick check, for as long as `seconds`; the files stay as they are."""
    path = layout.store
    header = _header(path)
    if header is None or _judge(path, header).status is not Status.OK:
        return
    uri = _readable_uri(path)
    if uri is None:
        what = f"{path} was not closed; the next command that uses it puts that right"
        yield Check(Id.INTEGRITY, Status.OK, what)
        return
    yield _quick_check(path, uri, seconds)


def _header(path: Path) -> _Header | None:
    """None where there is no store, or one that nothing was written to yet."""
    from imprint.memory.errors import damaged

    try:
        with path.open("rb") as file:
            data = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return None
    except OSError:
        if path.is_dir():  # Windows says PermissionError
            raise damaged(path, "it is not a file") from None
        raise
    if not data:
        return None
    if len(data) < _HEADER_BYTES or not data.startswith(_MAGIC):
        return _Header(0, 0)
    (version,) = struct.unpack_from(">i", data, _USER_VERSION)
    (application,) = struct.unpack_from(">i", data, _APPLICATION_ID)
    return _Header(version, application)


def _judge(path: Path, header: _Header) -> Check:
    from imprint.memory import schema
    from imprint.memory.errors import damaged

    newest = len(schema.MIGRATIONS)
    if header.application != schema.APPLICATION_ID:
        error = damaged(path, "it is no store of Imprint's")
        return Check.of_error(Id.STORE, Status.BROKEN, error)
    if header.version > newest:
        what = f"the store {path} has version {header.version}; this Imprint knows {newest}"
        return Check(Id.STORE, Status.BROKEN, what, "upgrade Imprint")
    size = path.stat().st_size / 1e6
    return Check(Id.STORE, Status.OK, f"{path}: version {header.version}, {size:.1f} MB")


def _readable_uri(path: Path) -> str | None:
    """How to open the store without changing any file; None where there is no such way.

    With a `-shm` file, `readonly_shm` looks at the log through it or through a copy in memory.
    Without both, nobody has the store open and the file alone is everything.
    """
    log, shared = (path.with_name(path.name + ending) for ending in ("-wal", "-shm"))
    if shared.exists():
        return f"{path.absolute().as_uri()}?mode=ro&readonly_shm=1"
    if log.exists() and log.stat().st_size:
        return None
    return f"{path.absolute().as_uri()}?mode=ro&immutable=1"


def _quick_check(path: Path, uri: str, seconds: float) -> Check:
    import sqlite3

    from imprint.memory.errors import StoreDamaged, damaged, translate

    try:
        sql = sqlite3.connect(uri, uri=True, timeout=seconds)
        try:
            sql.set_progress_handler(_deadline(seconds), 1000)
            found = [str(row[0]) for row in sql.execute("PRAGMA quick_check(3)")]
        finally:
            sql.close()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            what = f"no damage found in the first {seconds:g} s of looking at {path}"
            return Check(Id.INTEGRITY, Status.OK, f"{what} (`--live` looks for {LIVE_SECONDS:g} s)")
        known = translate(error, path)
        status = Status.BROKEN if isinstance(known, StoreDamaged) else Status.UNKNOWN
        return Check.of_error(Id.INTEGRITY, status, known)
    if found == ["ok"]:
        return Check(Id.INTEGRITY, Status.OK, f"no damage in {path}")
    return Check.of_error(Id.INTEGRITY, Status.BROKEN, damaged(path, found[0]))


def _deadline(seconds: float) -> Callable[[], bool]:
    until = time.monotonic() + seconds
    return lambda: time.monotonic() > until
