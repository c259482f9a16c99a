"""Under `--live`: the user's own Copilot, asked offline in a scratch home with setup's files."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from imprint.base.checks import Check, Status
from imprint.compat import Matrix, Outcome, Row, answer, shipped_catalogue
from imprint.compat.values import Value, entries
from imprint.copilot import live
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.contract import shipped_gate
from imprint.copilot.mcp_entry import SERVER
from imprint.copilot.rehearsal import NAME, Installed, Promise, promises, rehearsal
from imprint.observe.sessions import Seen
from imprint.sandbox.errors import SandboxError

_KEPT = {
    "context": "what is remembered reaches the model when a session starts",
    "learn": "a turn is learned when it ends",
    "recall": "the model's call of recall comes back with what is remembered",
    "block": "the model is told of the memory",
}
_UNKEPT = {
    "context": "no context of Imprint's hook reached the model",
    "learn": "nothing was learned when the turn ended",
    "recall": "the model called recall, and no answer with the memory came back",
    "block": "the block in the instructions did not reach the model",
}


def check_copilot(facts: Facts) -> Iterator[Check]:
    """Ask it, put on record what it showed, and say so claim by claim."""
    program = next((one.program for one in facts.copilots if one.program), None)
    if program is None or facts.cli is None:
        what = "no Copilot CLI to ask: there is none on PATH that uses this home"
        yield Check(Id.LIVE_COPILOT, Status.OK, what)
        return
    installed = _installed(facts)
    with live.scratch_folder() as name:
        folder = Path(name).resolve()
        scenario = rehearsal(installed)
        further = [scenario] if installed.entry or installed.hooks else []
        path = facts.cli.path
        try:
            asked = live.ask(facts.environment, path, facts.version.version, folder, further)
        except SandboxError as error:
            yield Check(Id.LIVE_COPILOT, Status.UNKNOWN, error.message, error.fix)
            return
        yield _of_program(facts, path, asked)
        if not asked.refusal:
            yield from _of_claims(facts, asked)
        found = asked.sessions.found.get(NAME)
        kept = promises(installed, found) if isinstance(found, Seen) else ()
        checks = [_of_promise(facts, one) for one in kept]
        yield from checks
        if found is not None and not (checks or asked.refusal):
            why = "it never asked the model" if isinstance(found, Seen) else found.reason
            what = f"setup's files could not be judged: {why}"
            yield Check(Id.LIVE_SETUP, Status.UNKNOWN, what, "try again")


def _installed(facts: Facts) -> Installed:
    """What setup wrote into the home; nothing of another Imprint's."""
    if facts.is_anothers:
        return Installed({}, {}, block=False)
    entry = dict(facts.servers_file.members("mcpServers", SERVER))
    hooks = facts.our_hooks_file.value if facts.our_hooks_file.is_there else {}
    has_block = facts.contract.block and "imprint:begin" in facts.instructions.text
    return Installed(entry, hooks, has_block)


def _of_program(facts: Facts, path: Path, asked: live.Asked) -> Check:
    told = f"{path} ({asked.version}) was asked in {asked.seconds:.1f} s"
    if asked.refusal:
        reasons = dict.fromkeys(one.reason for one in asked.sessions.useless.values())
        why = f"{asked.refusal} ({', '.join(reasons)})" if reasons else asked.refusal
        what = f"{told}, but nothing of it counts: {why}"
        fix = "a Copilot before 1.0.10 needs a login and cannot be asked; else try again"
        return Check(Id.LIVE_COPILOT, Status.UNKNOWN, what, fix)
    place = live.keep(facts.environment, asked)
    if place is None:
        what = f"{told}, and answered nothing"
        return Check(Id.LIVE_COPILOT, Status.UNKNOWN, what, "try again")
    return Check(Id.LIVE_COPILOT, Status.OK, f"{told}; recorded in {place}")


@dataclass(frozen=True, slots=True)
class _Compared:
    """One entry of a claim: what was seen, and what the matrix says (None: it does not know)."""

    entry: str
    seen: Value
    known: Value | None

    def __str__(self) -> str:
        name = f"{self.entry} " if self.entry else ""
        return f"{name}{self.seen}, not {self.known}"


def _of_claims(facts: Facts, asked: live.Asked) -> Iterator[Check]:
    for row in asked.rows:
        if row.outcome is Outcome.OBSERVED and row.value is not None:
            yield _of_answer(row.claim, _compared(facts, row, row.value, asked.version))
        else:
            what = f"{row.claim} could not be judged: {row.reason}"
            yield Check(Id.LIVE_CLAIMS, Status.UNKNOWN, what, "try again")


def _of_answer(claim: str, compared: list[_Compared]) -> Check:
    differing = [one for one in compared if one.known is not None and one.known != one.seen]
    new = [one for one in compared if one.known is None]
    if differing:
        said = "; ".join(map(str, differing))
        what = f"{claim}: otherwise than the matrix says: {said}"
        return Check(
            Id.LIVE_CLAIMS, Status.ATTENTION, what, "`imprint setup` goes by what was seen"
        )
    if new:
        said = ", ".join(f"{one.entry} {one.seen}".strip() for one in new)
        return Check(Id.LIVE_CLAIMS, Status.OK, f"{claim}: {said}, which the matrix did not know")
    return Check(
        Id.LIVE_CLAIMS, Status.OK, f"{claim}: as the matrix says ({len(compared)} answers)"
    )


def _compared(facts: Facts, row: Row, value: Value, version: str) -> list[_Compared]:
    claim, matrix = shipped_catalogue()[row.claim], shipped_gate().matrix
    platform = facts.platform_name
    found = []
    for question, seen in entries(row.claim, value).items():
        known = answer(claim, question.entry, version, platform, matrix).value
        is_listed = isinstance(matrix, Matrix)
        found.append(_Compared(question.entry, seen, known if is_listed else None))
    return found


def _of_promise(facts: Facts, promise: Promise) -> Check:
    if promise.kept:
        return Check(Id.LIVE_SETUP, Status.OK, f"setup's files work: {_KEPT[promise.what]}")
    what = f"with setup's files, {_UNKEPT[promise.what]}"
    if promise.what == "context" and facts.today.context_shape == "none":
        return Check(Id.LIVE_SETUP, Status.OK, f"{what}, as is known of this release")
    return Check(Id.LIVE_SETUP, Status.BROKEN, what, f"`{facts.setup_command}`")
