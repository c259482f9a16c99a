"""The checks of learning, for `imprint doctor`: from the learner's own small files."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import partial
from pathlib import Path

from imprint.base.checks import Check, CheckContext, Checker, Status
from imprint.base.paths import Layout
from imprint.hook_entry import read_spool_entry
from imprint.learn.health import Health, Odd
from imprint.learn.policy import load_policy
from imprint.learn.report import REASONS, SkippedSession, SkipReason
from imprint.learn.skipped import SkippedSessions
from imprint.learn.spool_folder import REJECTED, pending

WAITING = dt.timedelta(minutes=5)
"""An importer is done long before."""
SHOWN = 3


class Id(StrEnum):
    """The ids of this room's checks: stable, each explained in docs/doctor.md."""

    LAST = "learn.last"
    PAUSED = "learn.paused"
    SPOOL = "learn.spool"
    GROWTH = "learn.growth"
    SESSIONS = "learn.sessions"
    DAMAGE = "learn.damage"
    GAPS = "learn.gaps"


IDS = tuple(Id)


def checkers(context: CheckContext) -> tuple[Checker, ...]:
    """The checks of what was learned, and what was not."""
    layout = context.environment.layout()
    return (
        Checker(Id.LAST, partial(check_last, layout, context.now)),
        Checker(Id.PAUSED, partial(check_paused, context)),
        Checker(Id.SPOOL, partial(check_spool, layout, context.now)),
        Checker(Id.GROWTH, partial(check_growth, layout)),
        Checker(Id.SESSIONS, partial(check_sessions, layout)),
        Checker(Id.DAMAGE, partial(check_damage, layout)),
        Checker(Id.GAPS, partial(check_gaps, layout)),
    )


def check_last(layout: Layout, now: dt.datetime) -> Iterator[Check]:
    """When something was learned last."""
    at, key = Health(layout.health).last_learned
    if not at:
        what = "nothing was learned yet; it is after the next turn, or by `imprint learn`"
        yield Check(Id.LAST, Status.OK, what)
        return
    moment = dt.datetime.fromtimestamp(at, dt.UTC)
    what = f"learned last {_ago(now - moment)} ago, of {key} ({moment:%Y-%m-%d %H:%M} UTC)"
    yield Check(Id.LAST, Status.OK, what)


def check_paused(context: CheckContext) -> Iterator[Check]:
    """Whether the user paused learning, and perhaps forgot it."""
    since = [p.begin for p in load_policy(context.environment).pauses if p.end is None]
    if not since:
        yield Check(Id.PAUSED, Status.OK, "learning is not paused")
        return
    moment = dt.datetime.fromtimestamp(since[0], dt.UTC)
    what = f"learning has been paused since {moment:%Y-%m-%d %H:%M} UTC"
    yield Check(Id.PAUSED, Status.ATTENTION, what, "`imprint pause --off` goes on")


def check_spool(layout: Layout, now: dt.datetime) -> Iterator[Check]:
    """Turns that Stop hooks announced, and that nobody learned."""
    entries = pending(layout)
    ages = [now - dt.datetime.fromtimestamp(_received(path), dt.UTC) for path in entries]
    late = [age for age in ages if age > WAITING]
    rejected = _count_files(layout.spool / REJECTED)
    if late:
        what = f"{len(late)} announced turns wait to be learned, the oldest for {_ago(max(late))}"
        yield Check(Id.SPOOL, Status.ATTENTION, what, "`imprint learn --spool`")
    if rejected:
        what = f"{rejected} announcements could not be read; `imprint learn` finds what they meant"
        fix = f"run `imprint learn`, then delete {layout.spool / REJECTED}"
        yield Check(Id.SPOOL, Status.ATTENTION, what, fix)
    if not late and not rejected:
        yield Check(Id.SPOOL, Status.OK, f"{len(entries)} announced turns are being learned")


