"""The gate: what is decided for which Copilots, and that nothing unknown is ever more than safe."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.compat import (
    Asked,
    Basis,
    Code,
    Local,
    Matrix,
    UnreadableMatrix,
    Value,
    data_folder,
    load_catalogue,
)
from imprint.compat.inference import build_matrix
from imprint.compat.shipped import PROGRAM
from imprint.copilot import contract as contracts
from imprint.copilot.contract import ACTIONS, DOUBTS, CopilotContract, Gate, doubt, safe_action
from imprint.copilot.drift import drifts
from tests.compat.support import row, run
from tests.copilot.gates import (
    DAMAGED,
    EARLY,
    EVERYTHING,
    LINE,
    NOTHING,
    RULES,
    TIMEOUT_ALONE,
    gate,
)

SYSTEMS = ("linux", "darwin", "win32")


@pytest.fixture(autouse=True)
def _on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contracts, "machine_name", lambda system: f"{system}-x64")


def on(version: str | None, found: Gate, system: str = "linux") -> CopilotContract:
    return CopilotContract.for_version(version, system, gate=found)


def without(values: Mapping[str, Value], **changes: Value) -> Mapping[str, Value]:
    return {**values, **{name.replace("__", "."): value for name, value in changes.items()}}


# --- the rules and the adapter know the same actions ---


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_decision_has_a_rule_whose_safe_action_is_the_adapters(system: str) -> None:
    decided = {one.decides: one for one in on(None, NOTHING, system).decisions}
    for decides, one in decided.items():
        rule = RULES[one.claim].rule(decides, system)
        assert rule is not None
        assert one.action == rule.unknown == safe_action(decides, system)
    assert set(decided) | {"register-camel-events", "answer-camel-context"} == set(ACTIONS)


def test_every_action_of_a_rule_is_one_that_the_adapter_knows_and_no_rule_is_idle() -> None:
    named = set()
    for claim in RULES.values():
        for rule in claim.rules:
            named.add(rule.decides)
            told = {*(option.action for option in rule.options), rule.otherwise, rule.unknown}
            known = {"calm", "warn"} if rule.decides in DOUBTS else set(ACTIONS[rule.decides])
            assert told <= known, rule.decides
    assert named == set(ACTIONS) | set(DOUBTS)


def test_the_derived_rules_are_those_of_the_claims() -> None:
    folder = data_folder()
    assert isinstance(folder, Path)
    claims = load_catalogue(folder).claims
    assert dict(RULES) == {name: claim for name, claim in claims.items() if claim.rules}


# --- unknown is safe ---

_VALUES = {
    "hooks.file.home_dir": st.sampled_from(["yes", "no"]),
    "hooks.names.pascal": st.dictionaries(
        st.sampled_from(["SessionStart", "Stop"]), st.sampled_from(["yes", "no"]), min_size=1
    ),
    "hooks.names.camel": st.dictionaries(
        st.sampled_from(["sessionStart", "agentStop"]), st.sampled_from(["yes", "no"]), min_size=1
    ),
    "hooks.timeout.key": st.dictionaries(
        st.sampled_from(["timeout", "timeoutSec"]),
        st.sampled_from(["honoured", "ignored"]),
        min_size=1,
    ),
    "hooks.context.session_start": st.dictionaries(
        st.sampled_from(["pascal.top", "pascal.nested", "camel.top", "camel.nested"]),
        st.sampled_from(["yes", "no"]),
        min_size=1,
    ),
    "mcp.type": st.dictionaries(
        st.sampled_from(["stdio", "local", "missing"]), st.sampled_from(["yes", "no"]), min_size=1
    ),
}
_RELEASE = st.fixed_dictionaries({}, optional=_VALUES)
_MATRICES = st.dictionaries(st.sampled_from(LINE.versions), _RELEASE).map(
    lambda found: Gate(
        RULES,
        build_matrix(
            PROGRAM,
            LINE,
            [
                run(version, [row(value, claim) for claim, value in values.items()])
                for version, values in found.items()
            ],
        ),
    )
)
_COPILOTS = st.lists(st.sampled_from([*LINE.versions, "9.9.9", None]), max_size=3)


@settings(deadline=None, max_examples=300)
@given(_MATRICES, _COPILOTS, st.sampled_from(SYSTEMS))
def test_what_is_unknown_never_gives_an_action_that_is_not_safe(found, versions, system) -> None:
    asked = [Asked(version) for version in versions]
    made = CopilotContract.for_copilots(asked, system, gate=found)
    by_name = {one.decides: one for one in made.decisions}
    for one in made.decisions:
        if one.is_known:
            assert one.evidence
            assert one.basis is not Basis.NONE
        elif one.decides == "register-events" and one.action == "camel":
            # Known not to be right for one of several; known that the other spelling is for all.
            assert by_name["register-camel-events"].is_known
            each = (CopilotContract.for_copilots([a], system, gate=found) for a in asked)
            assert any(not one.hooks or one.spelling == "camel" for one in each)
        else:
            assert one.action == safe_action(one.decides, system)
            assert one.what_to_do
    assert dict(made.record) == {one.decides: one.action for one in made.decisions}


@pytest.mark.parametrize(
    ("version", "found", "code"),
    [
        (None, gate(v1_0_1=EVERYTHING), Code.NO_VERSION),
        ("9.9.9", gate(v1_0_1=EVERYTHING), Code.UNLISTED),
        ("1.0.0", gate(v1_0_1=EVERYTHING), Code.BEFORE_THE_FIRST),
        ("1.0.1", NOTHING, Code.NO_ROWS),
        ("1.0.1", DAMAGED, Code.UNREADABLE),
        ("1.0.1", Gate({}, UnreadableMatrix("no rules")), Code.UNREADABLE),
    ],
)
def test_without_an_answer_everything_is_safe_and_says_why(version, found, code) -> None:
    made = on(version, found)
    assert {one.code for one in made.decisions} == {code}
    assert made.actions == CopilotContract.recorded({}, None, "linux").actions
    assert all(one.what_to_do for one in made.decisions)
    assert (made.events, made.timeout_key) == (("SessionStart", "Stop"), "timeoutSec")
    assert (made.hooks, made.entry, made.block) == (True, True, True)


# --- what differs ---


def test_what_is_known_of_a_release_is_done_there() -> None:
    made = on("1.0.1", gate(v1_0_1=EVERYTHING))
    assert {one.code for one in made.decisions} == {Code.KNOWN}
    assert made.actions["rely-on-hooks"] == "rely"
    assert made.actions["read-transcript"] == "at-once"


def test_a_release_that_refuses_one_spelling_gets_the_other() -> None:
    made = on("1.0.1", gate(v1_0_1=EARLY))
    assert made.events == ("sessionStart", "agentStop")
    assert {one.decides for one in made.decisions} >= {
        "register-camel-events",
        "answer-camel-context",
    }


def test_a_release_that_knows_neither_gets_no_hooks() -> None:
    camel = {"sessionStart": "no", "agentStop": "no"}
    assert not on("1.0.1", gate(v1_0_1=without(EARLY, hooks__names__camel=camel))).hooks


def test_a_spelling_of_which_half_is_refused_is_refused() -> None:
    pascal = {"SessionStart": "yes", "Stop": "no"}
    made = on("1.0.1", gate(v1_0_1=without(EVERYTHING, hooks__names__pascal=pascal)))
    assert made.spelling == "camel"


def test_a_release_of_both_kinds_in_one_home_gets_the_spelling_that_both_take() -> None:
    found = gate(v1_0_0=EARLY, v1_0_1=EVERYTHING)
    asked = [Asked("1.0.0"), Asked("1.0.1")]
    made = CopilotContract.for_copilots(asked, "linux", gate=found)
    assert made.events == ("sessionStart", "agentStop")
    assert made.version == "1.0.0"
    doubtful = CopilotContract.for_copilots([*asked, Asked("1.0.2")], "linux", gate=found)
    assert doubtful.events == ("sessionStart", "agentStop")
    undecided = CopilotContract.for_copilots([*asked, Asked(None)], "linux", gate=found)
    assert undecided.events == ("SessionStart", "Stop")


@pytest.mark.parametrize(
    ("changes", "shape", "given"),
    [
        ({"pascal.top": "no", "pascal.nested": "yes"}, "nested", "nested"),
        ({"pascal.top": "no", "pascal.nested": "no"}, "none", "top-level"),
        ({"pascal.top": "no"}, "top-level", "top-level"),
        ({"pascal.nested": "yes"}, "nested", "nested"),
    ],
)
def test_the_answer_has_the_shape_that_reaches_the_model(changes, shape, given) -> None:
    found = gate(v1_0_1=without(EVERYTHING, hooks__context__session_start=changes))
    made = on("1.0.1", found)
    assert (made.context_shape, made.session_start_shape) == (shape, given)


@pytest.mark.parametrize(
    ("claim", "value", "left"),
    [
        ("hooks.file.home_dir", "no", (False, True, True)),
        ("hooks.exec.keys", {"bash": "no", "command": "no"}, (False, True, True)),
        ("mcp.file.home", "no", (True, False, True)),
        ("mcp.type", {"stdio": "no", "local": "no", "missing": "no"}, (True, False, True)),
        ("mcp.tools", {"star": "none", "missing": "none", "exact": "none"}, (True, False, True)),
        ("instructions.home", "no", (True, True, False)),
    ],
)
def test_what_a_release_is_known_not_to_use_is_not_written(claim, value, left) -> None:
    made = on("1.0.1", gate(v1_0_1={**EVERYTHING, claim: value}))
    assert (made.hooks, made.entry, made.block) == left


@pytest.mark.parametrize(
    ("claim", "value", "decides", "action"),
    [
        ("mcp.type", {"stdio": "no", "local": "yes"}, "set-entry-type", "local"),
        ("mcp.type", {"stdio": "no", "local": "no", "missing": "yes"}, "set-entry-type", "omit"),
        ("mcp.tools", {"star": "none", "missing": "all"}, "offer-tools", "omit"),
        (
            "mcp.tools",
            {"star": "none", "missing": "none", "exact": "named"},
            "offer-tools",
            "name-each",
        ),
        ("hooks.timeout.key", TIMEOUT_ALONE, "set-time-limit", "timeout"),
        ("hooks.exec.keys", {"bash": "no", "command": "yes"}, "set-command", "command"),
    ],
)  # fmt: skip
def test_the_next_best_that_works_is_taken(claim, value, decides, action) -> None:
    assert on("1.0.1", gate(v1_0_1={**EVERYTHING, claim: value})).actions[decides] == action


def test_what_was_seen_of_this_executable_wins_over_the_matrix() -> None:
    local = run("1.0.1", [row("no", "hooks.file.home_dir")], executable="sha256:mine")
    found = gate(v1_0_1=EVERYTHING)
    seen = Asked("1.0.1", Local("sha256:mine", (local,)))
    other = Asked("1.0.1", Local("sha256:theirs", (local,)))
    assert not CopilotContract.for_copilots([seen], "linux", gate=found).hooks
    assert CopilotContract.for_copilots([other], "linux", gate=found).hooks
    (made, *_) = CopilotContract.for_copilots([seen], "linux", gate=found).decisions
    assert (made.basis, made.action) == (Basis.LOCAL, "none")


# --- what others' files do ---


def test_doctor_is_calm_only_where_no_harm_is_known() -> None:
    found = gate(v1_0_1={"hooks.context.several": "all"}, v1_0_2={"hooks.context.several": "last"})
    for versions, action in (
        (["1.0.1"], "calm"),
        (["1.0.2"], "warn"),
        (["1.0.1", "1.0.2"], "warn"),
        (["1.0.1", None], "warn"),
        ([], "warn"),
    ):
        asked = [Asked(version) for version in versions]
        assert doubt("warn-of-other-contexts", asked, "linux", gate=found).action == action


# --- what a receipt tells ---


@given(
    st.dictionaries(
        st.sampled_from([*ACTIONS, "hooks.file.home_dir", "from-a-newer-imprint"]),
        st.sampled_from(["none", "camel", "local", "timeout", "something-new", ""]),
    ),
    st.sampled_from(SYSTEMS),
)
def test_a_record_of_any_imprint_gives_a_contract_of_known_actions(actions, system) -> None:
    made = CopilotContract.recorded(actions, "1.0.1", system)
    assert set(made.actions) == set(ACTIONS)
    for name, action in made.actions.items():
        assert action in ACTIONS[name]
        assert action in {actions.get(name), safe_action(name, system)}


def test_what_was_recorded_is_what_was_made() -> None:
    for found in (gate(v1_0_1=EVERYTHING), gate(v1_0_1=EARLY), NOTHING):
        made = on("1.0.1", found)
        again = CopilotContract.recorded(made.record, "1.0.1", "linux")
        assert again.actions == made.actions
        assert drifts(again, made) == ()


# --- drift ---


def test_an_upgrade_that_wants_something_else_is_a_drift() -> None:
    found = gate(v1_0_0=EARLY, v1_0_1=EVERYTHING)
    installed = CopilotContract.recorded(on("1.0.0", found).record, "1.0.0", "linux")
    (drift,) = drifts(installed, on("1.0.1", found))
    assert drift.decides == "register-events"
    assert str(drift) == (
        "register-events: sessionStart, agentStop is installed, SessionStart, Stop is right today"
    )


def test_an_upgrade_to_an_unknown_release_falls_back_on_what_is_safe() -> None:
    found = gate(v1_0_0=EARLY)
    installed = CopilotContract.recorded(on("1.0.0", found).record, "1.0.0", "linux")
    assert [one.decides for one in drifts(installed, on("9.9.9", found))] == ["register-events"]


@pytest.mark.parametrize("today", [on(None, NOTHING), on("1.0.1", DAMAGED)])
def test_a_version_that_is_not_known_just_now_is_no_drift(today: CopilotContract) -> None:
    found = gate(v1_0_1=EARLY)
    assert drifts(CopilotContract.recorded(on("1.0.1", found).record, "1", "linux"), today) == ()


def test_what_is_only_relied_on_is_no_drift() -> None:
    installed = CopilotContract.recorded({}, None, "linux")
    assert drifts(installed, on("1.0.1", gate(v1_0_1=EVERYTHING))) == ()
    tables = {"pascal.top": "no", "pascal.nested": "no"}
    none = gate(v1_0_1=without(EVERYTHING, hooks__context__session_start=tables))
    assert drifts(installed, on("1.0.1", none)) == ()


def test_the_shipped_gate_decides_for_the_newest_release_it_knows() -> None:
    matrix = contracts.shipped_gate().matrix
    assert isinstance(matrix, Matrix)
    made = CopilotContract.for_version(matrix.releases[-1], "linux")
    known = {one.decides for one in made.decisions if one.is_known}
    assert known >= {"write-hooks-file", "register-events", "set-time-limit", "write-entry"}
