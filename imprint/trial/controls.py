"""Control runs: what plain hooks, no part of Imprint, can do on this very release.

The observers that fill the compat matrix ask; here they ask less.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from imprint.base.paths import Environment
from imprint.compat import Basis
from imprint.copilot.contract import CopilotContract
from imprint.copilot.report import DecisionData
from imprint.sandbox.release import Release

if TYPE_CHECKING:
    from imprint.observe import Seen

_SHAPES = ("pascal.top", "pascal.nested", "camel.top", "camel.nested")
_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class HookAbility:
    """What plain hooks were seen to do on this very release.

    `context` names the spellings and shapes whose context reached the model, `stop` the
    spellings whose Stop hook ran; `runs` counts the sessions that could be judged.
    """

    context: tuple[str, ...]
    stop: tuple[str, ...]
    runs: int


def hook_ability(release: Release, host: Environment, folder: Path) -> HookAbility:
    """Try each spelling and shape alone: several hooks of one event can hide each other."""
    # Only where something did not arrive: the observers take a moment to import.
    from imprint.observe import SessionUseless, sessions_of
    from imprint.observe.scenarios import STOP

    def run(shape: str) -> "Seen | None":
        root = folder / shape
        root.mkdir(parents=True)
        try:
            return sessions_of(release, host, root)[shape]
        except SessionUseless:
            return None

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = dict(zip(_SHAPES, pool.map(run, _SHAPES), strict=True))
    seen = {shape: one for shape, one in found.items() if one is not None}
    spelled = {shape: shape.partition(".")[0] for shape in seen}
    context = (shape for shape, one in seen.items() if one.reached_model(one.words.context))
    stop = (spelled[shape] for shape, one in seen.items() if one.runs_of(STOP[spelled[shape]]))
    return HookAbility(tuple(context), tuple(dict.fromkeys(stop)), len(seen))


def known_without_context(contract: CopilotContract, release: Release) -> str:
    """Why no context is to be expected: this very release was seen to take none; else empty.

    A binary of the user's may be another program, whatever version it says it is.
    """
    if not release.digest or contract.context_shape != "none":
        return ""
    decided = next(one for one in contract.decisions if one.decides.endswith("context"))
    if decided.basis is not Basis.OBSERVED:
        return ""
    grounds = DecisionData.of(decided).grounds
    return f"no hook's context reaches the model: {decided.claim}, {grounds}"
