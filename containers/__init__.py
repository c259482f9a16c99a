"""Containers: engines (Docker, podman), images of our own, and sealed runs in them.

Needs the `probes` extra; `python -m containers` is the maintainer's command.
"""
