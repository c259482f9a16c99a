"""Scenarios: settings, trust in the folder, and forms of `COPILOT_HOME`."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from os.path import relpath
from pathlib import Path

from imprint.observe.places.discovery import write_skills_and_agents
from imprint.observe.putting import make_repository, put, put_bogus_hook, says
from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scene import Scene
from imprint.observe.servers.forms import write_form
from imprint.observe.servers.scenes import write_repository_files
from imprint.sandbox.errors import CopilotNotStarted
from imprint.sandbox.isolation import minimal_path
from imprint.sandbox.script import SHELL, CallTool, Turn
from imprint.sandbox.session import (
    PROMPT_MODE,
    SessionResult,
    SessionSpec,
    run_command,
    run_program,
)

START, STOP = "sessionStart", "agentStop"

KNOWN_SETTING = "bashEnv"
"""What `--bash-env=on` writes into the settings, on every release that was seen."""

MADE = "made-by-a-tool"
"""The file that the shell tool makes."""

Places = Callable[[Scene], Mapping[str, str]]


def _touch(name: str) -> CallTool:
    return CallTool(SHELL, {"command": f"touch {name}", "description": "Make a file"})


# Settings.


def _arrange_settings(scene: Scene) -> None:
    rules = ["shell(touch)", "shell(touch:*)", "bash(touch:*)", "read", "view", "read(secret.txt)"]
    settings = {scene.word("setting"): True, "permissions": {"deny": rules}}
    scene.write("settings.json", json.dumps(settings))
    put(scene.work / "secret.txt", f"{scene.word('secret')}\n")
    write_form(scene, "invalid_sibling")
    _write_home_hooks(scene)


def _tries_what_is_denied(scene: Scene) -> tuple[Turn, ...]:
    """Something that no rule names is tried too."""
    allowed = {"command": f"echo {scene.word('allowed')}-$((1 + 1))", "description": "Say a word"}
    return (
        CallTool(SHELL, allowed),
        _touch(MADE),
        CallTool("view", {"path": str(scene.work / "secret.txt")}),
        *says(scene),
    )


# Trust: a hook and servers in a repository, of a user who has allowed nothing on the command line.


def run_without_permission(spec: SessionSpec) -> SessionResult:
    """`copilot -p` without the flag that lets it run tools."""
    return run_command(replace(spec, arguments=("-p", spec.prompt, *spec.arguments)))


def run_without_home(spec: SessionSpec) -> SessionResult:
    """`copilot -p` with no `COPILOT_HOME` at all, which `environment` can't say."""
    program = Path(spec.release.command[0])
    if not program.exists():  # `env` would say so with an exit code, like a Copilot that fails
        raise CopilotNotStarted(f"{program} is not there", fix="fetch the release again")
    env = shutil.which("env", path=minimal_path(spec.host)) or "/usr/bin/env"
    arguments = ("-p", spec.prompt, *PROMPT_MODE, *spec.arguments)
    return run_program(
        spec, lambda _: (env, "-u", "COPILOT_HOME", *spec.release.command, *arguments)
    )


def _arrange_folder(scene: Scene) -> None:
    write_repository_files(scene)
    hooks = {"version": 1, "hooks": {START: [scene.hook("repository")]}}
    put(scene.work / ".github" / "hooks" / "probe.json", json.dumps(hooks))
    _write_home_hooks(scene)


def _trusted_in(name: str) -> Callable[[Scene], None]:
    def arrange(scene: Scene) -> None:
        _arrange_folder(scene)
        folders = [str(scene.work)]
        # 1.0.10 has one spelling in its file, later ones the other.
        keys = {"trustedFolders": folders, "trusted_folders": folders}
        scene.write(
            name, json.dumps(keys if name == "config.json" else {"trustedFolders": folders})
        )
        write_form(scene, "invalid" if name == "settings.json" else "bom")

    return arrange


def _with_moved_home(name: str) -> Callable[[Scene], None]:
    """The home is a folder of this name; where it is looked for, there is a link to it."""

    def arrange(scene: Scene) -> None:
        _arrange_folder(scene)
        _move_home(scene, scene.root / name)

    return arrange


def _move_home(scene: Scene, place: Path) -> None:
    scene.scratch.copilot.rename(place)
    scene.scratch.copilot.symlink_to(place)


def _arrange_linked(scene: Scene) -> None:
    _arrange_folder(scene)
    write_form(scene, "args_missing")
    (scene.root / "link").symlink_to(scene.scratch.copilot)


def _home(name: str) -> Places:
    return lambda scene: {"COPILOT_HOME": str(scene.root / name)}


def _allows(value: str, name: str) -> Places:
    return lambda scene: {"COPILOT_ALLOW_ALL": value, **_home(name)(scene)}


def _makes(scene: Scene) -> tuple[Turn, ...]:
    return (_touch(MADE), *says(scene))


def _trust(name: str, arrange: Callable[[Scene], None], environment: Places) -> Scenario:
    return Scenario(
        name,
        arrange,
        _makes,
        environment=environment,
        drive=run_without_permission,
        tolerates=frozenset({Useless.EXIT_CODE, Useless.MODEL_NOT_ASKED}),
    )


# Homes.


def _write_home_hooks(scene: Scene) -> None:
    scene.write_hooks("hooks/home.json", {START: [scene.hook("home")], STOP: [scene.hook("stop")]})
    put_bogus_hook(scene)


def _arrange_relative(scene: Scene) -> None:
    _write_home_hooks(scene)
    write_form(scene, "servers_key")


def _relative(scene: Scene) -> Mapping[str, str]:
    return {"COPILOT_HOME": relpath(scene.scratch.copilot, scene.work)}


def _arrange_default(scene: Scene) -> None:
    """The home is `~/.copilot`, with skills and agents; hooks wherever an XDG variable might lead.

    With a `COPILOT_HOME`, 1.0.80 and 1.0.102 pass over `~/.agents`; with one that is empty,
    1.0.80 passes over the skills of `~/.copilot`.
    """
    _write_home_hooks(scene)
    _move_home(scene, scene.scratch.home / ".copilot")
    make_repository(scene.work)
    write_skills_and_agents(scene)
    text = json.dumps({"version": 1, "hooks": {START: [scene.hook("xdg")]}})
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        for name in ("copilot", ".copilot"):
            folder = Path(scene.scratch.variables()[variable], name)
            put(folder / "hooks" / "probe.json", text)


def _same(_: Scene) -> Mapping[str, str]:
    return {}


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "places.settings",
        _arrange_settings,
        _tries_what_is_denied,
        arguments=lambda _: ("--bash-env=on",),
    ),
    _trust("places.untrusted", _arrange_linked, _home("link")),
    _trust("places.trust-settings", _trusted_in("settings.json"), _same),
    _trust("places.trust-config", _trusted_in("config.json"), _same),
    _trust("places.allow-1", _with_moved_home("a home"), _allows("1", "a home")),
    _trust("places.allow-true", _with_moved_home("hôme-家"), _allows("true", "hôme-家")),
    Scenario("places.relative", _arrange_relative, says, environment=_relative),
    Scenario("places.unset", _arrange_default, says, drive=run_without_home),
    Scenario("places.empty", _arrange_default, says, environment=lambda _: {"COPILOT_HOME": ""}),
)
