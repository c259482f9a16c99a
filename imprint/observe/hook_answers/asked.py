"""What the judges of this area ask of a session."""

from imprint.observe.scenario import PROMPT
from imprint.observe.sessions import Seen

Table = dict[str, str | int | float]


def was_asked(seen: Seen, turn: int, script: int = 0) -> bool:
    """Whether the model was asked for this turn of a script."""
    return any(one.script == script and one.turn == turn for one in seen.answered)


def ran(seen: Seen, label: str, case: str) -> bool:
    """Whether a hook ran and took this case."""
    return any(mark.case == case for mark in seen.runs_of(label))


def all_prompted(*sessions: Seen) -> bool:
    """The positive control of what reaches the model: the prompt did."""
    return bool(sessions) and all(one.reached_model(PROMPT) for one in sessions)
