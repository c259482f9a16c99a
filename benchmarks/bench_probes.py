"""All probes of tiers S, L and M of a release: sessions, time, and the bare sum of the sessions."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from imprint.base.paths import Environment
from imprint.compat import Tier, shipped_catalogue
from imprint.observe import JUDGES
from imprint.sandbox.releases import release_store
from probes.asking import ReleaseRun

RELEASES = ("1.0.102", "1.0.40")
TIERS = frozenset({Tier.STATIC, Tier.LOADER, Tier.MODEL})


def main() -> None:
    """One asking of each release, then two releases with `-n 2` against one."""
    catalogue = shipped_catalogue()
    claims = [one for one in JUDGES if set(catalogue[one].tiers) <= TIERS]
    print(f"{len(claims)} claims of tiers S, L, M")
    for version in RELEASES:
        _ask(version, claims)
    one, two = _pytest(RELEASES[0]), _pytest(*RELEASES, workers=2)
    print(
        f"pytest probes {RELEASES[0]}: {one:.0f} s; with {RELEASES[1]}, -n 2: {two:.0f} s", end=""
    )
    print(f"  x {two / one:.2f}")


def _ask(version: str, claims: list[str]) -> None:
    host = Environment.current()
    catalogue = shipped_catalogue()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run = ReleaseRun.begin(
            version, lambda: release_store(host).fetch(version), host, [Path(folder)]
        )
        run.expect(claims)
        for claim in claims:
            run.ask(catalogue[claim])
        wall = time.perf_counter() - began
        (sessions,) = run.attempts
        bare = sum(one.result.duration_ms for one in sessions.seen) / 1000
        asked = sum(bool(one.result.model_requests) for one in sessions.seen)
    print(
        f"{version}: {wall:.0f} s, {asked} sessions that asked the model, {len(sessions.seen)} runs"
        f" of Copilot in all, bare sum {bare:.0f} s  x {wall / bare:.2f}"
    )


def _pytest(*versions: str, workers: int = 0) -> float:
    words = [word for version in versions for word in ("--copilot", version)]
    argv = [sys.executable, "-m", "pytest", "probes", "-q", f"-n{workers}", *words]
    began = time.perf_counter()
    # What they answer is no matter here, and an answer that is not recorded makes no failure.
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - began
