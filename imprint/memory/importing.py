"""Learning one session: all its turns and its checkpoint in one transaction."""

import sqlite3
from collections.abc import Iterable

import msgspec

from imprint.memory.entries import (
    SLOTS,
    Entry,
    EntryWriter,
    mark_of,
    safe,
    seconds_of,
)
from imprint.memory.projects import project_id
from imprint.memory.records import SessionMeta, Turn, WorkRecord
from imprint.memory.terms import clean


class SessionImport:
    """What `Memory.importing` hands out; valid inside its `with` alone."""

    def __init__(self, sql: sqlite3.Connection, meta: SessionMeta, now: int) -> None:
        self._sql = sql
        self._meta = meta
        self._writer = EntryWriter(sql)
        self._seen: set[int] | None = None
        self._seconds = now if (start := seconds_of(meta.started_at)) is None else start
        self._project = project_id(sql, clean(meta.project))
        self._session = self._session_id()

    def restart(self) -> None:
        """The transcript was rewritten: what is not added again from here on is forgotten."""
        self._seen = set()

    def add_turn(self, turn: Turn) -> bool:
        """Learn a turn once; True if it is new. A known event with another text is replaced."""
        return self._add(turn.event_id, turn.role, "", turn.text, turn.timestamp, turn.ordinal)

    def add_work(self, record: WorkRecord) -> bool:
        """Learn a work record once per event, kind and subject; True if it is new."""
        return self._add(
            record.event_id,
            record.kind,
            safe(record.subject),
            record.detail,
            record.timestamp,
            record.ordinal,
        )

    def remove_turns(self, event_ids: Iterable[str]) -> int:
        """Forget the entries of events that the user undid; return how many there were."""
        removed = 0
        for event_id in event_ids:
            rows = self._sql.execute(
                "SELECT id FROM entry WHERE session = ? AND event = ?",
                (self._session, clean(event_id)),
            ).fetchall()
            removed += self._writer.remove(row[0] for row in rows)
        return removed

    def finish(self, meta: SessionMeta, checkpoint: bytes | None) -> None:
        """Note what is known of the session now, and where reading stopped."""
        self._meta = meta
        self._save_meta()
        self._sql.execute(
            "UPDATE session SET checkpoint = ? WHERE id = ?", (checkpoint, self._session)
        )

    def close(self) -> None:
        """Complete the transaction's work; the caller commits."""
        if self._seen is not None:
            rows = self._sql.execute("SELECT id FROM entry WHERE session = ?", (self._session,))
            self._writer.remove([row[0] for row in rows if row[0] not in self._seen])
        self._writer.finish()
        self._sql.execute(
            "UPDATE session SET latest ="
            " coalesce((SELECT max(id) FROM entry WHERE session = ?1), ?2) WHERE id = ?1",
            (self._session, self._seconds * SLOTS),
        )

    def _add(
        self, event: str, kind: str, subject: str, raw: str, timestamp: str, ordinal: int
    ) -> bool:
        text, event = safe(raw), clean(event)
        known = self._sql.execute(
            "SELECT id, text FROM entry WHERE session = ? AND event = ? AND mark = ?",
            (self._session, event, mark_of(kind, subject)),
        ).fetchone()
        if known is not None:
            if known[1] != text:
                self._writer.replace_text(known[0], text)
            self._see(known[0])
            return False
        entry = Entry(
            session=self._session,
            project=self._project,
            kind=kind,  # type: ignore[arg-type]
            event=event,
            text=text,
            subject=subject,
            timestamp=clean(timestamp),
            ordinal=ordinal,
        )
        self._see(self._writer.add(entry, self._seconds))
        return True

    def _see(self, number: int) -> None:
        if self._seen is not None:
            self._seen.add(number)

    def _session_id(self) -> int:
        key = clean(self._meta.key)
        row = self._sql.execute("SELECT id, project FROM session WHERE key = ?", (key,)).fetchone()
        if row is None:
            row = self._sql.execute(
                "INSERT INTO session(key, project, directory, directories, started_at, ended_at,"
                " client, client_version, source) VALUES (?, ?, '', '[]', '', '', '', '', '')"
                " RETURNING id, project",
                (key, self._project),
            ).fetchone()
        self._session = int(row[0])
        self._save_meta()
        return self._session

    def _save_meta(self) -> None:
        meta = self._meta
        project = project_id(self._sql, clean(meta.project))
        filed = self._sql.execute(
            "SELECT project FROM session WHERE id = ?", (self._session,)
        ).fetchone()[0]
        if filed != project:
            self._writer.move(self._session, project)
        self._project = project
        self._sql.execute(
            "UPDATE session SET project = ?, directory = ?, directories = ?, started_at = ?,"
            " ended_at = ?, client = ?, client_version = ?, source = ? WHERE id = ?",
            (
                project,
                clean(meta.directory),
                msgspec.json.encode([clean(d) for d in meta.directories]).decode("utf-8"),
                clean(meta.started_at),
                clean(meta.ended_at),
                clean(meta.client),
                clean(meta.client_version),
                clean(meta.source),
                self._session,
            ),
        )
