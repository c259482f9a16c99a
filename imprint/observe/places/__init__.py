"""Observers of settings, homes, discovery and the command line."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.judged import Judge
from imprint.observe.places import commandline, discovery, judges, package
from imprint.observe.places.scenes import SCENARIOS as _SCENARIOS
from imprint.observe.scenario import Scenario

__all__ = ["JUDGES", "SCENARIOS"]

SCENARIOS: tuple[Scenario, ...] = (*_SCENARIOS, *commandline.SCENARIOS, package.PACKAGE)

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "settings.unknown_key": judges.unknown_key,
        "settings.permissions_deny": judges.permissions_deny,
        "settings.trusted_folders": judges.trusted_folders,
        "settings.allow_all_env": judges.allow_all_env,
        "settings.debug_browser": package.debug_browser,
        "skills.dirs": discovery.skills_dirs,
        "agents.dirs": discovery.agents_dirs,
        "home.env": judges.home_env,
        "home.relative": judges.home_relative,
        "cli.version_format": commandline.version_format,
        "cli.help_commands": commandline.help_commands,
        "cli.flags": commandline.flags,
        "account.login_in_config": judges.needs_account,
    }
)
