"""Settings, trust, homes, discovery and help: each answer has something that shows it is one."""

from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.compat import Attempt, Outcome, Value, row_of, shipped_catalogue
from imprint.compat.evidence import Evidence
from imprint.observe import SCENARIOS, Sessions, observe
from imprint.observe.places.commandline import commands_of, flags_of
from imprint.observe.places.discovery import AGENT_DIRS, SKILL_DIRS
from imprint.observe.places.scenes import KNOWN_SETTING, MADE
from imprint.observe.scene import BOGUS_EVENT, Scene
from imprint.sandbox.release import Release
from tests.observe.made import Made, ran_with, request
from tests.observe.support import VERSION, fake_release

SETTINGS, UNTRUSTED, UNSET, EMPTY, RELATIVE = (
    f"places.{name}" for name in ("settings", "untrusted", "unset", "empty", "relative")
)
BY_FILE = {"settings.json": "places.trust-settings", "config.json": "places.trust-config"}
BY_VALUE = {"1": "places.allow-1", "true": "places.allow-true"}


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def ask(made: Made | Sessions, claim: str) -> Attempt:
    found = observe(claim, made)
    if found.value is not None:
        assert shipped_catalogue()[claim].objections(found.value) == ()
    return found


def outcome(attempt: Attempt) -> Outcome:
    """Of a row with this one attempt: what fails a control is no answer."""
    return row_of("home.env", Evidence.LIVE_OFFLINE, [attempt]).outcome


def has_settings(
    made: Made,
    *,
    denies: bool,
    is_read: bool = True,
    allows: bool = True,
    log: tuple[str, ...] = (),
) -> Scene:
    """A session in which rules deny or do nothing, and the settings' file is read or not."""
    scene = made.scene(SETTINGS)
    heard = [("tool", f"{scene.word('allowed')}-2")] if allows else []
    if not denies:
        (scene.work / MADE).touch()
        heard.append(("tool", scene.word("secret")))
    if is_read:
        file = scene.scratch.copilot / "settings.json"
        file.write_text(f'{file.read_text("utf-8")} "{KNOWN_SETTING}": true', encoding="utf-8")
    lines = [line.replace("KEY", scene.word("setting")) for line in log]
    made.give(SETTINGS, scene, request(*heard), log=lines)
    return scene


@pytest.mark.parametrize(("denies", "answer"), [(True, "yes"), (False, "no")])
def test_rules_are_enforced_where_what_they_name_does_not_run(
    made: Made, denies: bool, answer: str
) -> None:
    has_settings(made, denies=denies)
    found = ask(made, "settings.permissions_deny")
    assert (found.value, outcome(found)) == (answer, Outcome.OBSERVED)


def test_rules_in_a_file_that_is_not_read_or_where_nothing_runs_prove_nothing(made: Made) -> None:
    has_settings(made, denies=False, is_read=False)
    assert outcome(ask(made, "settings.permissions_deny")) is Outcome.INCONCLUSIVE
    has_settings(made, denies=True, allows=False)
    assert outcome(ask(made, "settings.permissions_deny")) is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("line", "warned"),
    [
        ('[WARNING] Ignoring unknown top-level key(s): "KEY"', "yes"),
        ('[DEBUG] settings: {"KEY": true}', "no"),
        ("[WARNING] Ignoring another key", "no"),
    ],
)
def test_a_key_is_warned_about_where_a_warning_names_it(made: Made, line: str, warned: str) -> None:
    has_settings(made, denies=False, log=(line,))
    found = ask(made, "settings.unknown_key")
    assert found.value == {"warned": warned, "kept": "yes"}
    assert outcome(found) is Outcome.OBSERVED


def test_a_key_in_a_file_that_nobody_writes_is_not_seen_to_be_kept(made: Made) -> None:
    has_settings(made, denies=False, is_read=False)
    assert outcome(ask(made, "settings.unknown_key")) is Outcome.INCONCLUSIVE


def trusts(made: Made, *names: str, tools: tuple[str, ...] = (), ran: tuple[str, ...] = ()) -> None:
    """All sessions about trust; in those that are named the repository's hook runs."""
    for name in (UNTRUSTED, *BY_FILE.values(), *BY_VALUE.values()):
        scene = made.scene(name)
        if name in tools:
            (scene.work / MADE).touch()
        hooks = ("home", *(["repository"] if name in names else []), *ran)
        made.give(name, scene, request(), ran=hooks)


