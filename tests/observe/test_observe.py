"""Observers answer from what they see, and from nothing less: every control can fail."""

from collections.abc import Callable
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.compat import Outcome, Row, row_of, shipped_catalogue
from imprint.observe import JUDGES, SCENARIOS, Sessions, observe
from imprint.observe import scenarios as asked
from imprint.observe.judged import digest
from imprint.observe.names import reported_unknown
from imprint.observe.registry import _FIRST_JUDGES, WAITING
from tests.observe.support import VERSION, fake_release

Ask = Callable[..., Sessions]


@pytest.fixture
def sessions(tmp_path: Path) -> Ask:
    """Sessions of a stand-in that is whole, or broken in one way."""

    def make(*knobs: str, seconds: float = 60) -> Sessions:
        return _sessions(tmp_path, *knobs, seconds=seconds)

    return make


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    """Those of one that is whole; tests only look at them."""
    return _sessions(tmp_path_factory.mktemp("whole"))


def _sessions(folder: Path, *knobs: str, seconds: float = 60) -> Sessions:
    host = Environment.scratch(folder / "world", {"PATH": "/usr/bin:/bin"})
    host.home.mkdir(parents=True)
    scenes = folder / "scenes"
    scenes.mkdir()
    return Sessions(fake_release(folder / "bin", *knobs), host, scenes, SCENARIOS, seconds)


def row(claim: str, sessions: Sessions) -> Row:
    return row_of(claim, shipped_catalogue()[claim].tiers[0].evidence, [observe(claim, sessions)])


def test_every_judge_is_of_a_claim_in_the_catalogue() -> None:
    assert set(JUDGES) <= set(shipped_catalogue().claims)


def test_a_whole_copilot_answers_as_it_was_built(whole: Sessions) -> None:
    expected = {
        "hooks.file.home_dir": "yes",
        "hooks.file.unknown_event_reported": "yes",
        "hooks.fires.twice_both_spellings": "twice",
        "hooks.payload.pascal_style": "snake",
        "hooks.payload.camel_style": "camel",
        "hooks.payload.event_name_field": {"pascal": "yes", "camel": "no"},
        "hooks.payload.stop_transcript": "transcript_path",
        "hooks.payload.stop_hook_active": "yes",
        "hooks.payload.tool_name": {"pascal": "Bash", "camel": "bash"},
        "hooks.payload.tool_args": {"preToolUse": "string", "postToolUse": "string"},
        "hooks.payload.timestamp": {"pascal": "iso-string", "camel": "epoch-ms"},
        "hooks.payload.transcript_flushed": {"at_start": "always"},
        "hooks.context.several": "all",
        "hooks.exec.keys": {"command": "yes", "bash": "yes", "powershell": "no", "exec": "yes"},
        "hooks.exec.shell": "bash",
        "hooks.exec.cwd": "session-cwd",
        "instructions.home": "no",
        "state.layout": "yes",
        "state.folder_is_id": "yes",
    }
    seen = {claim: row(claim, whole) for claim in expected}
    assert {claim: one.value for claim, one in seen.items()} == expected
    assert {one.outcome for one in seen.values()} == {Outcome.OBSERVED}
    for claim, one in seen.items():
        assert one.value is not None
        assert shipped_catalogue()[claim].objections(one.value) == ()
    contexts = row("hooks.context.session_start", whole).value
    assert isinstance(contexts, dict)
    assert {name for name, reached in contexts.items() if reached == "yes"} == {
        "pascal.top", "pascal.both", "camel.top", "camel.both",
    }  # fmt: skip
    fires = row("hooks.fires.prompt_mode", whole).value
    assert isinstance(fires, dict)
    assert fires["agentStop"] == "yes"
    assert fires["sessionEnd"] == "no"


def test_a_limit_is_honoured_where_the_hook_does_not_get_to_its_end(whole: Sessions) -> None:
    assert row("hooks.timeout.key", whole).value == {
        "timeout": "honoured",
        "timeoutSec": "honoured",
        "timeoutSeconds": "ignored",
        "timeoutMs": "ignored",
    }


def test_names_are_those_that_a_log_with_the_canary_does_not_call_unknown(whole: Sessions) -> None:
    names = row("hooks.names.pascal", whole).value
    assert isinstance(names, dict)
    accepted = {name for name, taken in names.items() if taken == "yes"}
    assert accepted == {"SessionStart", "Stop", "UserPromptSubmit", "PreToolUse", "PostToolUse"}


