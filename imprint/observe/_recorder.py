"""Run as `python -I -S _recorder.py MARKS LABEL ANSWER SECONDS NEEDLE [WORD...]`: a hook.

Writes what it was given into `MARKS/LABEL.<time>.<pid>.json`, waits, answers on stdout, and only
then writes `MARKS/LABEL.<time>.<pid>.done`. A NEEDLE is looked for in the session's transcript:
at once, and, when it isn't there, for as long as a hook may reasonably take.
"""

import json
import os
import sys
import time

PATIENCE_SECONDS = 1.0


def main() -> None:
    """Record, wait, answer."""
    marks, label, answer, seconds, needle, *words = sys.argv[1:]
    began = time.time_ns()
    given = sys.stdin.read()
    lag = _lag_ms(given, needle) if needle else -1
    name = os.path.join(marks, f"{label}.{began}.{os.getpid()}")  # noqa: PTH118
    mark = {
        "label": label,
        "began_ns": began,
        "stdin": given,
        "cwd": os.getcwd(),  # noqa: PTH109
        "words": words,
        "variables": sorted(os.environ),
        "lag_ms": lag,
    }
    _write(f"{name}.json", json.dumps(mark))
    time.sleep(float(seconds))
    sys.stdout.write(answer)
    sys.stdout.flush()
    _write(f"{name}.done", "")


def _lag_ms(given: str, needle: str) -> int:
    """After how many milliseconds the transcript holds the needle; -1: not in time."""
    path = _transcript(given)
    if _holds(path, needle):
        return 0
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE_SECONDS:
        time.sleep(0.005)
        if _holds(path, needle):
            return max(1, round((time.monotonic() - began) * 1000))
    return -1


def _transcript(given: str) -> str:
    """As the payload names it, else where the layout has it."""
    try:
        payload = json.loads(given)
    except ValueError:
        return ""
    named = payload.get("transcript_path") or payload.get("transcriptPath")
    session = payload.get("session_id") or payload.get("sessionId")
    home = os.environ.get("COPILOT_HOME", "")
    return str(named or os.path.join(home, "session-state", str(session), "events.jsonl"))  # noqa: PTH118


def _holds(path: str, needle: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return needle in file.read()
    except OSError:  # not there yet
        return False


def _write(path: str, text: str) -> None:
    with open(f"{path}.new", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(text)
    os.replace(f"{path}.new", path)  # noqa: PTH105


if __name__ == "__main__":
    main()