def test_trust_is_seen_by_the_hook_of_the_repository(made: Made) -> None:
    both = tuple(BY_VALUE.values())
    trusts(made, BY_FILE["config.json"], BY_VALUE["true"], tools=both)
    files, values = ask(made, "settings.trusted_folders"), ask(made, "settings.allow_all_env")
    assert files.value == {"settings.json": "no", "config.json": "yes"}
    assert values.value == {
        "1.tools": "yes", "true.tools": "yes", "1.trust": "no", "true.trust": "yes",
    }  # fmt: skip
    assert {outcome(files), outcome(values)} == {Outcome.OBSERVED}


def test_where_nothing_shows_trust_only_tools_are_answered(made: Made) -> None:
    trusts(made, tools=(BY_VALUE["true"],))
    assert outcome(ask(made, "settings.trusted_folders")) is Outcome.INCONCLUSIVE
    values = ask(made, "settings.allow_all_env")
    assert (values.value, outcome(values)) == (
        {"1.tools": "no", "true.tools": "yes"},
        Outcome.OBSERVED,
    )


def test_what_an_untrusted_folder_runs_too_proves_nothing(made: Made) -> None:
    everywhere = (UNTRUSTED, *BY_FILE.values(), *BY_VALUE.values())
    trusts(made, *everywhere, tools=everywhere)
    claims = ("settings.trusted_folders", "settings.allow_all_env")
    assert {outcome(ask(made, claim)) for claim in claims} == {Outcome.INCONCLUSIVE}
    trusts(made, BY_VALUE["true"], tools=tuple(BY_VALUE.values()), ran=(BOGUS_EVENT,))
    assert {outcome(ask(made, claim)) for claim in claims} == {Outcome.INCONCLUSIVE}


def test_a_session_that_proves_nothing_leaves_its_file_without_an_answer(made: Made) -> None:
    trusts(made, BY_FILE["config.json"])
    made.useless(BY_FILE["settings.json"], "timed-out")
    assert ask(made, "settings.trusted_folders").value == {"config.json": "yes"}
    made.useless(BY_FILE["config.json"], "timed-out")
    assert ask(made, "settings.trusted_folders").reason == "no-session"


HOMES = (SETTINGS, RELATIVE, UNTRUSTED, *BY_VALUE.values())


def homes(made: Made, *honoured: str, default: tuple[str, ...] = ("home",)) -> None:
    """Sessions in every form of home; an honoured one runs its hook and keeps the session."""
    for name in HOMES:
        is_so = name in honoured
        made.give(name, made.scene(name), request(), ran=["home"] if is_so else [], kept=is_so)
    made.give(UNSET, made.scene(UNSET), request(), ran=default)


def test_a_home_is_honoured_where_its_hook_runs_and_the_session_is_kept(made: Made) -> None:
    homes(made, SETTINGS, UNTRUSTED, BY_VALUE["1"])
    found = ask(made, "home.env")
    assert found.value == {
        "absolute": "yes",
        "relative": "no",
        "symlink": "yes",
        "spaces": "yes",
        "non_ascii": "no",
        "xdg_ignored": "yes",
    }
    assert outcome(found) is Outcome.OBSERVED
    homes(made, SETTINGS, default=("xdg",))
    found = ask(made, "home.env")
    assert isinstance(found.value, dict)
    assert found.value["xdg_ignored"] == "no"


def test_homes_prove_nothing_where_the_plain_one_does_not_work(made: Made) -> None:
    homes(made)
    assert outcome(ask(made, "home.env")) is Outcome.INCONCLUSIVE


def test_a_hook_without_a_session_or_both_defaults_are_no_answer(made: Made) -> None:
    homes(made, *HOMES, default=("home", "xdg"))
    made.give(RELATIVE, made.scene(RELATIVE), request(), ran=["home"], kept=False)
    found = ask(made, "home.env").value
    assert isinstance(found, dict)
    assert {"relative", "xdg_ignored"}.isdisjoint(found)


