"""The claims of tier C, asked of a release in the stand-in of a distribution.

One asking: a session before setup (nothing of ours may arrive or be learned), `imprint wsl setup`
on the Windows side, the registered lines by hand, a session after it, and `imprint recall` there.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec
from tenacity import Retrying, retry_if_result, stop_after_delay, wait_fixed

from containers.errors import ContainerFailed
from containers.wsl_distro.inside import Session
from containers.wsl_distro.world import World
from imprint.compat import Attempt, Outcome
from imprint.observe.judged import Judged, yes_or_no
from imprint.observe.registry import attempt_of

LEARN_SECONDS = 90
"""Far beyond what the importer takes: it is a failure of ours when it does not come."""

CLAIMS = ("wsl.hook_roundtrip", "wsl.context_reaches_model", "wsl.stop_imports")


@dataclass(frozen=True, slots=True)
class Lines:
    """What the registered lines answered, run as Copilot runs them; `strange` one of no action."""

    start: dict[str, object] | None
    stop: dict[str, object] | None
    strange: bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything that judges look at."""

    before: Session
    after: Session
    lines: Lines
    note: str
    learned: bool
    learned_before: bool
    unexpected: int


def ask(world: World) -> Mapping[str, Attempt]:
    """One asking of all claims; a session that comes to no good end answers nothing."""
    try:
        asked = _ask(world)
    except ContainerFailed as error:
        return dict.fromkeys(CLAIMS, Attempt(Outcome.INCONCLUSIVE, reason=error.code))
    for session in (asked.before, asked.after):
        reason = _why_useless(session, world.release.version)
        if reason:
            return dict.fromkeys(CLAIMS, Attempt(Outcome.INCONCLUSIVE, reason=reason))
    return {claim: attempt_of(judge(asked)) for claim, judge in JUDGES.items()}


def _ask(world: World) -> Asked:
    note, unsaid, first, second = (f"zq{secrets.token_hex(8)}" for _ in range(4))
    before = world.session(f"Say {first}.", f"Before: {first}", (note, unsaid))
    _done(world, "remember", f"The word is {note}.")
    _done(world, "wsl", "setup", "--no-history")
    lines = _run_lines(world)
    after = world.session(f"Say {second}.", f"After: {second}", (note, unsaid))
    learned = _is_learned(world, second, LEARN_SECONDS)
    return Asked(
        before=before,
        after=after,
        lines=lines,
        note=note,
        learned=learned,
        learned_before=_is_learned(world, first, 0),
        unexpected=sum("unexpected" in one for one in world.asked()),
    )


def _done(world: World, *words: str) -> None:
    ended = world.imprint(*words)
    if ended.exit_code != 0:
        said = ended.stderr.decode("utf-8", errors="replace")[-500:]
        raise ContainerFailed(f"imprint {' '.join(words)} on the Windows side: {said}")


def _run_lines(world: World) -> Lines:
    registered = json.loads((world.copilot_home / "hooks" / "imprint.json").read_bytes())["hooks"]
    found: dict[str, str] = {}
    for event, entries in registered.items():
        found["stop" if event.lower().endswith("stop") else "start"] = entries[0]["bash"]
    payload = {
        "session_id": "00000000-0000-4000-8000-000000000000",
        "cwd": "/home/ada/work",
        "imprint_rehearsal": True,
    }
    stdin = msgspec.json.encode(payload)
    launcher = found["stop"].rpartition(" hook ")[0]
    return Lines(
        start=_answer(world, found["start"], stdin),
        stop=_answer(world, found["stop"], stdin),
        strange=world.shell(f"{launcher} hook no-such-action", stdin).stdout,
    )


def _answer(world: World, line: str, stdin: bytes) -> dict[str, object] | None:
    ended = world.shell(line, stdin)
    try:
        answer = msgspec.json.decode(ended.stdout, type=dict[str, object])
    except msgspec.DecodeError:
        return None
    return answer if ended.exit_code == 0 else None


def _is_learned(world: World, word: str, seconds: float) -> bool:
    """Whether the Windows side finds a word, at the latest after so many seconds."""

    def look() -> bool:
        ended = world.imprint("recall", word, "--json")
        hits = msgspec.json.decode(ended.stdout).get("data", {}).get("hits", [])
        return any(word in hit["text"] for hit in hits)

    attempts = Retrying(
        stop=stop_after_delay(seconds),
        wait=wait_fixed(0.5),
        retry=retry_if_result(lambda is_found: not is_found),
        retry_error_callback=lambda _: False,
    )
    return bool(attempts(look))


def _why_useless(session: Session, version: str) -> str:
    if session.timed_out:
        return "timed-out"
    if session.exit_code != 0:
        return f"exit-code-{session.exit_code}"
    if session.version != version:
        return f"reported-version-{session.version}"
    return ""


def _hook_roundtrip(asked: Asked) -> Judged:
    """Each line gives one JSON object, the first with the note; Copilot's own record agrees."""
    start, stop = asked.lines.start, asked.lines.stop
    carries = start is not None and asked.note in json.dumps(start)
    return Judged(
        yes_or_no(carries and stop == {}),
        {"start": start is not None, "carries": carries, "stop": stop},
        positive=bool(asked.after.folder),
        negative=asked.lines.strange == b"" and not asked.unexpected,
    )


def _context_reaches_model(asked: Asked) -> Judged:
    """The note is in what the model was sent, after setup and not before."""
    return Judged(
        yes_or_no(asked.note in asked.after.reached),
        {"reached": len(asked.after.reached)},
        positive="agentStop" in asked.after.hooks,
        negative=not asked.before.reached and set(asked.after.reached) <= {asked.note},
    )


def _stop_imports(asked: Asked) -> Judged:
    """The answer of the session after setup is found on the other side; the one before is not."""
    return Judged(
        yes_or_no(asked.learned),
        {"learned": asked.learned},
        positive="agentStop" in asked.after.hooks,
        negative=not asked.learned_before,
    )


JUDGES: Mapping[str, Callable[[Asked], Judged]] = {
    "wsl.hook_roundtrip": _hook_roundtrip,
    "wsl.context_reaches_model": _context_reaches_model,
    "wsl.stop_imports": _stop_imports,
}