def check_growth(layout: Layout) -> Iterator[Check]:
    """Transcripts that did not get the turn that was announced."""
    stuck = [odd for odd in _present(layout) if odd.stuck_since is not None]
    if not stuck:
        yield Check(Id.GROWTH, Status.OK, "every announced turn was found in its transcript")
        return
    what = f"a turn ended, and its transcript did not get it: {_paths(stuck)}"
    fix = "go on in a new session; if that helps, report it to Copilot"
    yield Check(Id.GROWTH, Status.ATTENTION, what, fix)


def check_sessions(layout: Layout) -> Iterator[Check]:
    """Sessions that were not learned, by reason; those of which nothing was understood."""
    skipped = [item for item in SkippedSessions(layout.skipped) if Path(item.path).exists()]
    unknown = [item for item in skipped if item.reason is SkipReason.UNKNOWN_EVENTS]
    unreadable = [item for item in skipped if item.reason is SkipReason.UNREADABLE]
    if unknown:
        what = f"nothing was understood of {len(unknown)} transcripts: {_named(unknown)}"
        fix = "update Imprint; if it is the newest one, report it"
        yield Check(Id.SESSIONS, Status.BROKEN, what, fix)
    if unreadable:
        what = f"{len(unreadable)} transcripts cannot be read: {_named(unreadable)}"
        yield Check(Id.SESSIONS, Status.ATTENTION, what, "give this user permission to read them")
    reasons = Counter(item.reason for item in skipped)
    told = "; ".join(f"{number}: {REASONS[reason]}" for reason, number in sorted(reasons.items()))
    if not unknown and not unreadable:
        what = f"not learned: {told} (`imprint sessions --skipped`)" if told else "all are learned"
        yield Check(Id.SESSIONS, Status.OK, what)


def check_damage(layout: Layout) -> Iterator[Check]:
    """Lines that could not be read; all others were learned."""
    odd = _present(layout)
    damaged = [item for item in odd if item.damage.lines]
    kinds: Counter[str] = Counter()
    for item in damaged:
        kinds.update(item.damage.lines)
    types = sorted({name for item in odd for name in item.damage.unknown})
    if damaged:
        counts = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
        what = f"damaged lines in {len(damaged)} transcripts ({counts}): {_paths(damaged)}"
        fix = "nothing: the other lines were learned; check the disk if it goes on"
        yield Check(Id.DAMAGE, Status.ATTENTION, what, fix)
        return
    also = f"; unknown event types, passed over: {', '.join(types[:10])}" if types else ""
    yield Check(Id.DAMAGE, Status.OK, f"no damaged lines{also}")


def check_gaps(layout: Layout) -> Iterator[Check]:
    """Transcripts that are not as long as Copilot says they were."""
    gaps = [item for item in _present(layout) if item.gaps]
    if not gaps:
        yield Check(Id.GAPS, Status.OK, "transcripts are as long as Copilot recorded")
        return
    gap = gaps[0].gaps[-1]
    what = (
        f"{len(gaps)} transcripts are not as long as Copilot recorded (read {gap.read} of"
        f" {gap.recorded} {gap.what}): {_paths(gaps)}"
    )
    fix = "nothing if you trimmed them; else something was lost before it could be learned"
    yield Check(Id.GAPS, Status.ATTENTION, what, fix)


def _present(layout: Layout) -> list[Odd]:
    """Odd sessions whose transcripts are still there."""
    return [odd for odd in Health(layout.health).odd.values() if Path(odd.path).exists()]


def _received(path: Path) -> float:
    entry = read_spool_entry(str(path))
    received = entry["received_ns"] if entry else 0
    # What comes from a clock that is ahead is not late.
    return min(received, 4_000_000_000_000_000_000) / 1e9 if isinstance(received, int) else 0.0


def _count_files(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0


def _named(items: list[SkippedSession]) -> str:
    return _some(item.path for item in items)


def _paths(items: list[Odd]) -> str:
    return _some(item.path for item in items)


def _some(paths: Iterable[str]) -> str:
    listed = sorted(paths)
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more


def _ago(age: dt.timedelta) -> str:
    minutes = max(0, int(age.total_seconds() // 60))
    if minutes < 120:
        return f"{minutes} minutes"
    hours = minutes // 60
    return f"{hours} hours" if hours < 48 else f"{hours // 24} days"
