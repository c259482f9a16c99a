"""Probes: Copilot as a server, as editors run it."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("hooks.fires.sdk")
def test_these_events_fire_through_the_sdk(answers: Answers) -> None:
    assert answers().row.claim == "hooks.fires.sdk"


@pytest.mark.claim("hooks.fires.acp")
def test_these_events_fire_under_acp(answers: Answers) -> None:
    assert answers().row.claim == "hooks.fires.acp"


@pytest.mark.claim("mcp.sdk_discovery")
def test_the_sdk_server_reads_these_files(answers: Answers) -> None:
    assert answers().row.claim == "mcp.sdk_discovery"
