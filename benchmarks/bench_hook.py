"""A hook call end to end against the same interpreter doing nothing."""

import json
import sys
import tempfile
from pathlib import Path

from benchmarks._measure import command, interleaved, report
from imprint import hook_entry


def main(rounds: int = 60) -> None:
    """Measure SessionStart with a digest to give, and Stop without a transcript to note."""
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch)
        digests = store / "digests"
        digests.mkdir()
        digest = {"version": 1, "directory": "/work/app", "text": "remembered " * 500}
        name = hook_entry.digest_name("/work/app")
        (digests / name).write_text(json.dumps(digest), encoding="utf-8")
        payload = json.dumps({"session_id": "s", "cwd": "/work/app/src", "source": "new"}).encode()
        bare = [sys.executable, "-I", "-S"]
        hook = [*bare, hook_entry.__file__]
        options = ["--store", scratch]
        timings = interleaved(
            {
                "python -I -S -c pass": command([*bare, "-c", "pass"]),
                "python -I -S -c 'import json'": command([*bare, "-c", "import json"]),
                "hook copilot-session-start": command(
                    [*hook, "copilot-session-start", *options], payload
                ),
                "hook stop (nothing to note)": command([*hook, "stop", *options], payload),
            },
            rounds,
        )
    report("hook call, whole process", timings, "at most 2.2")


if __name__ == "__main__":
    main()
