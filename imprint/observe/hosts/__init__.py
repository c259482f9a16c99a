"""Observers of the SDK server and ACP, as editors run them."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.hosts import servers
from imprint.observe.judged import Judge
from imprint.observe.merging import merged
from imprint.observe.scenario import Scenario
from imprint.observe.talking import talk

SCENARIOS: tuple[Scenario, ...] = (
    talk(servers.SDK, servers.drive_sdk),
    talk(servers.SDK_DISCOVERING, servers.drive_discovering),
    talk(servers.ACP, servers.drive_acp),
)

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "hooks.fires.sdk": servers.fires_in_sdk,
        "hooks.fires.acp": servers.fires_in_acp,
        "hooks.fires.session_end": merged(servers.ends_in_sdk, servers.ends_in_acp),
        "mcp.sdk_discovery": merged(servers.sdk_discovery, servers.discovery_when_asked),
        "state.caller_chosen_id": servers.chosen_id,
    }
)