@pytest.mark.parametrize(
    "claim",
    ["hooks.names.pascal", "hooks.names.camel", "hooks.file.unknown_event_reported"],
)
def test_a_silent_log_answers_nothing(sessions: Ask, claim: str) -> None:
    assert row(claim, sessions("silent-log")).outcome is Outcome.INCONCLUSIVE


HOOK_CLAIMS = tuple(claim for claim in _FIRST_JUDGES if claim.startswith("hooks."))
"""Those of the wide sessions; each area's judges are broken on purpose in tests of their own."""


def test_a_copilot_that_runs_no_hook_answers_nothing_about_hooks(sessions: Ask) -> None:
    silent = sessions("no-events")
    answered = {claim for claim in HOOK_CLAIMS if row(claim, silent).outcome is Outcome.OBSERVED}
    # Its log names each of them, so that these two are seen.
    assert answered == {"hooks.names.pascal", "hooks.names.camel"}


def test_a_copilot_that_runs_hooks_of_unknown_events_answers_nothing(sessions: Ask) -> None:
    wild = sessions("runs-everything")
    rows = [row(claim, wild) for claim in HOOK_CLAIMS]
    assert {one.outcome for one in rows} == {Outcome.INCONCLUSIVE}
    assert {one.controls.negative for one in rows if one.controls} == {False}


def test_a_misspelled_event_in_the_scenario_is_no_answer(
    sessions: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for spelling, name in {"pascal": "SesionStart", "camel": "sesionStart"}.items():
        monkeypatch.setitem(asked.START, spelling, name)
    assert row("hooks.context.session_start", sessions()).reason == "hook-did-not-run"


def test_a_missing_program_blocks(sessions: Ask) -> None:
    gone = sessions()
    Path(gone.release.command[0]).unlink()
    rows = [row(claim, gone) for claim in JUDGES]
    assert {one.outcome for one in rows} == {Outcome.BLOCKED}
    assert all(one.reason for one in rows)


@pytest.mark.parametrize(
    ("knob", "seconds", "reason"),
    [("hangs", 1, "timed-out"), ("says-another-version", 60, "reported-version-9.9.9")],
)
def test_a_session_that_proves_nothing_says_why(
    sessions: Ask, knob: str, seconds: float, reason: str
) -> None:
    broken = sessions(knob, seconds=seconds)
    found = row("hooks.payload.stop_transcript", broken)
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, reason)
    if knob == "says-another-version":
        assert broken.reported_versions == {"9.9.9"}
        assert VERSION not in broken.reported_versions


def test_a_scenario_runs_once_however_many_claims_need_it(sessions: Ask) -> None:
    once = sessions()
    assert once["camel.plain"] is once["camel.plain"]
    assert len(once.seen) == 1


def test_unknown_names_are_found_on_one_line_or_on_one_each() -> None:
    together = ["[DEBUG] Ignoring unknown hook event(s) in a.json: Stop, ImprintCanaryEvent"]
    apart = ["Unknown hook event Stop", "Unknown hook event ImprintCanaryEvent", "Stop ran"]
    assert reported_unknown(together) == reported_unknown(apart) == {"Stop", "ImprintCanaryEvent"}
    assert reported_unknown(["Stop ran"]) == frozenset()


def test_the_digest_of_evidence_does_not_depend_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1}) != digest({"a": 2, "b": 1})
    assert digest({}).startswith("sha256:")


def test_a_session_that_was_begun_beside_others_is_run_once_and_answers(sessions: Ask) -> None:
    asked = sessions()
    asked.begin(["limits"])
    value = observe("hooks.payload.pascal_style", asked).value
    begun = observe("hooks.timeout.key", asked)
    assert value == "snake"
    assert begun.outcome is Outcome.OBSERVED
    assert len(list(asked.folder.glob("limits*"))) == 1


def test_what_mostly_waits_is_a_scenario_of_its_own_claim() -> None:
    assert set(WAITING) <= set(JUDGES)
    assert all(not SCENARIOS[name].after for name in WAITING.values())


def test_a_session_that_says_no_version_in_its_place_says_nothing_of_it(sessions: Ask) -> None:
    asked = sessions()
    program = Path(asked.release.command[0])
    program.write_text(program.read_text(encoding="utf-8").replace(VERSION, "0.0.0"), "utf-8")
    assert observe("state.layout", asked).value == "yes"
    assert asked.reported_versions == frozenset()
