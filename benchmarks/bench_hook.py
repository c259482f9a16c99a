"""A hook call end to end against the same interpreter doing nothing."""

import json
import sys
import tempfile
import time
from pathlib import Path

import filelock

from benchmarks._measure import command, interleaved, report
from imprint import hook_entry
from imprint.copilot.hooks_file import STOP_ACTION, hook_argv
from imprint.copilot.runtime import Runtime

SESSION_START_ACTION = "copilot-session-start"
"""What setup registers where a hook's answer is at the top level: most releases."""


def main(rounds: int = 60) -> None:
    """Measure SessionStart with a digest to give, and Stop without a transcript to note."""
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch)
        digests = store / "digests"
        digests.mkdir()
        digest = {"version": 1, "directory": "/srv/app", "text": "remembered " * 500}
        name = hook_entry.digest_name("/srv/app")
        (digests / name).write_text(json.dumps(digest), encoding="utf-8")
        payload = json.dumps({"session_id": "s", "cwd": "/srv/app/src", "source": "new"}).encode()
        quiet = json.dumps({"session_id": "", "cwd": "/srv/app"}).encode()
        noted = json.dumps({"transcript_path": str(_transcript(store)), "cwd": "/srv/app"}).encode()
        bare = [sys.executable, "-I", "-S"]
        # The very words that setup registers.
        runtime = Runtime(Path(sys.executable), Path(hook_entry.__file__), store, "")
        timings = interleaved(
            {
                "python -I -S -c pass": command([*bare, "-c", "pass"]),
                "python -I -S -c 'import json'": command([*bare, "-c", "import json"]),
                "hook copilot-session-start": command(
                    hook_argv(runtime, SESSION_START_ACTION), payload
                ),
                "hook stop (nothing to note)": command(hook_argv(runtime, STOP_ACTION), quiet),
                "hook stop (spools, starts the importer)": command(
                    hook_argv(runtime, STOP_ACTION), noted
                ),
            },
            rounds,
            after=lambda: _importer_done(store),
        )
    report("hook call, whole process", timings, "at most 2.2")


def _transcript(store: Path) -> Path:
    """A finished session; its last event lies in the future, so that no importer waits for more."""
    events = [
        ("session.start", {"sessionId": "s", "context": {"cwd": "/srv/app"}}),
        ("user.message", {"content": "What is next?"}),
        ("assistant.message", {"content": "The release."}),
        ("assistant.turn_end", {}),
    ]
    path = store / "session" / "events.jsonl"
    path.parent.mkdir()
    with path.open("w", encoding="utf-8") as file:
        for number, (kind, data) in enumerate(events):
            stamp = f"2099-01-01T00:00:0{number}.000Z"
            event = {"id": str(number), "type": kind, "timestamp": stamp, "data": data}
            file.write(json.dumps(event) + "\n")
    return path


def _importer_done(store: Path) -> None:
    """Wait until the detached importer has taken up what a Stop hook noted, and has left."""
    spool = store / "spool"
    deadline = time.monotonic() + 30
    while spool.is_dir() and any(spool.glob("*.json")):
        if time.monotonic() > deadline:
            raise TimeoutError("the importer did not drain the spool")
        time.sleep(0.01)
    with filelock.FileLock(store / "learning.lock", timeout=30):
        pass


if __name__ == "__main__":
    main()