@pytest.mark.parametrize(
    ("path", "answer"), [("../home/events.jsonl", "yes"), ("/home/events.jsonl", "no")]
)
def test_paths_are_relative_as_stop_gets_them(made: Made, path: str, answer: str) -> None:
    stop = ran_with("stop", transcriptPath=path)
    made.give(RELATIVE, made.scene(RELATIVE), request(), ran=["home", stop])
    empty(made, "~/.copilot/skills")
    found = ask(made, "home.relative")
    assert found.value == {"relative_paths": answer, "empty_is_unset": "yes"}
    assert outcome(found) is Outcome.OBSERVED


def empty(made: Made, *skills: str) -> None:
    """A session with an empty `COPILOT_HOME`, in `~/.copilot` all the same."""
    scene = made.scene(EMPTY)
    made.give(EMPTY, scene, request(*(scene.word(key) for key in skills)), ran=["home"])


@pytest.mark.parametrize(
    ("skills", "answer"),
    [
        (("~/.copilot/skills", ".github/skills"), {"empty_is_unset": "yes"}),
        ((".github/skills",), {"empty_is_unset": "partly"}),
        ((), None),
    ],
)
def test_an_empty_home_is_unset_as_far_as_the_default_one_is_taken(
    made: Made, skills: tuple[str, ...], answer: Value | None
) -> None:
    made.give(RELATIVE, made.scene(RELATIVE), request(), ran=["home"])
    empty(made, *skills)
    assert ask(made, "home.relative").value == answer


def test_an_empty_home_that_is_the_working_directory_is_not_unset(made: Made) -> None:
    made.give(RELATIVE, made.scene(RELATIVE), request(), ran=["home"])
    scene = made.scene(EMPTY)
    (scene.work / "session-state").mkdir()
    (scene.work / "session-state" / "events.jsonl").touch()
    made.give(EMPTY, scene, request(), kept=False)
    assert ask(made, "home.relative").value == {"empty_is_unset": "no"}


def test_a_home_that_is_nowhere_to_be_found_is_no_answer(made: Made) -> None:
    made.give(RELATIVE, made.scene(RELATIVE), request())
    made.give(EMPTY, made.scene(EMPTY), request(), kept=False)
    assert ask(made, "home.relative").reason == "no-home-found"


def described(made: Made, *keys: str) -> None:
    """A session that hears of a skill in a message, and of agents in a tool's text."""
    scene = made.scene(UNSET)
    skills = [scene.word(key) for key in keys if "skills" in key]
    agents = [{"function": {"description": scene.word(key)}} for key in keys if "agents" in key]
    made.give(UNSET, scene, request(*skills, body={"tools": agents}), ran=["home"])


def test_skills_and_agents_are_found_where_their_descriptions_are_heard(made: Made) -> None:
    described(made, "~/.agents/skills", ".github/agents md", ".claude/agents agent.md")
    skills, agents = ask(made, "skills.dirs"), ask(made, "agents.dirs")
    assert skills.value == {
        name: "yes" if name == "~/.agents/skills" else "no" for name in SKILL_DIRS
    }
    found = {".github/agents", ".claude/agents"}
    assert agents.value == {name: "yes" if name in found else "no" for name in AGENT_DIRS}
    assert {outcome(skills), outcome(agents)} == {Outcome.OBSERVED}


@pytest.mark.parametrize(
    "keys",
    [
        (),
        (
            *(f".imprint-elsewhere/{key}" for key in ("skills", "agents md")),
            "~/.copilot/skills",
            "~/.copilot/agents md",
        ),
    ],
)
def test_none_found_or_one_where_nobody_looks_is_no_answer(
    made: Made, keys: tuple[str, ...]
) -> None:
    described(made, *keys)
    claims = ("skills.dirs", "agents.dirs")
    assert {outcome(ask(made, claim)) for claim in claims} == {Outcome.INCONCLUSIVE}


HELP = """Usage: copilot [options] [command]

Options:
  --effort, --reasoning-effort <level>  Set the level (choices:
                                        "low", --not-a-flag)
  -p, --prompt <text>                   Execute a prompt
  --allow-tool[=tools...]               Tools
  --long-one-that-fills-its-column <x>
                                        Told below
      --fleet
          Run --other in fleet mode
  -C <directory>
          Change working directory

Commands:
  help [topic]                          Display help
  plugin|plugins                        Manage
                                        init nothing

Help Topics:
  config                                Configuration
"""


