"""From observations to spans: each rule of inference."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.compat import Basis, Reason, answer
from imprint.compat.answers import Answer
from imprint.compat.inference import build_matrix
from imprint.compat.matrix import Matrix
from imprint.compat.values import Value
from imprint.compat.versions import Line
from tests.compat.support import CLAIM, LINUX, PROGRAM, TABLE, matrix, row, run, runs, unjudged

LINE = Line(tuple(f"1.0.{number}" for number in range(12)))

_REASONS = (Reason.MIXED, Reason.INCONCLUSIVE, Reason.BLOCKED)
_ASKED = st.dictionaries(
    st.sampled_from(LINE.versions), st.sampled_from(["yes", "no", "maybe", *_REASONS])
)
_quick = settings(deadline=None, max_examples=200)

Asked = Mapping[str, Value | Reason]


def at(found: Matrix, version: str) -> Answer:
    return answer(CLAIM, "", version, LINUX, found)


def known(found: Matrix) -> dict[str, Value | None]:
    return {version: at(found, version).value for version in LINE.versions}


def nearest(asked: Asked, versions: tuple[str, ...]) -> Value | Reason | None:
    """What the nearest release of these said that was asked at all."""
    return next((asked[version] for version in versions if version in asked), None)


@_quick
@given(_ASKED)
def test_every_release_gets_what_the_rules_say_and_nothing_else(asked: Asked) -> None:
    found = matrix(LINE, asked)
    for place, version in enumerate(LINE.versions):
        own = asked.get(version)
        older = nearest(asked, LINE.versions[:place][::-1])
        newer = nearest(asked, LINE.versions[place + 1 :])
        got = at(found, version)
        if own is not None:
            expected = (None, Basis.NONE) if isinstance(own, Reason) else (own, Basis.OBSERVED)
        elif older is None or isinstance(older, Reason):
            expected = (None, Basis.NONE)
        elif newer is None:
            expected = (older, Basis.PROJECTED)
        elif newer == older:
            expected = (older, Basis.BRACKETED)
        else:
            expected = (None, Basis.NONE)
        assert (got.value, got.basis) == expected
        assert (got.reason is None) is got.is_known


@_quick
@given(_ASKED)
def test_an_unknown_is_never_a_value_and_always_has_a_reason(asked: Asked) -> None:
    found = matrix(LINE, asked)
    for version in LINE.versions:
        got = at(found, version)
        if not got.is_known:
            assert got.reason is not None
            assert got.basis is Basis.NONE
            assert got.tier is None
            assert got.observed_in == ()


@_quick
@given(_ASKED)
def test_nothing_is_carried_backward(asked: Asked) -> None:
    answered = [
        one for one in LINE.versions if not isinstance(asked.get(one, Reason.NO_ROWS), Reason)
    ]
    before = LINE.versions[: LINE.place(answered[0])] if answered else LINE.versions
    found = matrix(LINE, asked)
    assert all(not at(found, version).is_known for version in before)


@_quick
@given(_ASKED, st.sampled_from(LINE.versions), st.sampled_from(["yes", "no", *_REASONS]))
def test_one_more_observation_never_changes_an_observed_answer_elsewhere(
    asked: Asked, version: str, value: Value | Reason
) -> None:
    before, after = matrix(LINE, asked), matrix(LINE, {**asked, version: value})
    for other in LINE.versions:
        if other != version and at(before, other).basis is Basis.OBSERVED:
            assert at(after, other) == at(before, other)


@_quick
@given(_ASKED)
def test_an_answer_names_the_observations_that_it_rests_on(asked: Asked) -> None:
    found = matrix(LINE, asked)
    for version in LINE.versions:
        got = at(found, version)
        assert all(asked[seen] == got.value for seen in got.observed_in)
        assert bool(got.observed_in) is got.is_known
        match got.basis:
            case Basis.OBSERVED:
                assert got.observed_in == (version,)
            case Basis.BRACKETED:
                older, newer = got.observed_in
                assert LINE.place(older) < LINE.place(version) < LINE.place(newer)
            case Basis.PROJECTED:
                (older,) = got.observed_in
                assert LINE.place(older) < LINE.place(version)


@_quick
@given(_ASKED)
def test_spans_are_in_order_and_do_not_overlap(asked: Asked) -> None:
    for platforms in matrix(LINE, asked).questions.values():
        last = -1
        for span in platforms[LINUX].spans:
            assert last < LINE.place(span.first) <= LINE.place(span.last)
            last = LINE.place(span.last)


@_quick
@given(_ASKED)
def test_an_end_is_closed_only_by_a_neighbour_seen_to_answer_otherwise(asked: Asked) -> None:
    for platforms in matrix(LINE, asked).questions.values():
        for span in platforms[LINUX].spans:
            ends = (
                (span.from_open, LINE.before(span.first)),
                (span.to_open, LINE.after(span.last)),
            )
            for is_open, neighbour in ends:
                seen = asked.get(neighbour, Reason.NO_ROWS) if neighbour else Reason.NO_ROWS
                closed = not isinstance(seen, Reason) and seen != span.value
                assert is_open is not closed or span.basis is Basis.PROJECTED


@_quick
@given(_ASKED, st.randoms(use_true_random=False))
def test_the_order_in_which_runs_are_read_does_not_matter(asked: Asked, chance) -> None:
    files = runs(asked)
    chance.shuffle(files)
    assert build_matrix(PROGRAM, LINE, files) == matrix(LINE, asked)


def test_yes_no_yes_gives_three_spans() -> None:
    found = matrix(LINE, {"1.0.2": "yes", "1.0.3": "yes", "1.0.5": "no", "1.0.8": "yes"})
    spans = found.questions[CLAIM.id][LINUX].spans
    assert [(one.first, one.last, one.value, one.basis) for one in spans] == [
        ("1.0.2", "1.0.3", "yes", Basis.OBSERVED),
        ("1.0.5", "1.0.5", "no", Basis.OBSERVED),
        ("1.0.8", "1.0.8", "yes", Basis.OBSERVED),
        ("1.0.9", "1.0.11", "yes", Basis.PROJECTED),
    ]


def test_ends_are_closed_once_the_neighbours_were_run() -> None:
    found = matrix(LINE, {"1.0.4": "yes", "1.0.5": "no", "1.0.6": "yes"})
    middle = found.questions[CLAIM.id][LINUX].spans[1]
    assert (middle.from_open, middle.to_open) == (False, False)


def test_releases_between_two_that_differ_are_in_doubt() -> None:
    found = matrix(LINE, {"1.0.4": "yes", "1.0.6": "no"})
    assert at(found, "1.0.5").reason is Reason.IN_DOUBT
    assert at(found, "1.0.3").reason is Reason.BEFORE_THE_FIRST


def test_a_release_that_could_not_be_judged_cuts_a_bracket() -> None:
    found = matrix(LINE, {"1.0.2": "yes", "1.0.4": Reason.MIXED, "1.0.6": "yes"})
    assert at(found, "1.0.4").reason is Reason.MIXED
    assert at(found, "1.0.3").reason is Reason.IN_DOUBT


def test_nothing_is_projected_past_a_release_that_could_not_be_judged() -> None:
    found = matrix(LINE, {"1.0.2": "yes", "1.0.4": Reason.BLOCKED})
    assert at(found, "1.0.3").reason is Reason.IN_DOUBT
    assert at(found, "1.0.11").reason is Reason.IN_DOUBT


def test_a_run_in_which_the_program_changed_counts_for_nothing() -> None:
    updated = run("1.0.3", [row("yes")], executable_after="sha256:bb")
    another = run("1.0.3", [row("yes")], reported_version="1.0.4")
    assert known(build_matrix(PROGRAM, LINE, [updated, another])) == dict.fromkeys(LINE.versions)


def test_an_entry_that_flips_is_mixed_and_the_others_are_not() -> None:
    value = {"a": "yes", "b": "no"}
    flips = row(value, TABLE.id, attempts=(value, {"a": "yes", "b": "yes"}))
    found = build_matrix(PROGRAM, LINE, [run("1.0.3", [flips])])
    assert answer(TABLE, "a", "1.0.3", LINUX, found).value == "yes"
    assert answer(TABLE, "b", "1.0.3", LINUX, found).reason is Reason.MIXED
    assert answer(TABLE, "c", "1.0.3", LINUX, found).reason is Reason.NO_ROWS


def test_a_table_that_could_not_be_judged_leaves_every_entry_unknown() -> None:
    files = [
        run("1.0.3", [row({"a": "yes"}, TABLE.id)]),
        run("1.0.4", [unjudged(Reason.BLOCKED, TABLE.id)]),
    ]
    found = build_matrix(PROGRAM, LINE, files)
    assert answer(TABLE, "a", "1.0.4", LINUX, found).reason is Reason.BLOCKED
    assert answer(TABLE, "c", "1.0.4", LINUX, found).reason is Reason.BLOCKED
    assert answer(TABLE, "a", "1.0.5", LINUX, found).reason is Reason.IN_DOUBT
