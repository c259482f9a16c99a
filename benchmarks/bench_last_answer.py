"""Whether the last answer is always learned, though the transcript lags behind the Stop hook.

Real sessions of several releases, each with Imprint set up as a user would; nothing else imports.
`python -m benchmarks last_answer` takes some minutes and says how many answers were lost.
"""

import statistics
import time
from collections.abc import Sequence

from imprint.base.paths import Environment
from imprint.copilot.contract import CopilotContract
from imprint.copilot.homes import CopilotHome, HomeSource
from imprint.copilot.runtime import Runtime
from imprint.sandbox.release import Release
from imprint.sandbox.releases import release_store
from imprint.sandbox.session import SessionSpec, run_prompt
from imprint.trial import learning
from imprint.trial.install import Installation
from imprint.trial.scenario import Scenario
from imprint.trial.stage import Stage, stage
from imprint.trial.steps import Status

RELEASES = ("1.0.10", "1.0.20", "1.0.40", "1.0.80", "1.0.102")


def main(releases: Sequence[str] = RELEASES, sessions: int = 10) -> None:
    """Print a line per release: learned, lost, and how long after the end it was there."""
    host = Environment.current()
    print(f"\nlast answer of a session learned by the Stop hook, {sessions} sessions a release")
    for version in releases:
        release = release_store(host).fetch(version)
        with stage(host, keep=False) as built:
            runtime = Runtime.current(built.environment)
            home = CopilotHome.at(built.scratch.copilot, HomeSource.VARIABLE)
            contract = CopilotContract.for_version(version, host.platform)
            assert Installation(built.environment, home, contract, runtime).set_up().ok
            waits = [_one(host, release, built) for _ in range(sessions)]
            learning.settle(built)
        learned = [wait for wait in waits if wait is not None]
        lags = (
            f"{statistics.median(learned):.0f} ms, at most {max(learned):.0f} ms"
            if learned
            else "-"
        )
        print(f"{version:<9} {len(learned):3} learned {sessions - len(learned):3} lost   {lags}")


def _one(host: Environment, release: Release, built: Stage) -> float | None:
    """Milliseconds from Copilot's end to the learned answer; None if it was lost."""
    scenario = Scenario.new()
    script = scenario.telling
    result = run_prompt(
        SessionSpec(
            release=release,
            prompt=script.prompt,
            turns=script.turns,
            scratch=built.scratch,
            workdir=built.project,
            host=host,
        )
    )
    ended = time.monotonic()
    verdict = learning.judge_stop(built, scenario, result, lambda: None)
    waited = (time.monotonic() - ended) * 1000
    return waited if verdict.status is Status.PROVEN else None


if __name__ == "__main__":
    main()
