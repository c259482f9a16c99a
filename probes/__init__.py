"""Probes: every claim about Copilot, asked of real releases (`pytest probes`)."""
