"""What fires in the terminal UI and where Copilot is a server: answered from what is seen alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.compat import Outcome, Row, row_of, shipped_catalogue
from imprint.observe import SCENARIOS, Sessions, observe
from imprint.sandbox import driven
from tests.observe.support import fake_release

Ask = Callable[..., Sessions]

FIRES = ("hooks.fires.tui", "hooks.fires.sdk", "hooks.fires.acp")
CLAIMS = (*FIRES, "mcp.sdk_discovery")


@pytest.fixture
def sessions(tmp_path: Path) -> Ask:
    """Sessions of a stand-in that is whole, or broken in one way."""
    return lambda *knobs, seconds=60: _sessions(tmp_path, *knobs, seconds=seconds)


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


@pytest.mark.parametrize("claim", FIRES)
def test_events_that_fire_are_told_from_those_whose_cause_did_not_make_them(
    whole: Sessions, claim: str
) -> None:
    found = row(claim, whole)
    assert found.outcome is Outcome.OBSERVED
    value = found.value
    assert isinstance(value, dict)
    assert shipped_catalogue()[claim].objections(value) == ()
    assert {event for event, fired in value.items() if fired == "yes"} == {
        "sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "agentStop",
        "subagentStart",
    }  # fmt: skip
    assert value["sessionEnd"] == "no"
    # Nobody made it happen, so that nothing is said of it.
    assert "preCompact" not in value


@pytest.mark.parametrize(("claim", "asks"), [("tui", True), ("acp", True), ("sdk", False)])
def test_a_hook_on_permission_is_asked_about_only_where_permission_was(
    whole: Sessions, claim: str, asks: bool
) -> None:
    value = row(f"hooks.fires.{claim}", whole).value
    assert isinstance(value, dict)
    assert value.get("permissionRequest") == ("no" if asks else None)


def test_ends_are_counted_where_the_session_ran(whole: Sessions) -> None:
    value = row("hooks.fires.session_end", whole).value
    assert isinstance(value, dict)
    assert {way: value.get(way) for way in ("tui", "sdk", "acp")} == {"tui": 0, "sdk": 0, "acp": 0}


def test_a_way_that_is_refused_says_why_and_spoils_no_other(sessions: Ask) -> None:
    locked = sessions("asks-login")
    found = row("hooks.fires.acp", locked)
    assert (found.outcome, found.reason) == (Outcome.BLOCKED, "account-needed")
    value = row("hooks.fires.session_end", locked).value
    assert isinstance(value, dict)
    assert {"tui", "sdk"} <= set(value)
    assert "acp" not in value


def test_the_chosen_id_is_that_of_the_folder(whole: Sessions) -> None:
    value = row("state.caller_chosen_id", whole).value
    assert isinstance(value, dict)
    assert value["sdk"] == "yes"


def test_what_the_sdk_server_does_not_read_is_a_no_only_where_the_command_line_reads_it(
    whole: Sessions,
) -> None:
    # The stand-in reads no instructions anywhere, but offers the server's tool everywhere.
    found = row("mcp.sdk_discovery", whole)
    assert (found.outcome, found.value) == (Outcome.OBSERVED, {"mcp_when_asked": "yes"})


@pytest.mark.parametrize("claim", CLAIMS)
def test_hooks_of_unknown_events_that_run_spoil_the_answer(sessions: Ask, claim: str) -> None:
    found = row(claim, sessions("runs-everything"))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.controls is not None
    assert not found.controls.negative


@pytest.mark.parametrize("claim", FIRES)
def test_where_no_hook_runs_anywhere_nothing_is_proven(sessions: Ask, claim: str) -> None:
    assert row(claim, sessions("no-events")).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("claim", "knob"),
    [
        ("hooks.fires.tui", "never-answers"),
        ("hooks.fires.sdk", "mute"),
        ("hooks.fires.acp", "dies"),
    ],
)
def test_a_session_that_stops_in_the_middle_answers_nothing(
    sessions: Ask, claim: str, knob: str
) -> None:
    found = row(claim, sessions(knob, seconds=6))
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, "timed-out")


@pytest.mark.parametrize("claim", ["hooks.fires.tui", "hooks.fires.sdk"])
def test_without_the_extra_a_claim_is_blocked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str
) -> None:
    monkeypatch.setattr(driven, "find_spec", lambda _: None)
    fresh = _sessions(tmp_path)
    found = row(claim, fresh)
    assert (found.outcome, found.reason) == (Outcome.BLOCKED, "missing-extra")


def test_a_release_takes_few_sessions_in_the_terminal_and_as_a_server() -> None:
    names = [name for name in SCENARIOS if name.startswith(("terminal.", "hosts."))]
    assert names == ["terminal.talk", "hosts.sdk", "hosts.sdk_discovering", "hosts.acp"]
