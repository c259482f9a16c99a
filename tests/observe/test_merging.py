"""Parts of a claim answer their own entries, and none spoils another's."""

import pytest

from imprint.observe.judged import Judge, Judged, SessionsByName, unjudged
from imprint.observe.merging import merged
from imprint.observe.sessions import SessionUseless

NO_SESSIONS: SessionsByName = {}


def part(*, positive: bool = True, **entries: str) -> Judge:
    return lambda _: Judged(dict(entries), entries, positive=positive, negative=True)


def useless(_: SessionsByName) -> Judged:
    raise SessionUseless("timed-out")


def test_the_entries_of_all_parts_are_one_table() -> None:
    judged = merged(part(one="yes"), part(two="no"))(NO_SESSIONS)
    assert judged.value == {"one": "yes", "two": "no"}
    assert judged.positive
    assert judged.negative


@pytest.mark.parametrize(
    "broken", [useless, part(positive=False, two="no"), lambda _: unjudged("nothing")]
)
def test_a_part_that_proves_nothing_leaves_its_entries_out(broken: Judge) -> None:
    for parts in ((part(one="yes"), broken), (broken, part(one="yes"))):
        assert merged(*parts)(NO_SESSIONS).value == {"one": "yes"}


def test_without_any_answer_the_first_parts_reason_is_told() -> None:
    assert merged(lambda _: unjudged("first"), useless)(NO_SESSIONS).reason == "first"
    with pytest.raises(SessionUseless, match="timed-out"):
        merged(useless, lambda _: unjudged("second"))(NO_SESSIONS)


def test_parts_that_contradict_each_other_leave_the_entry_out() -> None:
    judged = merged(part(one="yes", two="no"), part(one="no"))(NO_SESSIONS)
    assert judged.value == {"two": "no"}
    assert merged(part(one="yes"), part(one="no"))(NO_SESSIONS).value is None
