"""Forms of an `mcp-config.json`, each in a session that is about something else."""

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from imprint.observe.scene import Entry, Scene

FORM_TOOL = "form_one"
_LABEL = "form"

HOSTS: Mapping[str, str] = MappingProxyType(
    {
        "comment": "texts.all",
        "trailing_comma": "texts.off",
        "bom": "places.trust-config",
        "invalid_sibling": "places.settings",
        "invalid": "places.trust-settings",
        "args_missing": "places.untrusted",
        "servers_key": "places.relative",
    }
)
"""The scenario in whose home each form is: what it asks knows nothing of MCP servers."""


def star_entry(scene: Scene, label: str, *served: str, **keys: object) -> Entry:
    """An entry in the form that every known release takes."""
    return scene.server(label, served, **{"type": "stdio", "tools": ["*"], **keys})


def write_form(scene: Scene, form: str) -> None:
    """The home's `mcp-config.json` in one form, with one server that is ours."""
    scene.write("mcp-config.json", _TEXTS[form](scene))


def form_started(scene: Scene) -> bool:
    """Whether that server has started."""
    return scene.has_mark(f"{_LABEL}.started")


def _ours(scene: Scene) -> Entry:
    return star_entry(scene, _LABEL, FORM_TOOL)


def _plain(scene: Scene) -> str:
    return json.dumps({"mcpServers": {"ours": _ours(scene)}}, indent=2)


def _with_sibling(scene: Scene) -> str:
    """One entry of somebody else's names no program, another is of a type that is none."""
    invalid: dict[str, Entry] = {
        "empty": {"type": "stdio", "tools": ["*"]},
        "strange": {"type": "imprint-strange", "command": "true", "args": [], "tools": ["*"]},
    }
    return json.dumps({"mcpServers": {**invalid, "ours": _ours(scene)}})


def _without_args(scene: Scene) -> str:
    """The program is a script that has its arguments in itself."""
    entry = _ours(scene)
    program = scene.root / "server-without-args"
    _write_script(program, scene)
    del entry["args"]
    return json.dumps({"mcpServers": {"ours": {**entry, "command": str(program)}}})


def _write_script(program: Path, scene: Scene) -> None:
    arguments = _ours(scene)["args"]
    if not isinstance(arguments, list):
        raise TypeError("a server's arguments are a list")
    line = shlex.join((sys.executable, *arguments))
    program.write_text(f"#!/bin/sh\nexec {line}\n", encoding="utf-8")
    program.chmod(0o755)


_TEXTS: Mapping[str, Callable[[Scene], str]] = MappingProxyType(
    {
        "comment": lambda scene: f"// a comment\n{_plain(scene)}\n/* another */\n",
        "trailing_comma": lambda scene: _plain(scene).replace("\n}", ",\n}"),
        "bom": lambda scene: f"\ufeff{_plain(scene)}",
        "invalid": lambda scene: _plain(scene)[:-2],
        "servers_key": lambda scene: _plain(scene).replace('"mcpServers"', '"servers"'),
        "invalid_sibling": _with_sibling,
        "args_missing": _without_args,
    }
)
