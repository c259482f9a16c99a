"""The catalogue as it is shipped, and what it refuses."""

import re
from pathlib import Path

import msgspec
import pytest

from imprint.compat import (
    Claim,
    Code,
    Evidence,
    Kind,
    Outcome,
    Tier,
    UnreadableMatrix,
    load_catalogue,
    shipped_matrix,
)
from imprint.compat.catalogue import Catalogue, catalogue, objections
from imprint.compat.claim import ClaimFile, Option, Rule, Statement
from imprint.compat.decide import decide
from imprint.compat.errors import DataInvalid, UnknownClaim
from imprint.compat.values import Question
from tests.compat.support import CLAIM, TABLE, row, run

PLATFORMS = ("linux-x64", "linuxmusl-arm64", "darwin-arm64", "win32-x64")


@pytest.fixture(scope="session")
def shipped(data: Path) -> Catalogue:
    return load_catalogue(data)


def test_no_id_that_was_ever_given_is_taken_back(shipped: Catalogue) -> None:
    given = (Path(__file__).parent / "ids.txt").read_text(encoding="utf-8").split()
    assert set(given) == set(shipped.claims), "a new id goes into ids.txt, an old one stays"


def test_every_claim_asks_a_question_and_says_who_can_answer_it(shipped: Catalogue) -> None:
    for claim in shipped.claims.values():
        assert claim.sentence.rstrip().endswith(("?", ")?")), claim.id
        assert claim.area in shipped.titles
        assert claim.tiers
        assert (Tier.ACCOUNT in claim.tiers) is bool(claim.blocked)


def test_what_nothing_here_can_answer_says_why(shipped: Catalogue) -> None:
    blocked = [claim for claim in shipped.claims.values() if claim.blocked]
    assert [claim.id for claim in blocked] == ["account.login_in_config"]


def test_a_source_names_a_seed_document_and_its_section(shipped: Catalogue) -> None:
    seed = re.compile(r"ADR|AH §[1-9][0-9]?(\.[1-9])?|DC|DV")
    for claim in shipped.claims.values():
        stated = tuple(statement.source for statement in claim.statements)
        assert all(seed.fullmatch(source) for source in (*claim.sources, *stated)), claim.id


def test_seeds_that_contradict_each_other_are_both_put_on_trial(shipped: Catalogue) -> None:
    said: dict[tuple[str, str], set[str]] = {}
    for claim in shipped.claims.values():
        for one in claim.statements:
            said.setdefault((claim.id, one.entry), set()).add(one.says)
    disputed = {question for question, answers in said.items() if len(answers) > 1}
    assert disputed >= {
        ("hooks.exec.shell", ""),
        ("hooks.payload.stop_transcript", ""),
        ("hooks.context.session_start", "camel.nested"),
        ("state.folder_is_id", ""),
    }


def test_the_tiers_of_the_catalogue_are_worth_what_the_design_says() -> None:
    worth = {tier: tier.evidence for tier in Tier}
    assert worth[Tier.STATIC] is Evidence.STATIC
    assert worth[Tier.LOADER] is Evidence.LOADER
    assert worth[Tier.ACCOUNT] is Evidence.ACCOUNT
    live = {Tier.MODEL, Tier.TERMINAL, Tier.SDK, Tier.CONTAINER}
    assert {worth[tier] for tier in live} == {Evidence.LIVE_OFFLINE}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_without_observations_every_decision_is_the_safe_action_with_its_reason(
    shipped: Catalogue, platform: str
) -> None:
    system = "linux" if platform.startswith("linux") else platform.partition("-")[0]
    for claim in shipped.claims.values():
        for name in dict.fromkeys(rule.decides for rule in claim.rules):
            rule = claim.rule(name, system)
            assert rule is not None, f"{claim.id}: {name} is not decided on {system}"
            got = decide(claim, "1.0.80", platform, UnreadableMatrix("gone"), decides=name)
            assert (got.action, got.code) == (rule.unknown, Code.UNREADABLE)
            assert rule.why_safe in got.what_to_do


def test_a_safe_action_is_one_that_the_adapter_can_take_on_an_answer_too(
    shipped: Catalogue,
) -> None:
    for claim in shipped.claims.values():
        for rule in claim.rules:
            assert rule.unknown in {*(option.action for option in rule.options), rule.otherwise}


def test_the_shipped_matrix_can_be_read() -> None:
    assert not isinstance(shipped_matrix(), UnreadableMatrix)