def prints(made: Made, name: str, text: str) -> None:
    made.give(name, made.scene(name), stdout=text)
    made.give("texts.all", made.scene("texts.all"), request())


def test_commands_and_flags_are_read_from_either_form_of_help(made: Made) -> None:
    assert commands_of(HELP) == ("help", "plugin")
    assert flags_of(HELP) == (
        "--allow-tool",
        "--effort",
        "--fleet",
        "--long-one-that-fills-its-column",
        "--prompt",
        "--reasoning-effort",
        "-C",
    )
    prints(made, "places.help", HELP)
    commands, flags = ask(made, "cli.help_commands"), ask(made, "cli.flags")
    assert commands.value == "help plugin"
    assert flags.value == " ".join(flags_of(HELP))
    assert {outcome(commands), outcome(flags)} == {Outcome.OBSERVED}


@pytest.mark.parametrize(
    "text", ["", "no such thing", HELP.replace("-p, ", "").replace("prompt", "x")]
)
def test_help_without_what_must_be_there_is_no_answer(made: Made, text: str) -> None:
    prints(made, "places.help", text.replace("  help ", "  hel "))
    claims = ("cli.help_commands", "cli.flags")
    assert {outcome(ask(made, claim)) for claim in claims} == {Outcome.INCONCLUSIVE}


def test_the_version_is_the_one_that_a_session_notes(made: Made) -> None:
    prints(made, "places.version", f"GitHub Copilot CLI {VERSION}.\nRun 'copilot update'.\n")
    found = ask(made, "cli.version_format")
    assert found.value == "GitHub Copilot CLI <version>. / Run 'copilot update'."
    assert outcome(found) is Outcome.OBSERVED
    prints(made, "places.version", "GitHub Copilot CLI 9.9.9.")
    assert outcome(ask(made, "cli.version_format")) is Outcome.INCONCLUSIVE
    prints(made, "places.version", "no version")
    assert ask(made, "cli.version_format").reason == "no-version-printed"


def package(tmp_path: Path, text: str) -> Sessions:
    """Sessions of a stand-in whose package has a file with this text."""
    release = fake_release(tmp_path / "bin")
    code = tmp_path / "unpacked" / "pkg" / "code.js"
    code.parent.mkdir(parents=True)
    code.write_text(text, encoding="utf-8")
    host = Environment.scratch(tmp_path / "world", {"PATH": "/usr/bin:/bin"})
    host.home.mkdir(parents=True)
    whole = Release(
        release.version, release.kind, release.command, release.folder, unpacked=code.parents[1]
    )
    (tmp_path / "scenes").mkdir()
    return Sessions(whole, host, tmp_path / "scenes", SCENARIOS)


@pytest.mark.parametrize(
    ("text", "value", "is_answer"),
    [
        ("COPILOT_DEBUG_BROWSER", "yes", True),
        ("something else", "no", True),
        ("COPILOT_IMPRINT_NEVER", "no", False),
    ],
)
def test_a_variable_is_consulted_where_the_package_names_it(
    tmp_path: Path, text: str, value: str, is_answer: bool
) -> None:
    found = ask(package(tmp_path, text), "settings.debug_browser")
    assert found.value == value
    assert (outcome(found) is Outcome.OBSERVED) is is_answer


def test_a_package_whose_code_cannot_be_read_is_no_answer(tmp_path: Path) -> None:
    sessions = package(tmp_path, "")
    program = Path(sessions.release.command[0])
    text = program.read_text("utf-8").replace("COPILOT_HOME", "COPILOT_" + '" "HOME')
    program.write_text(text, encoding="utf-8")
    found = ask(sessions, "settings.debug_browser")
    assert (found.value, outcome(found)) == ("no", Outcome.INCONCLUSIVE)


def test_what_needs_an_account_is_blocked_without_a_session(made: Made) -> None:
    found = ask(made, "account.login_in_config")
    assert (found.outcome, found.reason) == (Outcome.BLOCKED, "needs-account")
