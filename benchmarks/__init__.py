"""Ratios measured in one run; the figures and the commands are in README.md beside this file."""
