"""Run as `python -I -S _recorder.py MARKS LABEL ANSWER SECONDS NEEDLE [WORD...]`: a hook.

Writes what it was given into `MARKS/LABEL.<time>.<pid>.json`, waits, answers on stdout, and only
then writes `MARKS/LABEL.<time>.<pid>.done`; while it waits, `MARKS/LABEL.<time>.<pid>.alive`. Both
hold the wall clock in nanoseconds. A NEEDLE is looked for in the session's transcript: at once,
and, when it isn't there, for as long as a hook may reasonably take.

An ANSWER such as `@/path` names a file of cases: a JSON list of objects with `name`, `needle` (what
stdin holds), `run` (how many runs of this label were before; null: any), `answer`, `error` (for
stderr), `code` (to exit with) and `seconds`. The first that fits stands for ANSWER and SECONDS.
"""

import json
import os
import sys
import time
from typing import Any

PATIENCE_SECONDS = 1.0
BEAT_SECONDS = 0.1

PLAIN: dict[str, Any] = {"name": "", "answer": "{}", "error": "", "code": 0, "seconds": 0}


def main() -> int:
    """Record, wait, answer; what to exit with."""
    marks, label, answer, seconds, needle, *words = sys.argv[1:]
    began = time.time_ns()
    given = sys.stdin.read()
    case = _case(answer, seconds, given, _runs_before(marks, label))
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
        "case": case["name"],
    }
    _write(f"{name}.json", json.dumps(mark))
    _wait(float(case["seconds"]), f"{name}.alive")
    sys.stdout.write(case["answer"])
    sys.stdout.flush()
    sys.stderr.write(case["error"])
    sys.stderr.flush()
    _write(f"{name}.done", str(time.time_ns()))
    return int(case["code"])


def _case(answer: str, seconds: str, given: str, before: int) -> dict[str, Any]:
    """What to do this time; where no case fits, nothing special."""
    if not answer.startswith("@"):
        return {**PLAIN, "answer": answer, "seconds": seconds}
    with open(answer[1:], encoding="utf-8") as file:  # noqa: PTH123
        cases = json.load(file)
    for case in cases:
        if case.get("needle", "") in given and case.get("run") in {None, before}:
            return {**PLAIN, **case}
    return PLAIN


def _runs_before(marks: str, label: str) -> int:
    mine = [name for name in os.listdir(marks) if name.startswith(f"{label}.")]  # noqa: PTH208
    return sum(name.endswith(".json") for name in mine)


def _wait(seconds: float, beat: str) -> None:
    """Sleep, and show at each beat that this program is still there."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        _write(beat, str(time.time_ns()))
        time.sleep(min(BEAT_SECONDS, left))


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
    sys.exit(main())
