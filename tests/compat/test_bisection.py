"""Bisection: what it finds is a change, next to nothing is asked for it, nothing is guessed."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.compat.bisection import Bisection, Outcome, Step, bisect
from imprint.compat.versions import Line


def line(size: int) -> Line:
    return Line(tuple(f"1.0.{number}" for number in range(size)))


class Releases:
    """Answers by number; None: none can be had."""

    def __init__(self, answers: list[str | None]) -> None:
        self.line = line(len(answers))
        self.answers = dict(zip(self.line.versions, answers, strict=True))
        self.asked: list[str] = []

    def ask(self, version: str) -> Step:
        self.asked.append(version)
        answer = self.answers[version]
        return Step(version, answer, "" if answer else "hangs")

    def search(self, recorded=(), offered=None) -> Bisection:
        known = {version: self.answers[version] for version in recorded}
        versions = self.line.versions
        return bisect(
            self.line,
            versions[0],
            versions[-1],
            self.ask,
            recorded=known,
            offered=versions if offered is None else offered,
        )


@settings(deadline=None)
@given(st.integers(2, 300), st.data())
def test_one_change_is_found_with_as_few_questions_as_halving_needs(size, data) -> None:
    place = data.draw(st.integers(1, size - 1))
    releases = Releases(["no"] * place + ["yes"] * (size - place))
    found = releases.search()
    assert (found.before.version, found.after.version) == (f"1.0.{place - 1}", f"1.0.{place}")
    assert len(releases.asked) <= 2 + math.ceil(math.log2(size))
    assert len(set(releases.asked)) == len(releases.asked)
    assert found.unjudged == ()


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2, max_size=60), st.data())
def test_what_is_found_is_a_change_and_nothing_between_could_be_asked(answers, data) -> None:
    releases = Releases(answers)
    versions = releases.line.versions
    offered = data.draw(st.sets(st.sampled_from(versions)))
    known = [version for version in versions if releases.answers[version] is not None]
    recorded = data.draw(st.sets(st.sampled_from(known))) if known else ()
    found = releases.search(recorded, offered)
    assert not set(releases.asked) & set(recorded)
    assert set(releases.asked[2:]) <= offered | {versions[0], versions[-1]}
    if None in {answers[0], answers[-1]}:
        assert found.outcome is Outcome.UNDECIDED
        return
    if found.outcome is Outcome.AGREE:
        assert answers[0] == answers[-1]
        return
    older, newer = found.before.version, found.after.version
    assert releases.answers[older] != releases.answers[newer]
    assert releases.line.place(older) < releases.line.place(newer)
    for version in releases.line.between(older, newer)[1:-1]:
        assert version in found.unjudged
        assert releases.answers[version] is None or version not in offered | set(recorded)
    for older, newer in found.elsewhere:
        assert releases.answers[older] != releases.answers[newer]


def test_ends_that_agree_are_said_to_and_nothing_between_is_asked() -> None:
    releases = Releases(["yes", "no", "yes"])
    assert releases.search().outcome is Outcome.AGREE
    assert releases.asked == ["1.0.0", "1.0.2"]


def test_a_recorded_answer_between_ends_that_agree_shows_two_changes() -> None:
    found = Releases(["yes", "yes", "no", "no", "yes"]).search(recorded=["1.0.2"])
    assert (found.before.version, found.after.version) == ("1.0.1", "1.0.2")
    assert found.elsewhere == (("1.0.2", "1.0.4"),)


def test_a_third_answer_is_a_change_on_either_side() -> None:
    found = Releases(["a", "a", "c", "b", "b"]).search()
    assert (found.before.version, found.after.version) == ("1.0.1", "1.0.2")
    assert found.elsewhere == (("1.0.2", "1.0.4"),)


def test_recorded_answers_are_not_asked_for_again() -> None:
    releases = Releases(["no"] * 8 + ["yes"] * 8)
    found = releases.search(recorded=["1.0.0", "1.0.7", "1.0.8", "1.0.15"])
    assert releases.asked == []
    assert (found.before.version, found.after.version) == ("1.0.7", "1.0.8")


@pytest.mark.parametrize("end", [0, -1])
def test_an_end_without_an_answer_leaves_everything_open(end: int) -> None:
    answers: list[str | None] = ["no", "no", "yes"]
    answers[end] = None
    found = Releases(answers).search()
    assert found.outcome is Outcome.UNDECIDED
    assert [step.why for step in found.steps if step.value is None] == ["hangs"]


def test_a_release_without_an_answer_is_passed_over_for_its_neighbour() -> None:
    releases = Releases(["no", "no", None, "yes", "yes"])
    found = releases.search()
    assert releases.asked[2] == "1.0.2"
    assert (found.before.version, found.after.version) == ("1.0.1", "1.0.3")
    assert found.unjudged == ("1.0.2",)
