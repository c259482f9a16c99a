"""`imprint learn`: everything new in the stores of Copilot homes."""

import os
from collections.abc import Sequence

from imprint.base.paths import Layout
from imprint.learn.checkpoint import stamp, unchanged
from imprint.learn.policy import Policy
from imprint.learn.report import LearnReport, SkippedSession, SkipReason
from imprint.learn.run import LOCK_SECONDS, LearnRun, learning_lock, paused
from imprint.learn.store import Found, SessionState, StoreScan
from imprint.memory import Memory


def learn_homes(
    memory: Memory,
    homes: Sequence[SessionState],
    *,
    policy: Policy,
    layout: Layout,
    lock_seconds: float = LOCK_SECONDS,
) -> LearnReport:
    """Learn what is new in these stores, then prepare the digests of the directories touched.

    Raises `StoreError` if the memory fails (what was learned until then stays) and
    `LearningBusyError` if another process learns for longer than `lock_seconds`.
    """
    with learning_lock(layout, lock_seconds), LearnRun(memory, policy, layout) as run:
        known = memory.sessions_known()
        for found in _changed(run, homes, known):
            if policy.is_paused:
                run.skip(paused(found))
            else:
                run.learn(found, known.get(found.key))
        for home in homes:
            run.skipped.keep_only(os.fspath(home.folder), run.skipped_paths)
        run.prepare_digests(())
    return run.report()


def _changed(run: LearnRun, homes: Sequence[SessionState], known: dict[str, bytes]) -> list[Found]:
    """The transcripts to read, the oldest first: an original comes before its copies."""
    run.use_origins(known)
    digest = run.policy.digest
    is_unchanged = unchanged(known, digest)
    changed: dict[str, Found] = {}
    for home in homes:
        scan = StoreScan(home, is_unchanged)
        for item in scan.items():
            if isinstance(item, SkippedSession):
                run.skip(item)
            elif skipped := run.skipped.reason_of(item.name, stamp(item, digest)):
                run.skip_again(skipped)
            else:
                _add(run, changed, item)
        run.count_unchanged(scan.unchanged)
    return sorted(changed.values(), key=lambda found: found.mtime_ns)


def _add(run: LearnRun, changed: dict[str, Found], found: Found) -> None:
    """Of several files of one session only the longest is read."""
    other = changed.get(found.key)
    if other is None:
        changed[found.key] = found
        return
    longer, shorter = (found, other) if found.size > other.size else (other, found)
    changed[found.key] = longer
    run.skip(SkippedSession(shorter.key, shorter.path, SkipReason.DUPLICATE))
