"""Observers of how a hook is run."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.hook_runs import faults, limits, matchers
from imprint.observe.judged import Judge
from imprint.observe.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (*faults.SCENARIOS, limits.SCENARIO, matchers.SCENARIO)

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "hooks.fail.missing_program": faults.missing_program,
        "hooks.timeout.effect": faults.too_slow,
        "hooks.timeout.default": limits.default_limit,
        "hooks.exec.matcher": matchers.matcher,
        "hooks.exec.serial": limits.serial,
    }
)
