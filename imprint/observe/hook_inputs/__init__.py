"""Observers of what a hook is given."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.hook_inputs import payloads, scenes, surroundings
from imprint.observe.judged import Judge, Snapshot
from imprint.observe.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = scenes.SCENARIOS

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "hooks.payload.keys": payloads.keys,
        "hooks.payload.record_equals_stdin": payloads.record_equals_stdin,
        "hooks.payload.stop_transcript_resumed": payloads.stop_transcript_resumed,
        "hooks.payload.stdin_eof": surroundings.stdin_eof,
        "hooks.env": surroundings.env,
    }
)

SNAPSHOTS: Mapping[str, Snapshot] = MappingProxyType(
    {"hooks.payload.keys": payloads.payload_shapes}
)