# --- asking ---


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("hooks.names.pascal", Question("hooks.names.pascal")),
        ("hooks.names.pascal[Stop]", Question("hooks.names.pascal", "Stop")),
        ("mcp.repo_file[.mcp.json]", Question("mcp.repo_file", ".mcp.json")),
        ("skills.dirs[.any/skills]", Question("skills.dirs", ".any/skills")),
    ],
)
def test_a_question_is_spelled_as_an_id_with_an_entry(shipped, text, question) -> None:
    assert shipped.question(text) == question
    assert str(question) == text


@pytest.mark.parametrize(
    "text",
    [
        "nothing",
        "hooks.names.pascal[stop]",
        "hooks.file.home_dir[x]",
        "hooks.fires.tui[Stop]",
        "a[b",
        "",
        "x[]",
    ],
)
def test_a_question_that_is_none_is_refused(shipped: Catalogue, text: str) -> None:
    with pytest.raises(UnknownClaim):
        shipped.question(text)


# --- values ---

_NUMBER = msgspec.structs.replace(CLAIM, kind=Kind.NUMBER, values=(), rules=())
_LIST = msgspec.structs.replace(CLAIM, kind=Kind.LIST, values=("a", "b"), rules=())
_OPEN = msgspec.structs.replace(TABLE, keys=(), rules=())
_MIXED = msgspec.structs.replace(
    TABLE, numbers=("c",), entry_values={"b": ("always", "never")}, rules=()
)


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        (CLAIM, "yes"),
        (TABLE, {"a": "yes", "c": "no"}),
        (_OPEN, {"whatever": "yes"}),
        (_MIXED, {"a": "yes", "b": "never", "c": 20}),
        (_NUMBER, 11000),
        (_NUMBER, 0.5),
        (_LIST, ["b", "a"]),
        (_LIST, []),
    ],
)
def test_a_value_of_the_declared_kind_and_set_is_an_answer(claim: Claim, value) -> None:
    assert claim.objections(value) == ()


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        (CLAIM, "perhaps"),
        (CLAIM, 1),
        (CLAIM, ["yes"]),
        (CLAIM, {"a": "yes"}),
        (TABLE, "yes"),
        (TABLE, {}),
        (TABLE, {"d": "yes"}),
        (TABLE, {"a": "perhaps"}),
        (TABLE, {"a": 3}),
        (_MIXED, {"c": "20"}),
        (_MIXED, {"b": "yes"}),
        (_NUMBER, "11"),
        (_LIST, ["c"]),
        (_LIST, "a"),
    ],
)
def test_any_other_value_is_none(claim: Claim, value) -> None:
    assert claim.objections(value)


def test_a_run_may_not_claim_what_the_catalogue_does_not_ask() -> None:
    known = catalogue([ClaimFile("area", "Area", (CLAIM, TABLE))])
    assert objections(known, run("1.0.0", [row("yes"), row({"a": "no"}, TABLE.id)])) == ()
    blocked = row(None, outcome=Outcome.BLOCKED, reason="does not start")
    assert objections(known, run("1.0.0", [blocked])) == ()
    for rows in (
        [row("yes", "area.other")],
        [row("yes"), row("yes")],
        [row("perhaps")],
        [row("yes", attempts=("yes", "perhaps"))],
        [row(None)],
        [row("yes", controls=None)],
        [row("yes", evidence="sha256:short")],
        [row(None, outcome=Outcome.BLOCKED)],
        [row("yes", outcome=Outcome.INCONCLUSIVE, reason="so")],
    ):
        assert objections(known, run("1.0.0", rows))


# --- contradictions ---


def _rule(*options: Option) -> Rule:
    return Rule("x", options, "no", "safe", "so")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "Not A Name"},
        {"values": ("only",), "rules": ()},
        {"tiers": ()},
        {"numbers": ("a",)},
        {"rules": (_rule(),)},
        {"rules": (_rule(Option("do", ("perhaps",))),)},
        {"rules": (_rule(Option("do", ("yes",), ("entry",))),)},
        {"statements": (Statement("AH", "perhaps"),)},
    ],
)
def test_a_claim_that_contradicts_itself_is_refused(change) -> None:
    claim = msgspec.structs.replace(CLAIM, **change)
    with pytest.raises(DataInvalid):
        catalogue([ClaimFile("area", "Area", (claim,))])


def test_an_id_may_be_given_once() -> None:
    with pytest.raises(DataInvalid, match="twice"):
        catalogue([ClaimFile("area", "Area", (CLAIM, CLAIM))])
