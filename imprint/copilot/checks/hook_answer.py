"""The registered hook lines, run as Copilot runs them, with a payload that nothing follows from."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from imprint.base.checks import Check, Status
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.hooks import our_lines
from imprint.copilot.checks.ids import Id
from imprint.copilot.checks.processes import Outcome, Trial
from imprint.copilot.checks.registered import Registered
from imprint.hook_entry import REHEARSAL

SECONDS = 8.0
"""Within the 10 s that setup registers for SessionStart."""

BASH = Path("/bin/bash")
"""What Copilot starts for a hook's line on POSIX systems."""


def check_answer(facts: Facts) -> Iterator[Check]:
    """Every line of Imprint's hooks file: exit code 0 and one JSON object.

    All run at once. The lines of another Imprint are that one's to check.
    """
    if facts.is_anothers:
        return
    platform = facts.environment.platform
    hooks = [hook for hook in our_lines(facts) if hook.line(platform)]
    if not hooks:
        return
    if platform != "win32" and not BASH.is_file():
        yield Check(
            Id.HOOKS_ANSWER,
            Status.BROKEN,
            f"there is no {BASH}, with which Copilot runs hooks: none of them runs",
            f"install bash as {BASH}",
        )
        return
    fine = []
    for hook, outcome in zip(hooks, _run_at_once(facts, hooks), strict=True):
        check = _judge(facts, hook, outcome)
        if check is None:
            fine.append(f"{hook.event} in {outcome.seconds * 1000:.0f} ms")
        else:
            yield check
    if fine:
        yield Check(Id.HOOKS_ANSWER, Status.OK, f"answered: {', '.join(fine)}")


def shell_argv(line: str, platform: str) -> tuple[str, ...]:
    """How a hook's line is given to the shell."""
    if platform == "win32":
        return ("powershell.exe", "-NoProfile", "-NonInteractive", "-Command", line)
    return (str(BASH), "--norc", "--noprofile", "-c", line)


def sample_payload(event: str) -> bytes:
    """As Copilot sends it, without session and transcript: there is nothing to note or start."""
    return msgspec.json.encode(
        {
            "hook_event_name": event,
            "session_id": "",
            "transcript_path": "",
            "cwd": tempfile.gettempdir(),
            "source": "new",
            "stop_hook_active": False,
            REHEARSAL: True,
        }
    )


def _run_at_once(facts: Facts, hooks: Sequence[Registered]) -> list[Outcome]:
    """How each ended; where one cannot even be started, those that were are ended first."""
    platform, variables = facts.environment.platform, facts.environment.variables
    deadline = time.monotonic() + SECONDS
    trials: list[Trial] = []
    outcomes: list[Outcome] = []
    try:
        for hook in hooks:
            argv = shell_argv(hook.line(platform), platform)
            trials.append(Trial(argv, variables, sample_payload(hook.event)))
    finally:
        outcomes += [trial.finish(deadline) for trial in trials]
    return outcomes


def _judge(facts: Facts, hook: Registered, outcome: Outcome) -> Check | None:
    """None: fine."""
    status = Status.BROKEN
    if outcome.exit_code is None:
        what = f"did not answer within {SECONDS:g} s"
    elif outcome.exit_code != 0:
        what = f"ended with exit code {outcome.exit_code} ({outcome.last_words or 'no message'})"
    elif not _is_one_object(outcome.stdout):
        what = "did not print exactly one JSON object"
    elif outcome.last_words:
        status, what = Status.ATTENTION, f"answers, but complains: {outcome.last_words}"
    else:
        return None
    return Check(
        Id.HOOKS_ANSWER,
        status,
        f"the {hook.event} line of {hook.file} {what}",
        f"`{facts.setup_command}`",
    )


def _is_one_object(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=dict[str, object])
    except msgspec.DecodeError:
        return False
    return True
