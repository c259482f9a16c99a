"""Asking the user's own Copilot, offline and in a scratch home: what does this very program do?"""

import datetime as dt
import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from imprint.base.machine import machine_name
from imprint.base.paths import Environment
from imprint.compat import Observations, Outcome, Row, Run, row_of, shipped_catalogue
from imprint.compat.shipped import PROGRAM
from imprint.copilot.cached_builds import cached_builds
from imprint.copilot.local_observations import LocalObservations, Stamp, digest_of, stamps_of
from imprint.observe.brief import JUDGES, Brief, run_brief
from imprint.observe.revision import probe_revision
from imprint.observe.scenario import Scenario
from imprint.sandbox.release import Kind, Release, prove

START_SECONDS = 30.0
SESSION_SECONDS = 45.0
"""Limits for a machine under load; all of it takes less than 15 s on one that is not."""

_IN_USE = "inuse.*"


@dataclass(frozen=True, slots=True)
class Asked:
    """One asking: the version that the program says, its sessions, and what they make of it.

    `refusal` says why nothing of it counts, empty where it does. `seconds` is how long it took.
    """

    version: str
    sessions: Brief
    observations: Observations
    stamps: tuple[Stamp, ...]
    refusal: str
    seconds: float

    @property
    def rows(self) -> tuple[Row, ...]:
        """One per claim."""
        return self.observations.rows


def ask(
    environment: Environment,
    program: Path,
    version: str | None,
    folder: Path,
    further: Sequence[Scenario] = (),
) -> Asked:
    """Run the brief sessions, and `further` ones beside them, below `folder`.

    `version` is the one that the program is taken for. Raises SandboxError where it is no Copilot,
    does not start or hangs, and OSError where it is gone.
    """
    began, started = time.monotonic(), _now()
    stamps = stamps_of(program, environment.platform)
    unpacked = folder / "unpacked"
    _borrow(environment, version, unpacked)
    with ThreadPoolExecutor(1) as pool:
        digesting = pool.submit(digest_of, program, environment.platform)
        command = (str(program),)
        said = prove(command, environment, folder / "start", unpacked, START_SECONDS)
        release = Release(said, Kind.NATIVE, command, program.parent, unpacked=unpacked)
        sessions = run_brief(
            release, environment, folder, further=further, deadline=SESSION_SECONDS
        )
        digest = digesting.result()
    is_same = _is_same(program, environment.platform, stamps)
    run = Run(
        program=PROGRAM,
        version=said,
        platform=machine_name(environment.platform),
        reported_version=" ".join(sorted(sessions.reported_versions)),
        executable_before=digest,
        executable_after=digest if is_same else "changed",
        probe_revision=probe_revision(),
        isolation=_isolation(sessions),
        started_at=started,
        ended_at=_now(),
    )
    observations = Observations(1, run, _rows(sessions))
    refusal = _refusal(observations, version, is_same)
    return Asked(said, sessions, observations, stamps, refusal, time.monotonic() - began)


def keep(environment: Environment, asked: Asked) -> Path | None:
    """Put what was observed on record for this executable; None where nothing was."""
    rows = tuple(row for row in asked.rows if row.outcome is Outcome.OBSERVED)
    if asked.refusal or not rows:
        return None
    store = LocalObservations(environment.layout().observed, environment.platform)
    run = asked.observations.run
    return store.keep(asked.stamps, Observations(asked.observations.schema, run, rows))


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """For one asking; what a killed program left behind does not stop the removal."""
    return tempfile.TemporaryDirectory(prefix="imprint-live-", ignore_cleanup_errors=True)


def _borrow(environment: Environment, version: str | None, unpacked: Path) -> None:
    """A copy of what the program has unpacked of itself already: that saves seconds."""
    found = cached_builds(environment).get(version or "")
    if found is None:
        return
    target = unpacked / "pkg" / found.parent.name / found.name
    try:
        shutil.copytree(found, target, ignore=shutil.ignore_patterns(_IN_USE), symlinks=True)
    except OSError:
        shutil.rmtree(unpacked, ignore_errors=True)  # it unpacks itself again


def _rows(sessions: Brief) -> tuple[Row, ...]:
    claims = shipped_catalogue()
    return tuple(
        row_of(name, claims[name].tiers[0].evidence, [sessions.ask(name)]) for name in JUDGES
    )


def _refusal(observations: Observations, expected: str | None, is_same: bool) -> str:
    run = observations.run
    if not is_same:
        return "the program changed while it was asked"
    if not run.reported_version:
        return "no session got as far as to say its version"
    if run.reported_version != run.version:
        return f"the program says {run.version}, its sessions say {run.reported_version}"
    if expected is not None and expected != run.version:
        return f"sessions of yours run {expected}, which the program keeps in its cache"
    return ""


def _is_same(program: Path, system: str, before: tuple[Stamp, ...]) -> bool:
    try:
        return stamps_of(program, system) == before
    except OSError:
        return False


def _isolation(sessions: Brief) -> str:
    kinds = {one.result.isolation.kind.value for one in sessions.seen}
    return " ".join(sorted(kinds)) or "none"


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
