"""Scenarios: hooks in every place and form that a release might take them from."""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType

from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scene import BOGUS_EVENT, Entry, Scene
from imprint.observe.subagents import start_subagent, subagent_script
from imprint.sandbox.script import SHELL, CallTool, Say, Turn

STOP = "agentStop"
ORDERED_EVENTS = ("sessionStart", "userPromptSubmitted", STOP)
FILES_WRITTEN = ("d", "a", "f", "b", "e", "c")
"""In this order, which is neither that of the alphabet nor its reverse."""


def _file(scene: Scene, label: str, **keys: object) -> dict[str, object]:
    return {"version": 1, "hooks": {STOP: [scene.hook(label)]}, **keys}


def _without_version(scene: Scene) -> str:
    return json.dumps({"hooks": {STOP: [scene.hook("missing")]}})


def _nested(scene: Scene) -> str:
    group = {"matcher": "", "hooks": [scene.hook("nested")]}
    return json.dumps({"version": 1, "hooks": {STOP: [group]}})


FORMS: Mapping[str, Callable[[Scene], str]] = MappingProxyType(
    {
        "plain": lambda scene: json.dumps(_file(scene, "plain")),
        "comment": lambda scene: f"// a comment\n{json.dumps(_file(scene, 'comment'))}",
        "trailing_comma": lambda scene: f"{json.dumps(_file(scene, 'trailing_comma'))[:-1]},}}",
        "bom": lambda scene: f"\ufeff{json.dumps(_file(scene, 'bom'))}",
        "unknown_key": lambda scene: json.dumps(_file(scene, "unknown_key", imprintKey=True)),
        "empty": lambda _: "",
        "invalid": lambda scene: json.dumps(_file(scene, "invalid"))[:-1],
        "missing": _without_version,
        "two": lambda scene: json.dumps(_file(scene, "two", version=2)),
        "nested": _nested,
    }
)
"""What is in the hooks file of each form; the label of its hook is the form's name."""


def form_file(form: str) -> str:
    """The file's name, by which the log speaks of it."""
    return f"form-{form}.json"


def _arrange_forms(scene: Scene) -> None:
    for form in FORMS:
        _write_form(scene, form)
    _write_bogus(scene)


def _write_form(scene: Scene, form: str) -> None:
    scene.write(f"hooks/{form_file(form)}", FORMS[form](scene))


def _write_bogus(scene: Scene) -> None:
    scene.write_hooks("hooks/bogus.json", {BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]})


def _alone(form: str) -> Scenario:
    """One form alone: asked only where all of them together keep Copilot from starting."""

    def arrange(scene: Scene) -> None:
        _write_form(scene, form)
        _write_bogus(scene)

    tolerated = frozenset({Useless.EXIT_CODE, Useless.MODEL_NOT_ASKED})
    return Scenario(alone_name(form), arrange, says, tolerates=tolerated)


def alone_name(form: str) -> str:
    """The scenario of one form alone."""
    return f"hook_files.alone_{form}"


def _arrange_order(scene: Scene) -> None:
    """Each hook takes a while, so that whatever runs one after the other is seen to."""
    for name in FILES_WRITTEN:
        hooks = {event: [scene.hook(f"{event}-{name}", seconds=0.1)] for event in ORDERED_EVENTS}
        scene.write_hooks(f"hooks/{name}.json", hooks)
    _write_bogus(scene)


def _arrange_inline(scene: Scene) -> None:
    """One hook in the settings, one in the directory, and one in both."""
    both = scene.hook("both")
    _write_settings(scene, {"sessionStart": [both], STOP: [scene.hook("inline")]})
    scene.write_hooks("hooks/dir.json", {"sessionStart": [both], STOP: [scene.hook("directory")]})
    _write_bogus(scene)


def _arrange_disabled(scene: Scene) -> None:
    _write_settings(scene, {STOP: [scene.hook("inline")]}, disableAllHooks=True)
    scene.write_hooks("hooks/dir.json", {STOP: [scene.hook("directory")]})
    _write_bogus(scene)


def _write_settings(scene: Scene, hooks: Mapping[str, list[Entry]], **keys: object) -> None:
    scene.write("settings.json", json.dumps({"hooks": hooks, **keys}))


def _arrange_repository(scene: Scene) -> None:
    """A repository as far as a look at its files can tell; no git is needed."""
    git = scene.work / ".git"
    for folder in (git, git / "objects", git / "refs"):
        folder.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    hooks = scene.work / ".github" / "hooks"
    hooks.mkdir(parents=True)
    text = json.dumps(_file(scene, "repository"))
    (hooks / "probe.json").write_text(text, encoding="utf-8")
    scene.write_hooks("hooks/dir.json", {STOP: [scene.hook("directory")]})
    _write_bogus(scene)


def _arrange_trusted(scene: Scene) -> None:
    """Trust as every release that was seen keeps it."""
    _arrange_repository(scene)
    folders = [str(scene.work)]
    keys = {"trusted_folders": folders, "trustedFolders": folders}
    scene.write("config.json", json.dumps(keys))
    scene.write("settings.json", json.dumps({"trustedFolders": folders}))


def _allowed(_: Scene) -> Mapping[str, str]:
    return {"COPILOT_ALLOW_ALL": "true"}


def _allowed_by_variable(_: Scene) -> Mapping[str, str]:
    return {"COPILOT_ALLOW_ALL": "true", "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS": "true"}


def _arrange_ends(scene: Scene) -> None:
    events = (STOP, "sessionEnd", "subagentStart", "subagentStop")
    scene.write_hooks("hooks/ends.json", {event: [scene.hook(event)] for event in events})
    _write_bogus(scene)


def says(scene: Scene) -> tuple[Turn, ...]:
    """The shortest conversation."""
    return (Say(f"Done: {scene.words.answer}"),)


def _runs_a_tool(scene: Scene) -> tuple[Turn, ...]:
    return (CallTool(SHELL, {"command": "echo fine", "description": "Say fine"}), *says(scene))


def _starts_one_behind(scene: Scene) -> tuple[Turn, ...]:
    return (start_subagent(background=True), *says(scene))


SCENARIOS = (
    Scenario("hook_files.forms", _arrange_forms, _runs_a_tool),
    *(_alone(form) for form in FORMS),
    Scenario("hook_files.order", _arrange_order, says),
    Scenario("hook_files.inline", _arrange_inline, says),
    Scenario("hook_files.disabled", _arrange_disabled, says),
    Scenario("hook_files.repository", _arrange_repository, says),
    Scenario("hook_files.trusted", _arrange_trusted, says, environment=_allowed),
    Scenario("hook_files.by_variable", _arrange_trusted, says, environment=_allowed_by_variable),
    Scenario(
        "hook_files.background",
        _arrange_ends,
        _starts_one_behind,
        # Long enough that the conversation that started it comes to its end first.
        scripts=lambda scene: subagent_script(scene, "sleep 2"),
    ),
)
