"""Observers of instructions."""

from collections.abc import Mapping

from imprint.observe.judged import Judge
from imprint.observe.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = ()

JUDGES: Mapping[str, Judge] = {}
