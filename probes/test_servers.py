"""Probes: MCP servers, and the files that name them."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("mcp.tool_name")
def test_a_tool_of_a_server_has_this_name(answers: Answers) -> None:
    assert answers().row.claim == "mcp.tool_name"


@pytest.mark.claim("mcp.call")
def test_a_call_reaches_the_server_and_its_answer_the_model(answers: Answers) -> None:
    assert answers().row.claim == "mcp.call"


@pytest.mark.claim("mcp.instructions")
def test_instructions_of_a_server_reach_the_model(answers: Answers) -> None:
    assert answers().row.claim == "mcp.instructions"


@pytest.mark.claim("mcp.tolerance")
def test_files_of_these_forms_are_taken(answers: Answers) -> None:
    assert answers().row.claim == "mcp.tolerance"


@pytest.mark.claim("mcp.rewrite")
def test_adding_a_server_keeps_what_is_there(answers: Answers) -> None:
    assert answers().row.claim == "mcp.rewrite"


@pytest.mark.claim("mcp.env")
def test_servers_are_given_these_variables(answers: Answers) -> None:
    assert answers().row.claim == "mcp.env"


@pytest.mark.claim("mcp.disabled_list")
def test_a_server_on_the_list_is_not_started(answers: Answers) -> None:
    assert answers().row.claim == "mcp.disabled_list"


@pytest.mark.claim("mcp.slow_server")
def test_a_slow_server_is_waited_for(answers: Answers) -> None:
    assert answers().row.claim == "mcp.slow_server"


@pytest.mark.claim("mcp.repo_file")
def test_files_of_a_repository_are_read(answers: Answers) -> None:
    assert answers().row.claim == "mcp.repo_file"


@pytest.mark.claim("mcp.invalid_sibling")
def test_an_invalid_entry_disables_ours(answers: Answers) -> None:
    assert answers().row.claim == "mcp.invalid_sibling"


@pytest.mark.claim("mcp.args_required")
def test_an_entry_needs_arguments(answers: Answers) -> None:
    assert answers().row.claim == "mcp.args_required"
