"""The order of releases is that of semver."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.compat.errors import UnknownRelease
from imprint.compat.versions import Line, in_order

_VERSIONS = st.builds(
    lambda numbers, pre: ".".join(map(str, numbers)) + (f"-{pre}" if pre is not None else ""),
    st.tuples(st.integers(0, 3), st.integers(0, 12), st.integers(0, 120)),
    st.none() | st.integers(0, 12),
)


def _key(version: str) -> tuple[list[int], float]:
    core, _, pre = version.partition("-")
    return [int(part) for part in core.split(".")], float(pre) if pre else float("inf")


def test_a_pre_release_comes_before_its_release_and_after_the_one_before() -> None:
    shuffled = ["1.0.80", "1.0.79", "1.0.9", "1.0.79-6", "1.0.79-10", "1.0.78"]
    assert in_order(shuffled) == ("1.0.9", "1.0.78", "1.0.79-6", "1.0.79-10", "1.0.79", "1.0.80")


@given(st.sets(_VERSIONS), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_versions_were_listed(
    versions: set[str], chance: random.Random
) -> None:
    listed = sorted(versions)
    chance.shuffle(listed)
    assert list(in_order(listed)) == sorted(versions, key=_key)


@given(st.sets(_VERSIONS, min_size=2))
def test_neighbours_are_the_releases_next_in_the_order(versions: set[str]) -> None:
    line = Line(in_order(versions))
    assert line.before(line.versions[0]) is None
    assert line.after(line.versions[-1]) is None
    for older, newer in zip(line.versions, line.versions[1:], strict=False):
        assert line.after(older) == newer
        assert line.before(newer) == older
        assert line.between(older, newer) == (older, newer)


def test_a_list_out_of_order_is_no_line() -> None:
    with pytest.raises(ValueError, match="semver order"):
        Line(("1.0.79", "1.0.79-6"))


def test_a_release_that_is_not_listed_has_no_place() -> None:
    with pytest.raises(UnknownRelease, match=r"1\.0\.2"):
        Line(("1.0.1",)).place("1.0.2")
