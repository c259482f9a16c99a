"""Loads the plugin, wherever pytest is started."""

pytest_plugins = ["probes.plugin"]
