"""Steps `learn` and `recall`: what the Stop hook made of session 1."""

import time
from collections.abc import Callable, Sequence

from imprint.hook_entry import SPOOL_SUFFIX
from imprint.learn import SessionState, learn_homes, load_policy
from imprint.memory import Memory, StoreError, Turn
from imprint.sandbox.session import SessionResult
from imprint.trial.judges import answered, why_silent
from imprint.trial.scenario import Scenario
from imprint.trial.stage import Stage
from imprint.trial.steps import Verdict, failed, not_offered, proven, unjudged

LEARN_SECONDS = 20.0
"""The importer waits some 100 ms for the last answer; a loaded machine needs more."""

_POLL_SECONDS = 0.02


def judge_stop(
    built: Stage,
    scenario: Scenario,
    session: SessionResult,
    stop_ability: Callable[[], Sequence[str] | None],
) -> Verdict:
    """Copilot itself must have run the Stop hook, and the transcript must have been learned.

    Nobody else imports here: what is in the memory came by the hook. `stop_ability` names the
    spellings in which a plain Stop hook runs on this release, or None where that isn't known.
    """
    if not answered(session):
        return unjudged(f"Copilot did not ask the model: {why_silent(session)}")
    ended = time.monotonic()
    turns = _wait_for(built, scenario)
    if turns:
        waited = round((time.monotonic() - ended) * 1000)
        ran = [r.hook for r in session.hook_records if "stop" in r.hook.lower()]
        noted = f"Copilot's record: {ran[0]}; " if ran else ""
        return proven(
            f"{noted}{len(turns)} turns learned, the last answer {waited} ms after the end"
        )
    able = stop_ability()
    if able is None:
        return unjudged("nothing was learned, and no control run could be judged")
    if able:
        return failed(f"nothing was learned, but a plain Stop hook runs here: {', '.join(able)}")
    _learn_by_scan(built)
    return not_offered("no Stop hook runs on this release; `imprint learn` reads the transcripts")


def judge_recall(built: Stage, scenario: Scenario, session: SessionResult) -> Verdict:
    """The fact is found; what was never said is not."""
    if not answered(session):
        return unjudged("nothing was said in session 1")
    try:
        with Memory.open(built.layout.store, create=False) as memory:
            hits = memory.search("staging database")
            control = memory.search(scenario.never_said)
    except StoreError as error:
        return failed(error.message)
    if control:
        return failed(f"a search for “{scenario.never_said}”, never said, finds {len(control)}")
    found = next((hit for hit in hits if scenario.fact in hit.text), None)
    if found is None:
        return failed(f"“staging database” finds {len(hits)} hits without the fact")
    return proven(
        f"“staging database” finds “{scenario.fact}” ({found.role});"
        f" “{scenario.never_said}”, never said, finds nothing"
    )


def settle(built: Stage) -> None:
    """Wait until no importer works in the scratch home any more."""
    deadline = time.monotonic() + LEARN_SECONDS
    while _busy(built) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def _busy(built: Stage) -> bool:
    spool = built.layout.spool
    return spool.is_dir() and any(spool.glob(f"*{SPOOL_SUFFIX}"))


def _wait_for(built: Stage, scenario: Scenario) -> tuple[Turn, ...]:
    """The learned turns, once the last answer is among them; none at the deadline."""
    deadline = time.monotonic() + LEARN_SECONDS
    while time.monotonic() < deadline:
        turns = _turns(built)
        if any(turn.text == scenario.last_answer for turn in turns) and not _busy(built):
            return turns
        time.sleep(_POLL_SECONDS)
    return ()


def _learn_by_scan(built: Stage) -> None:
    """What `imprint learn` does, so that the later steps have something to ask for."""
    layout = built.layout
    with Memory.open(layout.store) as memory:
        state = SessionState(built.scratch.sessions)
        policy = load_policy(built.environment)
        learn_homes(memory, [state], policy=policy, layout=layout)


def _turns(built: Stage) -> tuple[Turn, ...]:
    try:
        with Memory.open(built.layout.store, create=False) as memory:
            rows = memory.sessions(limit=5)
            details = [memory.session(row.key) for row in rows]
    except StoreError:
        return ()  # not made yet, or being made
    return tuple(turn for detail in details if detail for turn in detail.turns)
