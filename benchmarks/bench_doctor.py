"""`imprint doctor` in a home that is set up, against the interpreter and the imports alone."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._measure import command, interleaved, report


def main(rounds: int = 20) -> None:
    """A home with a few files of others, a store with notes, a Copilot whose version is known."""
    with tempfile.TemporaryDirectory() as scratch:
        env = _prepare(Path(scratch))
        imprint = [sys.executable, "-P", "-m", "imprint"]
        timings = interleaved(
            {
                "python -P -c pass": command([sys.executable, "-P", "-c", "pass"], env=env),
                "imprint --version": command([*imprint, "--version"], env=env),
                "imprint status": command([*imprint, "status"], env=env),
                "imprint doctor": command([*imprint, "doctor"], env=env),
            },
            rounds,
        )
    report("imprint doctor, whole process", timings, "at most 300 ms, without --live")


def _prepare(root: Path) -> dict[str, str]:
    copilot = root / "home" / ".copilot"
    (copilot / "logs").mkdir(parents=True)
    (copilot / "hooks").mkdir()
    (copilot / "logs" / "process-1.log").write_text("[INFO] started\n" * 20_000, encoding="utf-8")
    (copilot / "hooks" / "guard.json").write_text(
        '{"version": 1, "hooks": {"PreToolUse": [{"bash": "true"}]}}', encoding="utf-8"
    )
    program = root / "bin" / "copilot"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 1; echo 1.0.102\n", encoding="utf-8")
    program.chmod(0o755)
    env = {
        "PATH": f"{program.parent}:{os.defpath}",
        "HOME": str(root / "home"),
        "IMPRINT_HOME": str(root / "imprint"),
        "IMPRINT_CACHE": str(root / "cache"),
    }
    for words in (("setup",), ("remember", "the walrus"), ("doctor",)):
        argv = [sys.executable, "-P", "-m", "imprint", *words]
        subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, check=True)
    return env


if __name__ == "__main__":
    main()
