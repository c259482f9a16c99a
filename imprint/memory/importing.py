"""Learning one session: all its turns and its checkpoint in one transaction."""

import sqlite3
from collections.abc import Iterable

from imprint.memory.batch import SLOTS, Batch
from imprint.memory.entries import Entry, EntryWriter, mark_of, seconds_of
from imprint.memory.projects import project_id
from imprint.memory.records import Kind, SessionMeta, Turn, WorkRecord
from imprint.memory.session_rows import save_changes, save_checkpoint, save_meta, session_id
from imprint.memory.terms import clean
from imprint.memory.words import Words


class SessionImport:
    """What `Memory.importing` hands out; valid inside its `with` alone.

    Of a session that the user forgot nothing is learned, only where reading stopped.
    """

    def __init__(
        self,
        sql: sqlite3.Connection,
        words: Words,
        meta: SessionMeta,
        now: int,
        *,
        restoring: bool = False,
    ) -> None:
        """`restoring` brings a session back: one that was forgotten too, and what the store
        knows of one already stays. Else the entries of a new session are written many at a time:
        who uses the connection otherwise has to `flush()` first.
        """
        self._sql = sql
        self._words = words
        self._seen: set[int] | None = None
        self._seconds = now if (start := seconds_of(meta.started_at)) is None else start
        row = session_id(sql, meta.key)
        self._session = row.id
        self._project = row.project
        self.is_forgotten = row.is_forgotten and not restoring
        self.is_new = row.is_new or (row.is_forgotten and restoring)
        is_batched = self.is_new and not restoring
        self._writer = EntryWriter(sql, words, Batch(sql) if is_batched else None)
        # What a new session has is known without asking.
        self._added: set[tuple[str, str]] | None = set() if self.is_new else None
        if self.is_new or not restoring:
            self._save_meta(meta)

    def restart(self) -> None:
        """The transcript was rewritten: what is not added again from here on is forgotten."""
        self._writer.leave_batch()
        self._seen = set()

    def flush(self) -> None:
        """Write what was only collected: the transaction can be read then."""
        self._writer.flush()

    def add_turn(self, turn: Turn) -> bool:
        """Learn a turn once; True if it is new. A known event with another text is replaced."""
        return self._add(turn.event_id, turn.role, "", turn.text, turn.timestamp, turn.ordinal)

    def add_work(self, record: WorkRecord) -> bool:
        """Learn a work record once per event, kind and subject; True if it is new."""
        return self._add(
            record.event_id,
            record.kind,
            record.subject,
            record.detail,
            record.timestamp,
            record.ordinal,
        )

    def remove_turns(self, event_ids: Iterable[str]) -> int:
        """Forget the entries of events that the user undid; return how many there were."""
        self.flush()
        removed = 0
        for event_id in event_ids:
            rows = self._sql.execute(
                "SELECT id FROM entry WHERE session = ? AND event = ?",
                (self._session, clean(event_id)),
            ).fetchall()
            removed += self._writer.remove(row[0] for row in rows)
        return removed

    def discard(self) -> None:
        """The session may not be learned after all: nothing of it stays, not even its row.

        Unlike a forgotten one it is learned when it is imported again.
        """
        if self.is_forgotten:
            return
        self.flush()
        rows = self._sql.execute("SELECT id FROM entry WHERE session = ?", (self._session,))
        self._writer.remove([row[0] for row in rows.fetchall()])
        self._sql.execute("DELETE FROM session WHERE id = ?", (self._session,))

    def finish(self, meta: SessionMeta, checkpoint: bytes | None) -> None:
        """Note what is known of the session now, and where reading stopped."""
        self._save_meta(meta)
        save_checkpoint(self._sql, self._session, checkpoint)

    def close(self) -> None:
        """Complete the transaction's work; the caller commits."""
        if self._seen is not None:
            rows = self._sql.execute("SELECT id FROM entry WHERE session = ?", (self._session,))
            self._writer.remove([row[0] for row in rows if row[0] not in self._seen])
        self._writer.finish()
        if not self.is_forgotten:
            save_changes(
                self._sql,
                self._session,
                self._writer.turns,
                self._writer.work,
                self._writer.latest,
                self._seconds * SLOTS,
            )

    def _add(
        self, event: str, kind: Kind, subject: str, text: str, timestamp: str, ordinal: int
    ) -> bool:
        if self.is_forgotten:
            return False
        text, terms = self._words.prepare(text)
        if subject:
            subject, others = self._words.prepare(subject)
            terms |= others
        event = clean(event)
        mark = mark_of(kind, subject)
        known = self._known(event, mark)
        if known is not None:
            if known[1] != text:
                self._writer.replace_text(known[0], text, terms)
            self._see(known[0])
            return False
        time = clean(timestamp)
        entry = Entry(self._session, self._project, kind, event, mark, subject, text, time, ordinal)
        self._see(self._writer.add(entry, terms, self._seconds))
        return True

    def _known(self, event: str, mark: str) -> tuple[int, str] | None:
        """Id and text of an entry that is there already."""
        if self._added is not None and (event, mark) not in self._added:
            self._added.add((event, mark))
            return None
        self.flush()
        row: tuple[int, str] | None = self._sql.execute(
            "SELECT id, text FROM entry WHERE session = ? AND event = ? AND mark = ?",
            (self._session, event, mark),
        ).fetchone()
        return row

    def _see(self, number: int) -> None:
        if self._seen is not None:
            self._seen.add(number)

    def _save_meta(self, meta: SessionMeta) -> None:
        if self.is_forgotten:
            return
        self.flush()
        project = project_id(self._sql, clean(meta.project))
        if project != self._project:
            self._writer.move(self._session, project)
            self._project = project
        save_meta(self._sql, self._session, project, meta)
