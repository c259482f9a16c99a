"""Observers of what a hook may answer."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.hook_answers import contexts, effects, others, tools
from imprint.observe.judged import Judge
from imprint.observe.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (*tools.SCENARIOS, *others.SCENARIOS)

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "hooks.context.user_prompt": contexts.of_user_prompt,
        "hooks.context.pre_tool": contexts.of_pre_tool,
        "hooks.context.post_tool": contexts.of_post_tool,
        "hooks.context.subagent_start": contexts.of_subagent_start,
        "hooks.context.arrival": contexts.arrival,
        "hooks.context.size": contexts.size,
        "hooks.context.repeats": contexts.repeats,
        "hooks.deny.pre_tool": effects.deny_pre_tool,
        "hooks.deny.user_prompt": effects.deny_user_prompt,
        "hooks.deny.batch": effects.deny_batch,
        "hooks.modify.pre_tool": effects.modify_pre_tool,
        "hooks.continue.stop": effects.continue_stop,
    }
)
