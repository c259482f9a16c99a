"""Of a release that wants a login, the log alone says which names its loader takes."""

from dataclasses import replace
from pathlib import Path

import pytest

from imprint.compat import Outcome
from imprint.observe import Seen, observe
from imprint.observe.scenarios import PASCAL_EVENTS
from imprint.observe.scene import BOGUS_EVENT
from imprint.sandbox._transcript import TranscriptFacts
from tests.observe.made import Made

STARTING = "2026-12-01T00:00:00.000Z [INFO] Starting Copilot CLI: 1.0.4-0"


def unknown(*names: str) -> str:
    return f"[DEBUG] Ignoring unknown hook event(s) in /x/hooks/p.json: {', '.join(names)}"


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def loaded(made: Made, *log: str, ran: tuple[str, ...] = ()) -> Seen:
    """A release that never asked the model, and what its loader wrote."""
    made.useless("pascal.top", "model-not-asked")
    made.useless("camel.top", "model-not-asked")
    scene = made.scene("loader")
    return made.give("loader", scene, exit_code=1, log=[STARTING, *log], ran=ran)


def test_names_that_the_log_calls_unknown_are_refused(made: Made) -> None:
    loaded(made, unknown("SessionStart", "Stop"), unknown(BOGUS_EVENT))
    found = observe("hooks.names.pascal", made)
    assert found.outcome is Outcome.OBSERVED
    assert isinstance(found.value, dict)
    assert {name for name, answer in found.value.items() if answer == "no"} == {
        "SessionStart",
        "Stop",
    }
    assert set(found.value) == set(PASCAL_EVENTS)
    camel = observe("hooks.names.camel", made).value
    assert isinstance(camel, dict)
    assert set(camel.values()) == {"yes"}


def test_a_log_that_does_not_name_the_canary_proves_nothing(made: Made) -> None:
    loaded(made, unknown("SessionStart"))
    assert observe("hooks.names.pascal", made).reason == "canary-not-reported"


def test_a_hook_of_no_event_that_ran_fails_the_control(made: Made) -> None:
    loaded(made, unknown(BOGUS_EVENT), ran=(BOGUS_EVENT,))
    found = observe("hooks.names.pascal", made)
    assert found.failure == (Outcome.INCONCLUSIVE, "control-failed")


@pytest.mark.parametrize("reason", ["timed-out", "exit-code-1", "reported-version-9.9.9"])
def test_a_session_that_failed_otherwise_is_not_made_up_for(made: Made, reason: str) -> None:
    made.useless("pascal.top", reason)
    found = observe("hooks.names.pascal", made)
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, reason)


def test_what_starts_says_its_version_in_the_log_where_no_session_begins(made: Made) -> None:
    seen = loaded(made)
    begun = replace(
        seen, result=replace(seen.result, facts=TranscriptFacts(copilot_version="1.0.9"))
    )
    silent = replace(seen, result=replace(seen.result, facts=TranscriptFacts()))
    assert begun.reported_version == "1.0.9"
    assert silent.reported_version == "1.0.4-0"
    assert replace(silent, log=("nothing",)).reported_version == ""
