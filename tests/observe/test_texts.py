"""Instructions files: an answer needs a file that is read, and one that never is."""

from pathlib import Path

import pytest

from imprint.compat import Attempt, Outcome, Value, row_of, shipped_catalogue
from imprint.compat.evidence import Evidence
from imprint.observe import observe
from imprint.observe.scene import BOGUS_EVENT, Scene
from imprint.observe.texts.scenes import (
    EXTRA_FILES,
    PROJECT_FILES,
    SCOPED,
    SIZES,
    scoped_name,
    size_scenario,
    sized_text,
)
from tests.observe.made import Made, request

ALL, OFF = "texts.all", "texts.off"

EVERYTHING = (
    "home",
    "comment",
    "imported-by-home",
    "apply_to_all",
    "without_apply_to",
    *PROJECT_FILES,
    "extra/.github/instructions",
)
CLAIMS = ("home_scoped", "project", "extra_dirs", "off", "comments", "import")


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def hears(
    made: Made, name: str, *keys: str, and_text: str = "", ran: tuple[str, ...] = ()
) -> Scene:
    """A session whose model hears the words of these keys."""
    scene = made.scene(name)
    made.give(name, scene, request(*(scene.word(key) for key in keys), and_text), ran=ran)
    return scene


def ask(made: Made, what: str) -> Attempt:
    claim = f"instructions.{what}"
    found = observe(claim, made)
    if found.value is not None:
        assert shipped_catalogue()[claim].objections(found.value) == ()
    return found


def outcome(attempt: Attempt) -> Outcome:
    """Of a row with this one attempt: what fails a control is no answer."""
    return row_of("instructions.project", Evidence.LIVE_OFFLINE, [attempt]).outcome


def test_files_reach_the_model_whose_words_it_hears(made: Made) -> None:
    hears(made, ALL, *EVERYTHING, and_text=f"read {scoped_name('with_apply_to')}")
    hears(made, OFF)
    listed = {"with_apply_to": "listed", "apply_to_all": "yes", "without_apply_to": "yes"}
    expected: dict[str, Value] = {
        "home_scoped": listed,
        "project": dict.fromkeys(PROJECT_FILES, "yes"),
        "extra_dirs": {**dict.fromkeys(EXTRA_FILES, "no"), ".github/instructions": "yes"},
        "off": "yes",
        "comments": "yes",
        "import": "yes",
    }
    seen = {what: ask(made, what) for what in CLAIMS}
    assert {what: one.value for what, one in seen.items()} == expected
    assert {outcome(one) for one in seen.values()} == {Outcome.OBSERVED}


def test_what_is_not_heard_is_a_no_beside_a_file_that_is(made: Made) -> None:
    hears(made, ALL, "home")
    hears(made, OFF, "home")
    expected: dict[str, Value] = {
        "home_scoped": dict.fromkeys(SCOPED, "no"),
        "project": dict.fromkeys(PROJECT_FILES, "no"),
        "extra_dirs": dict.fromkeys(EXTRA_FILES, "no"),
        "off": "no",
        "comments": "no",
        "import": "no",
    }
    seen = {what: ask(made, what) for what in CLAIMS}
    assert {what: one.value for what, one in seen.items()} == expected
    assert {outcome(one) for one in seen.values()} == {Outcome.OBSERVED}


@pytest.mark.parametrize("keys", [(), (*EVERYTHING, "elsewhere")])
def test_no_file_at_all_or_one_that_must_not_be_read_is_no_answer(
    made: Made, keys: tuple[str, ...]
) -> None:
    hears(made, ALL, *keys)
    hears(made, OFF)
    assert {outcome(ask(made, what)) for what in CLAIMS} == {Outcome.INCONCLUSIVE}


def test_a_hook_that_must_not_run_spoils_every_answer(made: Made) -> None:
    hears(made, ALL, *EVERYTHING, ran=(BOGUS_EVENT,))
    hears(made, OFF)
    assert {outcome(ask(made, what)) for what in CLAIMS} == {Outcome.INCONCLUSIVE}


def test_a_silent_session_without_the_flag_does_not_prove_the_flag(made: Made) -> None:
    hears(made, ALL, *EVERYTHING)
    made.useless(OFF, "timed-out")
    assert ask(made, "off").reason == "timed-out"


def arrives(made: Made, **whole: bool) -> None:
    """Sessions of sizes, written as `s30`; one that is not whole has the begin alone."""
    for key, is_whole in whole.items():
        name = size_scenario(key.removeprefix("s"))
        scene = made.scene(name)
        text = sized_text(scene, SIZES[key.removeprefix("s")])
        made.give(name, scene, request(text if is_whole else text[:100]))


@pytest.mark.parametrize(
    ("sizes", "largest"),
    [
        ({"s300": True, "s1000": True}, 1_000_000),
        ({"s300": True, "s1000": False}, 300_000),
        ({"s300": False, "s100": True}, 100_000),
        ({"s300": False, "s100": False, "s30": True}, 30_000),
    ],
)
def test_the_largest_size_that_arrives_is_found_with_the_fewest_sessions(
    made: Made, sizes: dict[str, bool], largest: int
) -> None:
    arrives(made, **sizes)
    found = ask(made, "size")
    assert (found.value, outcome(found)) == (largest, Outcome.OBSERVED)


def test_that_nothing_arrives_is_no_size(made: Made) -> None:
    arrives(made, s300=False, s100=False, s30=False)
    assert ask(made, "size").reason == "none-arrives"


def test_a_session_that_never_asks_the_model_is_too_large(made: Made) -> None:
    arrives(made, s100=True)
    made.give(size_scenario("300"), made.scene(size_scenario("300")), exit_code=1)
    assert ask(made, "size").value == 100_000


@pytest.mark.parametrize("size", SIZES)
def test_a_file_has_the_size_of_its_scenario(made: Made, size: str) -> None:
    scene = made.scene(size_scenario(size))
    file = scene.scratch.copilot / "copilot-instructions.md"
    assert file.stat().st_size == SIZES[size]
    assert file.read_text("utf-8").strip().endswith(scene.word("last"))
