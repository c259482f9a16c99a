"""Observers of what a session leaves on disk."""

from collections.abc import Mapping

from imprint.observe.judged import Judge
from imprint.observe.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = ()

JUDGES: Mapping[str, Judge] = {}
