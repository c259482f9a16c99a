"""How long a hook may take that sets no limit, and whether hooks of parallel calls overlap."""

from itertools import pairwise

from imprint.observe.cases import Case, case_hook
from imprint.observe.hook_answers import tools
from imprint.observe.judged import NOT_RUN, Judged, SessionsByName, nothing_strange, unjudged
from imprint.observe.scenario import Scenario
from imprint.observe.scene import BOGUS_EVENT, Scene
from imprint.sandbox.script import Say, Turn

NO_LIMIT = "hook_runs.no_limit"

LONGEST_SECONDS = 75.0
"""How long the hook would take."""

STEP_SECONDS = 5
"""A hook is seen to live from its first line to its last beat, which is a little too short."""

_START = "sessionStart"


def _arrange(scene: Scene) -> None:
    slow = case_hook(scene, _START, [Case("slow", seconds=LONGEST_SECONDS)])
    hooks = {_START: [slow], BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]}
    scene.write_hooks("hooks/no-limit.json", hooks)


def _turns(scene: Scene) -> tuple[Turn, ...]:
    return (Say(f"Done: {scene.words.answer}"),)


def default_limit(sessions: SessionsByName) -> Judged:
    """How long the hook lived, to the nearest step; where it got to its end there is no answer."""
    seen = sessions[NO_LIMIT]
    runs = seen.runs_of(_START)
    if len(runs) != 1:
        return unjudged(NOT_RUN)
    (run,) = runs
    lived = (run.last_ns - run.began_ns) / 1e9
    nearest = STEP_SECONDS * round(lived / STEP_SECONDS)
    return Judged(
        nearest if nearest and not run.ended else None,
        {"seconds": nearest},
        positive=bool(seen.answered),
        negative=nothing_strange(seen),
        reason="no-limit-was-reached" if run.ended else "too-short-to-tell",
    )


def serial(sessions: SessionsByName) -> Judged:
    """The hooks of the calls of one turn each take a while: the next began after the last ended.

    All of them must have run to their end, or nothing is known.
    """
    seen = sessions[tools.NAMES["camel"]]
    runs = [run for run in seen.runs_of(tools.PRE) if run.case.startswith("batch.")]
    if len({run.case for run in runs}) != len(tools.BATCH):
        return unjudged(NOT_RUN)
    overlaps = any(later.began_ns < earlier.last_ns for earlier, later in pairwise(runs))
    return Judged(
        "no" if overlaps else "yes",
        {"overlaps": overlaps},
        positive=all(run.ended for run in runs),
        negative=nothing_strange(seen),
    )


SCENARIO = Scenario(NO_LIMIT, _arrange, _turns, deadline=150)
