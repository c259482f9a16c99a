"""Asking one release: its sessions, its circumstances, one row per claim."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from imprint.base.errors import ImprintError
from imprint.base.paths import Environment
from imprint.compat import Attempt, Claim, Outcome, Row, Run, row_of
from imprint.compat.shipped import PROGRAM
from imprint.observe import (
    JUDGES,
    SNAPSHOTS,
    Sessions,
    executable_digest,
    observe,
    sessions_of,
    this_platform,
)
from imprint.observe.judged import Judged
from imprint.observe.registry import WAITING, attempt_of
from imprint.observe.revision import probe_revision
from imprint.sandbox.release import Release
from probes import powershell

OWN: Mapping[str, Callable[[], Judged]] = {"windows.hook_command": powershell.hook_command}
"""Claims about what Imprint itself writes, which no session of a release can answer."""


def asked_claims() -> tuple[str, ...]:
    """Every claim that a release is asked."""
    return (*JUDGES, *OWN)


class Asked(msgspec.Struct, frozen=True):
    """A row, and the circumstances of its run up to it."""

    row: Row
    run: Run


@dataclass(slots=True)
class ReleaseRun:
    """One release; `attempts` are the sessions of each asking. Without them it is `blocked`."""

    version: str
    host: Environment
    release: Release | None
    attempts: tuple[Sessions, ...]
    blocked: str
    started_at: str
    _before: str = ""
    _digests: dict[tuple[int, ...], str] = field(default_factory=dict)

    @classmethod
    def begin(
        cls,
        version: str,
        get: Callable[[], Release],
        host: Environment,
        folders: Sequence[Path],
    ) -> "ReleaseRun":
        """Get the release; where that fails every row is blocked for that reason."""
        started = _now()
        try:
            release = get()
        except ImprintError as error:
            return cls(version, host, None, (), error.code, started)
        attempts = tuple(sessions_of(release, host, folder) for folder in folders)
        run = cls(version, host, release, attempts, "", started)
        run._before = run._digest()
        return run

    def expect(self, claims: Iterable[str]) -> None:
        """These will be asked: what mostly waits for them starts now, beside the others."""
        names = [name for claim, name in WAITING.items() if claim in set(claims)]
        for sessions in self.attempts:
            sessions.begin(names)

    def ask(self, claim: Claim) -> Asked:
        """One row; the sessions that it needs are run where no other claim has needed them."""
        if self.release is None:
            attempts = [Attempt(Outcome.BLOCKED, reason=self.blocked)]
        else:
            attempts = [self._attempt(claim.id, sessions) for sessions in self.attempts]
        # Of several tiers the weakest is claimed.
        tier = claim.tiers[0].evidence
        return Asked(row_of(claim.id, tier, attempts), self.circumstances())

    def _attempt(self, claim: str, sessions: Sessions) -> Attempt:
        return attempt_of(OWN[claim]()) if claim in OWN else observe(claim, sessions)

    def shape(self, claim: str) -> object:
        """What the first attempt's answer to a claim of kind snapshot is the digest of."""
        return SNAPSHOTS[claim](self.attempts[0])

    def circumstances(self) -> Run:
        """Of the run so far."""
        said = {one for sessions in self.attempts for one in sessions.reported_versions}
        seen = [one for sessions in self.attempts for one in sessions.seen]
        isolation = sorted({one.result.isolation.kind.value for one in seen})
        return Run(
            program=PROGRAM,
            version=self.version,
            platform=this_platform(self.host),
            reported_version=" ".join(sorted(said)),
            executable_before=self._before,
            executable_after=self._digest(),
            probe_revision=probe_revision(),
            isolation=" ".join(isolation) or "none",
            started_at=self.started_at,
            ended_at=_now(),
        )

    def _digest(self) -> str:
        """Of the executable; read again only when the file is another or was changed."""
        if self.release is None:
            return ""
        try:
            status = Path(self.release.command[-1]).stat()
        except OSError:
            return executable_digest(self.release)
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if stamp not in self._digests:
            self._digests[stamp] = executable_digest(self.release)
        return self._digests[stamp]


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds")
