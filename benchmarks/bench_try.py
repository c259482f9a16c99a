"""`imprint try` with the release in the cache, against the two bare sessions that it contains."""

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._measure import command, interleaved, report
from imprint.base.paths import Environment
from imprint.sandbox.isolation import ScratchHome
from imprint.sandbox.releases import release_store
from imprint.sandbox.session import SessionSpec, run_prompt
from imprint.trial.scenario import Scenario

VERSION = "1.0.102"


def main(rounds: int = 3) -> None:
    """Bare: the same prompts and turns in a home without Imprint; the recall tool isn't there."""
    host = Environment.current()
    release = release_store(host).fetch(VERSION)

    def two_bare_sessions() -> None:
        scenario = Scenario.new()
        with tempfile.TemporaryDirectory() as scratch:
            project = Path(scratch, "project")
            project.mkdir()
            for script in (scenario.telling, scenario.asking):
                result = run_prompt(
                    SessionSpec(
                        release=release,
                        prompt=script.prompt,
                        turns=script.turns,
                        scratch=ScratchHome(Path(scratch, "user")),
                        workdir=project,
                        host=host,
                    )
                )
                assert result.exit_code == 0, result.stderr

    imprint_try = [sys.executable, "-P", "-m", "imprint", "try", "--copilot", VERSION]
    subprocess.run(imprint_try, check=True)
    timings = interleaved(
        {
            f"two bare sessions of Copilot {VERSION}": two_bare_sessions,
            "imprint try": command(imprint_try),
        },
        rounds,
    )
    report("imprint try, release in the cache", timings, "at most 2")


if __name__ == "__main__":
    main()
