"""Observers of the terminal UI."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.judged import Judge, Judged, SessionsByName
from imprint.observe.scenario import Scenario
from imprint.observe.talking import MORE, fires, session_ends, talk
from imprint.sandbox.driven import DrivenResult
from imprint.sandbox.session import SessionSpec
from imprint.sandbox.terminal import run_terminal

TALK = "terminal.talk"


def _drive(spec: SessionSpec) -> DrivenResult:
    return run_terminal(spec, MORE)


def fires_in_terminal(sessions: SessionsByName) -> Judged:
    """The folder is trusted, both prompts are typed, permission is given, `/exit`."""
    return fires(sessions, TALK)


def ends_in_terminal(sessions: SessionsByName) -> Judged:
    """`/exit` ends a session of two prompts."""
    return session_ends(sessions, TALK, "tui")


SCENARIOS: tuple[Scenario, ...] = (talk(TALK, _drive),)

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "hooks.fires.tui": fires_in_terminal,
        "hooks.fires.session_end": ends_in_terminal,
    }
)
