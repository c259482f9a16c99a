"""Observers of which hooks files and names are taken, what fires."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.hook_files import fires, forms, orders, scenes, schema, sources
from imprint.observe.judged import Judge
from imprint.observe.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (*scenes.SCENARIOS, schema.PACKAGE)

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "hooks.file.repo_dir": sources.repo_dir,
        "hooks.file.settings_inline": sources.settings_inline,
        "hooks.file.disable_all": sources.disable_all,
        "hooks.file.version_required": forms.version_required,
        "hooks.file.tolerance": forms.tolerance,
        "hooks.file.nested_groups": forms.nested_groups,
        "hooks.names.enum": schema.names,
        # Beside those of the wide sessions.
        "hooks.fires.prompt_mode": fires.with_a_subagent,
        "hooks.fires.resume": fires.resume,
        "hooks.fires.subagent_stop": fires.subagent_stop,
        "hooks.fires.session_end": fires.session_end,
        "hooks.order.start_before_prompt": orders.start_before_prompt,
        "hooks.order.files": orders.files,
    }
)
