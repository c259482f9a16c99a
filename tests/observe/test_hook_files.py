"""What judges of hooks files answer, and what takes each answer away."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.observe import sessions_of
from imprint.observe.hook_files.scenes import FILES_WRITTEN, FORMS, ORDERED_EVENTS, form_file
from imprint.observe.scene import BOGUS_EVENT
from imprint.sandbox.release import Kind, Release
from tests.observe.pretend import (
    SESSION,
    SUBAGENT,
    Pretend,
    Ran,
    request,
    start,
    strange,
    value,
)
from tests.observe.support import VERSION, fake_copilot


@pytest.fixture
def made(tmp_path: Path) -> Pretend:
    return Pretend(tmp_path)


def complaints(*forms: str) -> list[str]:
    return [f"[ERROR] Invalid hook configuration in /h/{form_file(form)}: no" for form in forms]


def test_a_form_is_taken_if_its_hook_runs_beside_a_plain_one(made: Pretend) -> None:
    said = complaints("two", "comment", "trailing_comma", "bom", "empty", "invalid")
    made.give("hook_files.forms", "plain", "missing", "unknown_key", "nested", log=said)
    assert value("hooks.file.version_required", made) == {"missing": "taken", "two": "rejected"}
    assert value("hooks.file.nested_groups", made) == "yes"
    tolerance = value("hooks.file.tolerance", made)
    assert isinstance(tolerance, dict)
    assert {form for form, how in tolerance.items() if how == "taken"} == {"unknown_key"}
    assert set(tolerance.values()) == {"taken", "rejected"}
    for claim in ("version_required", "nested_groups", "tolerance"):
        assert strange(f"hooks.file.{claim}", made)


def test_an_empty_file_is_judged_by_a_log_that_complains_of_others(made: Pretend) -> None:
    made.give("hook_files.forms", "plain", log=complaints("invalid"))
    tolerance = value("hooks.file.tolerance", made)
    assert isinstance(tolerance, dict)
    assert tolerance["empty"] == "taken"
    made.give("hook_files.forms", "plain")
    silent = value("hooks.file.tolerance", made)
    assert isinstance(silent, dict)
    assert "empty" not in silent


@pytest.mark.parametrize("claim", ["version_required", "tolerance", "nested_groups"])
def test_forms_answer_nothing_where_the_plain_file_is_not_taken(made: Pretend, claim: str) -> None:
    made.give("hook_files.forms", log=complaints("invalid"))
    assert value(f"hooks.file.{claim}", made) == "control-failed"


def test_a_form_that_keeps_copilot_from_starting_is_found_alone(made: Pretend) -> None:
    made.useless("hook_files.forms")
    for form in FORMS:
        made.give(f"hook_files.alone_{form}", form, requests=[request()])
    made.give("hook_files.alone_invalid", exit_code=1)
    made.give("hook_files.alone_two", requests=[request()])
    tolerance = value("hooks.file.tolerance", made)
    assert isinstance(tolerance, dict)
    assert (tolerance["invalid"], tolerance["comment"]) == ("start-fails", "taken")
    assert value("hooks.file.version_required", made) == {"missing": "taken", "two": "rejected"}
    made.give("hook_files.alone_plain", exit_code=1)
    assert value("hooks.file.tolerance", made) == "plain-file-not-taken"


def test_what_blocks_all_forms_is_not_asked_one_by_one(made: Pretend) -> None:
    made.useless("hook_files.forms", "copilot-not-started", blocked=True)
    assert value("hooks.file.tolerance", made) == "copilot-not-started"


@pytest.mark.parametrize(
    ("firing", "answer"),
    [
        ({"repository"}, "always"),
        ({"trusted"}, "trusted-only"),
        ({"by_variable"}, "variable-only"),
        (set(), "never"),
    ],
)
def test_hooks_of_a_repository_are_tried_without_trust_first(
    made: Pretend, firing: set[str], answer: str
) -> None:
    for name in ("repository", "trusted", "by_variable"):
        ran = ["directory", *(["repository"] if name in firing else [])]
        made.give(f"hook_files.{name}", *ran)
    assert value("hooks.file.repo_dir", made) == answer
    made.give("hook_files.repository")
    assert value("hooks.file.repo_dir", made) == "control-failed"


@pytest.mark.parametrize(
    ("ran", "answer"),
    [
        (["directory", "both"], "no"),
        (["directory", "both", "inline"], "yes-once"),
        (["directory", "both", "both", "inline"], "yes-twice"),
        (["directory", "both", "both"], "another-count"),
        (["both", "inline"], "control-failed"),
    ],
)
def test_hooks_of_the_settings_are_counted_beside_the_directory(
    made: Pretend, ran: list[str], answer: str
) -> None:
    made.give("hook_files.inline", *ran)
    assert value("hooks.file.settings_inline", made) == answer
    assert strange("hooks.file.settings_inline", made)


@pytest.mark.parametrize(
    ("enabled", "disabled", "answer"),
    [
        (["directory", "inline"], ["directory", "inline"], "no"),
        (["directory", "inline"], ["directory"], "inline-only"),
        (["directory"], ["directory"], "no"),
        (["directory", "inline"], [], "yes"),
        ([], [], "hook-did-not-run"),
    ],
)
def test_what_the_setting_silences_is_what_runs_without_it(
    made: Pretend, enabled: list[str], disabled: list[str], answer: str
) -> None:
    made.give("hook_files.inline", *enabled)
    made.give("hook_files.disabled", *disabled, requests=[request()])
    assert value("hooks.file.disable_all", made) == answer


START_FIRST = {"camel": ["sessionStart", "userPromptSubmitted"], "pascal": []}
PROMPT_FIRST = {"camel": [], "pascal": ["UserPromptSubmit", "SessionStart"]}
BOTH_WAYS = {**PROMPT_FIRST, "camel": START_FIRST["camel"]}


@pytest.mark.parametrize(
    ("ran", "answer"),
    [
        (START_FIRST, "yes"),
        (PROMPT_FIRST, "no"),
        (BOTH_WAYS, "sessions-differ"),
        ({"camel": ["sessionStart"], "pascal": []}, "hook-did-not-run"),
    ],
)
def test_start_is_before_the_prompt_where_every_session_says_so(
    made: Pretend, ran: Mapping[str, list[str]], answer: str
) -> None:
    for spelling, labels in ran.items():
        made.give(f"{spelling}.top", *labels)
    assert value("hooks.order.start_before_prompt", made) == answer


@pytest.mark.parametrize(
    ("order", "answer"),
    [
        (sorted(FILES_WRITTEN), "alphabetical"),
        (sorted(FILES_WRITTEN, reverse=True), "reverse"),
        (FILES_WRITTEN, "undefined"),
        (FILES_WRITTEN[:3], "hook-did-not-run"),
    ],
)
def test_files_run_in_an_order_that_all_events_share(
    made: Pretend, order: list[str], answer: str
) -> None:
    made.give("hook_files.order", *(f"{event}-{one}" for event in ORDERED_EVENTS for one in order))
    assert value("hooks.order.files", made) == answer


def resumed(made: Pretend, *ran: Ran, shown: bool = True) -> None:
    begun = made.give("transcripts.begun", "sessionStart")
    history = [request(begun.words.answer if shown else "nothing")]
    made.give("transcripts.resumed", *ran, requests=history)
    made.give("transcripts.continued", requests=history)


def test_session_start_fires_on_resume_with_its_source(made: Pretend) -> None:
    resumed(made, ("sessionStart", {"source": "resume"}))
    expected = {"resume": "yes", "resume_source": "resume", "continue": "no"}
    assert value("hooks.fires.resume", made) == expected
    assert strange("hooks.fires.resume", made)


def test_a_session_that_knows_nothing_of_the_earlier_one_was_not_resumed(made: Pretend) -> None:
    resumed(made, "sessionStart", shown=False)
    assert value("hooks.fires.resume", made) == "control-failed"
    made.give("transcripts.begun")
    assert value("hooks.fires.resume", made) == "hook-did-not-run"


@pytest.mark.parametrize(
    ("subagents", "answer"),
    [
        ([], "none"),
        ([{"sessionId": "call_1", "transcriptPath": ""}], "call-id-empty-path"),
        ([{"sessionId": "an-agent", "agentId": "an-agent"}], "agent-id-parent-path"),
        ([{"sessionId": "an-agent"}], "other"),
    ],
)
def test_stop_of_a_subagent_is_known_by_its_id_and_path(
    made: Pretend, subagents: list[dict[str, str]], answer: str
) -> None:
    for spelling, stop in (("camel", "agentStop"), ("pascal", "Stop")):
        scene = made.scene(f"hook_inputs.{spelling}")
        path = str(scene.scratch.sessions / SESSION / "events.jsonl")
        payloads = [{"transcriptPath": path, **one} for one in subagents]
        main: Ran = (stop, {"sessionId": SESSION, "transcriptPath": path})
        made.give(
            f"hook_inputs.{spelling}",
            *((stop, one) for one in payloads),
            main,
            events=[start()],
            requests=SUBAGENT,
        )
    assert value("hooks.fires.subagent_stop", made) == answer
    assert strange("hooks.fires.subagent_stop", made)


def test_without_a_subagent_that_ran_its_stop_is_unknown(made: Pretend) -> None:
    for spelling, stop in (("camel", "agentStop"), ("pascal", "Stop")):
        made.give(f"hook_inputs.{spelling}", (stop, {"sessionId": SESSION}), events=[start()])
    assert value("hooks.fires.subagent_stop", made) == "control-failed"
    for spelling in ("camel", "pascal"):
        made.give(f"hook_inputs.{spelling}", events=[start()], requests=SUBAGENT)
    assert value("hooks.fires.subagent_stop", made) == "hook-did-not-run"


def test_events_that_a_subagent_causes_fire_or_not_and_others_only_fire(made: Pretend) -> None:
    made.useless("camel.top")
    claim = "hooks.fires.prompt_mode"
    ran = ("agentStop", "subagentStart", "notification")
    made.give("hook_inputs.camel", *ran, requests=SUBAGENT)
    assert value(claim, made) == {
        "subagentStart": "yes",
        "subagentStop": "no",
        "userPromptTransformed": "no",
        "notification": "yes",
    }
    made.give("hook_inputs.camel", *ran)
    assert value(claim, made) == "exit-code-1"


def test_session_end_is_counted_with_a_subagent_behind_and_without(made: Pretend) -> None:
    for name in ("terminal.talk", "hosts.sdk", "hosts.acp"):
        made.useless(name)
    made.give("camel.top", "agentStop", "sessionEnd")
    made.give("hook_files.background", "sessionEnd", "sessionEnd", requests=SUBAGENT)
    counts = {"prompt": 1, "background_subagent": 2}
    assert value("hooks.fires.session_end", made) == counts
    made.give("hook_files.background", "sessionEnd")
    assert value("hooks.fires.session_end", made) == {"prompt": 1}
    made.give("camel.top", "sessionEnd")
    assert value("hooks.fires.session_end", made) == "control-failed"


SCHEMA = {"session": {}, "definitions": {"HookType": {"enum": ["agentStop", "sessionEnd"]}}}


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (SCHEMA, ["agentStop", "sessionEnd"]),
        ({"session": {}}, ["no-substrate"]),
        ({"definitions": SCHEMA["definitions"]}, "control-failed"),
        ({"session": {}, "definitions": {"HookType": {"enum": [BOGUS_EVENT]}}}, "control-failed"),
        ([], "schema-not-understood"),
        ({"session": {}, "definitions": {"HookType": {"enum": 3}}}, "schema-not-understood"),
    ],
)
def test_names_are_those_of_a_schema_that_is_understood(
    made: Pretend, schema: object, answer: object
) -> None:
    made.give("hook_files.package", stdout=json.dumps(schema))
    assert value("hooks.names.enum", made) == answer


def test_a_release_without_its_schema_says_nothing(made: Pretend) -> None:
    made.give("hook_files.package")
    assert value("hooks.names.enum", made) == "no-schema"


@pytest.mark.parametrize("place", ["package", f"pkg/linux-x64/{VERSION}"])
def test_the_schema_is_found_in_the_package_or_in_what_was_unpacked(
    tmp_path: Path, place: str
) -> None:
    program = fake_copilot(tmp_path / "release")
    folder = tmp_path / "release" / place / "schemas"
    folder.mkdir(parents=True)
    (folder / "api.schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    release = Release(
        VERSION, Kind.NATIVE, (str(program),), program.parent, unpacked=program.parent
    )
    host = Environment.scratch(tmp_path / "world", {"PATH": "/usr/bin:/bin"})
    scenes = tmp_path / "scenes"
    scenes.mkdir()
    seen = sessions_of(release, host, scenes)["hook_files.package"]
    assert json.loads(seen.result.stdout) == SCHEMA
