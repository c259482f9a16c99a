"""The gate: what the adapter does on an answer, and on none."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.compat import (
    Asked,
    Basis,
    Code,
    Local,
    Reason,
    UnreadableMatrix,
    answer,
    decide_for,
)
from imprint.compat.claim import Option, Rule
from imprint.compat.decide import decide
from imprint.compat.errors import UnknownClaim
from imprint.compat.inference import build_matrix
from imprint.compat.versions import Line
from tests.compat.support import CLAIM, LINUX, PROGRAM, TABLE, WINDOWS, matrix, row, run, runs

LINE = Line(("1.0.0", "1.0.1-2", "1.0.1", "1.0.2", "1.0.3"))
ANYWHERE = msgspec.structs.replace(CLAIM, platform_independent=True)
_ASKED = st.dictionaries(
    st.sampled_from(LINE.versions),
    st.sampled_from(["yes", "no", "maybe", Reason.MIXED, Reason.INCONCLUSIVE, Reason.BLOCKED]),
)
_quick = settings(deadline=None, max_examples=150)


@_quick
@given(_ASKED, st.sampled_from(LINE.versions))
def test_the_action_follows_the_answer_and_the_safe_one_follows_none(asked, version) -> None:
    found = matrix(LINE, asked)
    got = decide(CLAIM, version, LINUX, found)
    value = answer(CLAIM, "", version, LINUX, found).value
    actions = {"yes": "do", "maybe": "try", "no": "leave", None: "be-careful"}
    assert got.action == actions[value]
    assert got.is_known is (value is not None)
    assert (got.basis is Basis.NONE) is not got.is_known


@_quick
@given(_ASKED, st.sampled_from([*LINE.versions, "1.0.99", "nonsense", "", None]))
def test_a_refusal_always_says_why_and_what_to_do(asked, version) -> None:
    got = decide(CLAIM, version, LINUX, matrix(LINE, asked))
    if not got.is_known:
        assert got.code.value in {reason.value for reason in Reason}
        assert got.evidence
        assert "nothing is lost" in got.what_to_do
        assert Reason(got.code.value).meaning in got.what_to_do


@pytest.mark.parametrize(
    ("asked", "version", "code"),
    [
        ({}, "1.0.1", Code.NO_ROWS),
        ({"1.0.1": "yes"}, "1.0.99", Code.UNLISTED),
        ({"1.0.1": "yes"}, "nonsense", Code.UNLISTED),
        ({"1.0.1": "yes"}, None, Code.NO_VERSION),
        ({"1.0.1": Reason.MIXED}, "1.0.1", Code.MIXED),
        ({"1.0.1": Reason.INCONCLUSIVE}, "1.0.1", Code.INCONCLUSIVE),
        ({"1.0.1": Reason.BLOCKED}, "1.0.1", Code.BLOCKED),
        ({"1.0.1": "yes"}, "1.0.1-2", Code.BEFORE_THE_FIRST),
        ({"1.0.1": "yes", "1.0.3": "no"}, "1.0.2", Code.IN_DOUBT),
    ],
)
def test_every_refusal_has_its_own_code(asked, version, code) -> None:
    got = decide(CLAIM, version, LINUX, matrix(LINE, asked))
    assert (got.code, got.action) == (code, "be-careful")


def test_reasons_and_codes_are_the_same_but_for_the_answer() -> None:
    of_several = {"known", "copilots-disagree"}
    assert {code.value for code in Code} == {reason.value for reason in Reason} | of_several


def test_a_matrix_that_cannot_be_read_makes_everything_unknown() -> None:
    got = decide(CLAIM, "1.0.1", LINUX, UnreadableMatrix("damaged"))
    assert (got.code, got.action) == (Code.UNREADABLE, "be-careful")


def test_a_projected_answer_acts_like_an_observed_one_and_says_so() -> None:
    found = matrix(LINE, {"1.0.1": "yes"})
    observed, projected = (decide(CLAIM, one, LINUX, found) for one in ("1.0.1", "1.0.3"))
    assert projected.action == observed.action == "do"
    assert (observed.basis, observed.what_to_do) == (Basis.OBSERVED, "")
    assert projected.basis is Basis.PROJECTED
    assert "projected from an older release" in projected.what_to_do


# --- tables ---


def _table(values) -> object:
    return build_matrix(PROGRAM, LINE, [run("1.0.1", [row(values, TABLE.id)])])


@pytest.mark.parametrize(
    ("values", "action", "known"),
    [
        ({"a": "yes", "b": "yes"}, "both", True),
        ({"a": "yes", "b": "no", "c": "yes"}, "third", True),
        ({"a": "no", "c": "no"}, "none", True),
        ({"a": "yes", "c": "no"}, "be-careful", False),
        ({"c": "yes"}, "third", True),
        ({"a": "no"}, "be-careful", False),
    ],
)
def test_the_first_option_known_to_hold_wins_and_a_doubt_is_no_no(values, action, known) -> None:
    got = decide(TABLE, "1.0.1", LINUX, _table(values))
    assert (got.action, got.is_known) == (action, known)


def test_a_decision_is_as_weak_as_the_weakest_answer_it_needs() -> None:
    files = [
        run("1.0.0", [row({"a": "yes", "b": "yes"}, TABLE.id)]),
        run("1.0.1", [row({"a": "yes"}, TABLE.id)]),
    ]
    got = decide(TABLE, "1.0.1", LINUX, build_matrix(PROGRAM, LINE, files))
    assert (got.action, got.basis) == ("both", Basis.PROJECTED)
    assert [one.basis for one in got.evidence] == [Basis.OBSERVED, Basis.PROJECTED]


def test_a_rule_is_chosen_by_name_and_system() -> None:
    def rule(action: str, *systems: str) -> Rule:
        return Rule("run", (Option(action, ("yes",)),), "none", "safe", "so", systems)

    claim = msgspec.structs.replace(
        CLAIM, rules=(rule("sh", "linux", "darwin"), rule("ps", "win32"))
    )
    found = build_matrix(PROGRAM, LINE, [*runs({"1.0.1": "yes"}), *runs({"1.0.1": "yes"}, WINDOWS)])
    assert decide(claim, "1.0.1", LINUX, found, decides="run").action == "sh"
    assert decide(claim, "1.0.1", WINDOWS, found).action == "ps"
    assert decide(claim, "1.0.1", "linuxmusl-x64", found).action == "safe"
    with pytest.raises(UnknownClaim):
        decide(claim, "1.0.1", LINUX, found, decides="something else")


# --- several Copilots ---


@_quick
@given(_ASKED, st.lists(st.sampled_from([*LINE.versions, "1.0.99", None]), max_size=4))
def test_of_several_copilots_only_what_is_known_right_for_each_is_done(asked, versions) -> None:
    found = matrix(LINE, asked)
    got = decide_for(CLAIM, [Asked(one) for one in versions], LINUX, found)
    values = {answer(CLAIM, "", one, LINUX, found).value for one in versions or [None]}
    actions = {"yes": "do", "maybe": "try", "no": "leave"}
    right = actions.get(values.pop()) if len(values) == 1 else None
    assert got.action == (right or "be-careful")
    assert got.is_known is (right is not None)
    assert (got.basis is Basis.NONE) is not got.is_known


@_quick
@given(_ASKED, st.sampled_from([*LINE.versions, "1.0.99", None]), st.integers(1, 3))
def test_the_same_copilot_several_times_is_that_copilot(asked, version, times) -> None:
    found = matrix(LINE, asked)
    assert decide_for(CLAIM, [Asked(version)] * times, LINUX, found) == (
        decide(CLAIM, version, LINUX, found)
    )


def test_what_is_known_to_be_right_for_one_and_wrong_for_another_is_not_done() -> None:
    found = matrix(LINE, {"1.0.1": "yes", "1.0.3": "no"})
    got = decide_for(CLAIM, [Asked("1.0.1"), Asked("1.0.3")], LINUX, found)
    assert (got.code, got.action) == (Code.COPILOTS_DISAGREE, "be-careful")
    assert {one.version: one.value for one in got.evidence} == {"1.0.1": "yes", "1.0.3": "no"}
    assert "nothing is lost" in got.what_to_do


def test_where_one_of_several_is_unknown_that_is_the_reason_and_no_disagreement() -> None:
    found = matrix(LINE, {"1.0.1": "no"})
    got = decide_for(CLAIM, [Asked("1.0.1"), Asked(None)], LINUX, found)
    assert (got.code, got.action) == (Code.NO_VERSION, "be-careful")


def test_a_later_option_that_is_right_for_all_is_taken_before_the_safe_action() -> None:
    files = [
        run("1.0.0", [row({"a": "yes", "b": "yes", "c": "yes"}, TABLE.id)]),
        run("1.0.1", [row({"a": "no", "b": "no", "c": "yes"}, TABLE.id)]),
    ]
    found = build_matrix(PROGRAM, LINE, files)
    got = decide_for(TABLE, [Asked("1.0.0"), Asked("1.0.1")], LINUX, found)
    assert (got.action, got.code) == ("third", Code.KNOWN)
    assert [one.version for one in got.evidence] == ["1.0.0", "1.0.1"]


# --- platforms ---


@_quick
@given(_ASKED, _ASKED, st.sampled_from(LINE.versions))
def test_another_platform_helps_only_where_the_claim_is_the_same_on_all(own, other, version):
    found = build_matrix(PROGRAM, LINE, [*runs(own, LINUX), *runs(other, WINDOWS)])
    here = answer(CLAIM, "", version, LINUX, found)
    assert here == answer(CLAIM, "", version, LINUX, matrix(LINE, own))
    got = answer(ANYWHERE, "", version, LINUX, found)
    there = answer(CLAIM, "", version, WINDOWS, found)
    if here.is_known or isinstance(own.get(version), Reason) or not there.is_known:
        assert got == here
    else:
        assert (got.value, got.basis, got.on) == (there.value, Basis.OTHER_PLATFORM, WINDOWS)


def test_platforms_that_disagree_answer_nothing_for_a_third() -> None:
    found = build_matrix(PROGRAM, LINE, [*runs({"1.0.1": "yes"}), *runs({"1.0.1": "no"}, WINDOWS)])
    assert decide(ANYWHERE, "1.0.1", "darwin-arm64", found).code is Code.PLATFORMS_DISAGREE


def test_other_platform_is_weaker_than_projected() -> None:
    assert Basis.OTHER_PLATFORM.rank > Basis.PROJECTED.rank > Basis.BRACKETED.rank
    assert Basis.BRACKETED.rank > Basis.OBSERVED.rank > Basis.LOCAL.rank


# --- local observations ---


@_quick
@given(_ASKED, st.sampled_from(["yes", "no", "maybe"]))
def test_a_local_observation_wins_for_its_executable_and_no_other(asked, value) -> None:
    found = matrix(LINE, asked)
    seen = (run("1.0.2", [row(value)], executable="sha256:mine"),)
    mine = answer(CLAIM, "", "1.0.2", LINUX, found, Local("sha256:mine", seen))
    assert (mine.value, mine.basis) == (value, Basis.LOCAL)
    for local in (Local("sha256:another", seen), Local("sha256:mine"), None):
        other = answer(CLAIM, "", "1.0.2", LINUX, found, local)
        assert other == answer(CLAIM, "", "1.0.2", LINUX, found)


def test_a_local_observation_serves_a_release_that_is_not_listed() -> None:
    seen = Local("sha256:mine", (run("1.0.99", [row("yes")], executable="sha256:mine"),))
    for version in ("1.0.99", None):
        got = decide(CLAIM, version, LINUX, UnreadableMatrix("missing"), seen)
        assert (got.action, got.basis) == ("do", Basis.LOCAL)


def test_the_newest_local_run_counts_and_a_flipping_one_is_a_doubt() -> None:
    old = run("1.0.2", [row("no")], ended_at="2026-01-01T00:00:00Z")
    new = run("1.0.2", [row("yes")], ended_at="2026-01-02T00:00:00Z")
    mixed = run("1.0.2", [row("yes", attempts=("yes", "no"))], ended_at="2026-01-03T00:00:00Z")
    found = matrix(LINE, {"1.0.2": "no"})
    for order in ((old, new), (new, old)):
        assert decide(CLAIM, "1.0.2", LINUX, found, Local("sha256:aa", order)).action == "do"
    doubt = decide(CLAIM, "1.0.2", LINUX, found, Local("sha256:aa", (old, new, mixed)))
    assert (doubt.action, doubt.code) == ("be-careful", Code.MIXED)


def test_a_local_run_that_updated_itself_counts_for_nothing() -> None:
    void = run("1.0.2", [row("yes")], executable_after="sha256:bb")
    found = matrix(LINE, {"1.0.2": "no"})
    assert decide(CLAIM, "1.0.2", LINUX, found, Local("sha256:aa", (void,))).action == "leave"
