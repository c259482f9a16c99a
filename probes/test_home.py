"""Probes: MCP servers, instructions and state of a Copilot home."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("mcp.file.home")
def test_servers_of_the_home_are_started(answers: Answers) -> None:
    assert answers().row.claim == "mcp.file.home"


@pytest.mark.claim("mcp.type")
def test_these_types_of_entry_are_taken(answers: Answers) -> None:
    assert answers().row.claim == "mcp.type"


@pytest.mark.claim("mcp.tools")
def test_these_forms_of_tools_offer_them(answers: Answers) -> None:
    assert answers().row.claim == "mcp.tools"


@pytest.mark.claim("instructions.home")
def test_instructions_of_the_home_reach_the_model(answers: Answers) -> None:
    assert answers().row.claim == "instructions.home"


@pytest.mark.claim("state.layout")
def test_a_session_has_its_transcript_in_the_known_place(answers: Answers) -> None:
    assert answers().row.claim == "state.layout"


@pytest.mark.claim("state.folder_is_id")
def test_the_session_folder_is_named_by_the_id(answers: Answers) -> None:
    assert answers().row.claim == "state.folder_is_id"
