"""Observers of which hooks files and names are taken, what fires."""

from collections.abc import Mapping

from imprint.observe.judged import Judge
from imprint.observe.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = ()

JUDGES: Mapping[str, Judge] = {}
