"""Several attempts make one row: what flips or fails a control is no answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.compat import Controls, Evidence, Outcome, Reason
from imprint.compat.attempts import Attempt, row_of
from imprint.compat.observation import judge
from imprint.compat.values import Question
from tests.compat.support import GOOD

_TIER = Evidence.LIVE_OFFLINE
_TABLES = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["yes", "no"]), min_size=1)
_quick = settings(deadline=None, max_examples=150)


def observed(value, controls: Controls | None = GOOD) -> Attempt:
    return Attempt(Outcome.OBSERVED, controls, value, evidence="sha256:00")


@_quick
@given(st.lists(st.sampled_from(["yes", "no"]), min_size=1, max_size=4))
def test_a_value_that_flips_is_mixed_and_one_that_holds_is_an_answer(values: list[str]) -> None:
    row = row_of("a.b", _TIER, [observed(value) for value in values])
    stable = len(set(values)) == 1
    assert row.outcome is (Outcome.OBSERVED if stable else Outcome.INCONCLUSIVE)
    assert row.reason == ("" if stable else "mixed")
    assert judge(row) == {Question("a.b"): values[0] if stable else Reason.MIXED}


@_quick
@given(st.lists(_TABLES, min_size=1, max_size=4))
def test_of_a_table_only_the_entries_that_hold_are_answers(tables: list[dict[str, str]]) -> None:
    verdicts = judge(row_of("a.b", _TIER, [observed(table) for table in tables]))
    for name in {name for table in tables for name in table}:
        seen = {table.get(name) for table in tables}
        expected = tables[0][name] if len(seen) == 1 else Reason.MIXED
        assert verdicts[Question("a.b", name)] == expected


@_quick
@given(
    st.lists(st.sampled_from(["yes", "no"]), max_size=3),
    st.sampled_from(
        [
            observed("yes", Controls(positive=False, negative=True)),
            observed("yes", Controls(positive=True, negative=False)),
            observed("yes", None),
            observed(None),
            Attempt(Outcome.BLOCKED, reason="asks for login"),
            Attempt(Outcome.INCONCLUSIVE, GOOD, reason="timed out"),
        ]
    ),
    st.integers(0, 3),
)
def test_one_attempt_that_proves_nothing_leaves_the_row_without_an_answer(
    values: list[str], bad: Attempt, place: int
) -> None:
    attempts = [observed(value) for value in values]
    attempts.insert(place, bad)
    row = row_of("a.b", _TIER, attempts)
    assert row.outcome is not Outcome.OBSERVED
    assert row.value is None
    assert row.reason
    assert all(isinstance(verdict, Reason) for verdict in judge(row).values())


def test_a_claim_that_was_not_asked_has_no_row() -> None:
    with pytest.raises(ValueError, match="not asked"):
        row_of("a.b", _TIER, [])
