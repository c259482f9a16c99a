"""Probes: settings, homes, discovery, the command line."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("settings.unknown_key")
def test_an_unknown_setting_is_warned_about_and_kept(answers: Answers) -> None:
    assert answers().row.claim == "settings.unknown_key"


@pytest.mark.claim("settings.permissions_deny")
def test_rules_that_deny_are_enforced(answers: Answers) -> None:
    assert answers().row.claim == "settings.permissions_deny"


@pytest.mark.claim("settings.trusted_folders")
def test_folders_are_trusted_in_this_file(answers: Answers) -> None:
    assert answers().row.claim == "settings.trusted_folders"


@pytest.mark.claim("settings.allow_all_env")
def test_these_values_allow_tools_and_trust_the_folder(answers: Answers) -> None:
    assert answers().row.claim == "settings.allow_all_env"


@pytest.mark.claim("settings.debug_browser")
def test_the_variable_of_the_browser_is_consulted(answers: Answers) -> None:
    assert answers().row.claim == "settings.debug_browser"


@pytest.mark.claim("skills.dirs")
def test_skills_are_found_in_these_directories(answers: Answers) -> None:
    assert answers().row.claim == "skills.dirs"


@pytest.mark.claim("agents.dirs")
def test_agents_are_found_in_these_directories(answers: Answers) -> None:
    assert answers().row.claim == "agents.dirs"


@pytest.mark.claim("home.env")
def test_these_forms_of_a_home_are_honoured(answers: Answers) -> None:
    assert answers().row.claim == "home.env"


@pytest.mark.claim("home.relative")
def test_a_relative_or_empty_home_leads_here(answers: Answers) -> None:
    assert answers().row.claim == "home.relative"


@pytest.mark.claim("cli.version_format")
def test_the_version_is_printed_in_this_form(answers: Answers) -> None:
    assert answers().row.claim == "cli.version_format"


@pytest.mark.claim("cli.help_commands")
def test_there_are_these_commands(answers: Answers) -> None:
    assert answers().row.claim == "cli.help_commands"


@pytest.mark.claim("cli.flags")
def test_there_are_these_flags(answers: Answers) -> None:
    assert answers().row.claim == "cli.flags"


@pytest.mark.claim("account.login_in_config")
def test_a_copied_login_is_not_tried(answers: Answers) -> None:
    assert answers().row.claim == "account.login_in_config"
