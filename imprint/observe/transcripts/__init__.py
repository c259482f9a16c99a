"""Observers of what a session leaves on disk."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.judged import Judge, Snapshot
from imprint.observe.scenario import Scenario
from imprint.observe.transcripts import messages, places, records, scenes

SCENARIOS: tuple[Scenario, ...] = scenes.SCENARIOS

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "state.caller_chosen_id": places.caller_chosen_id,
        "state.cwd": places.cwd,
        "state.killed": places.killed,
        "state.resume_appends": places.resume_appends,
        "state.user_source": messages.user_source,
        "state.subagent_marks": messages.subagent_marks,
        "state.autopilot_mark": messages.autopilot_mark,
        "state.ephemeral_on_disk": records.ephemeral_on_disk,
        "state.usage_on_disk": records.usage_on_disk,
        "state.shutdown_files": records.shutdown_files,
        "state.failed_tool": records.failed_tool,
        "state.event_shapes": records.shapes,
    }
)

SNAPSHOTS: Mapping[str, Snapshot] = MappingProxyType({"state.event_shapes": records.event_shapes})
