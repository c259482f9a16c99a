"""Which sessions were not learned and why, kept so that an unchanged one is not read again."""

import os
from collections.abc import Container, Iterator
from pathlib import Path

import msgspec

from imprint.learn.files import write_private
from imprint.learn.report import SkippedSession, SkipReason

LASTING = frozenset(SkipReason) - {SkipReason.UNREADABLE, SkipReason.PAUSED}
"""What an unchanged file under an unchanged policy stays skipped for."""


class _Record(msgspec.Struct, frozen=True):
    key: str
    reason: SkipReason
    detail: str = ""
    mark: bytes = b""


class SkippedSessions:
    """The file `skipped.json`, by transcript path; a damaged one is an empty one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._records = _load(path)
        self._is_changed = False

    def __iter__(self) -> Iterator[SkippedSession]:
        for path, record in self._records.items():
            yield SkippedSession(record.key, path, record.reason, record.detail)

    def reason_of(self, path: str, mark: bytes) -> SkippedSession | None:
        """Why the very same file was skipped; None if it was not, or has changed."""
        record = self._records.get(path)
        if record is None or record.mark != mark or record.reason not in LASTING:
            return None
        return SkippedSession(record.key, path, record.reason, record.detail)

    def put(self, session: SkippedSession, mark: bytes = b"") -> None:
        """Note a skipped session; `mark` is the stamp of its file."""
        record = _Record(session.key, session.reason, session.detail, mark)
        if self._records.get(session.path) != record:
            self._records[session.path] = record
            self._is_changed = True

    def remove(self, path: str) -> None:
        """It was learned."""
        if self._records.pop(path, None) is not None:
            self._is_changed = True

    def keep_only(self, folder: str, skipped: Container[str]) -> None:
        """Of what lay below `folder` keep what this run skipped again; the rest is gone."""
        inside = folder.rstrip(os.sep) + os.sep
        gone = [path for path in self._records if path not in skipped and path.startswith(inside)]
        for path in gone:
            self.remove(path)

    def save(self) -> None:
        """Write the file if anything changed: whole or not at all, for its owner alone."""
        if not self._is_changed:
            return
        write_private(self._path, msgspec.json.encode(self._records))
        self._is_changed = False


def _load(path: Path) -> dict[str, _Record]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, _Record])
    except (OSError, msgspec.DecodeError, ValueError):
        return {}  # only known from here; every session is looked at again
