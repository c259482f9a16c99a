"""A release in a container answers as it does outside."""

from collections.abc import Callable

import pytest

from containers.errors import ContainerFailed
from containers.sealed import ISOLATION, Sealed
from imprint.compat import Outcome, data_folder, shipped_catalogue
from imprint.compat.loader import load_observations
from imprint.sandbox.release import Release

pytestmark = [pytest.mark.container, pytest.mark.copilot]

CLAIMS = (
    "hooks.file.home_dir",
    "hooks.payload.pascal_style",
    "hooks.payload.stop_transcript",
    "hooks.timeout.key",
    "hooks.exec.keys",
    "hooks.context.several",
    "mcp.file.home",
    "instructions.home",
    "state.layout",
)


def test_a_containers_rows_are_those_that_were_recorded_outside(
    sealed: Sealed, fetch: Callable[[str], Release], pinned: str
) -> None:
    release = fetch(pinned)
    asked = sealed.ask(release, CLAIMS)
    recorded = {
        row.claim: row.value
        for run in load_observations(data_folder(), shipped_catalogue())
        if run.run.version == pinned
        for row in run.rows
    }
    assert {one.row.claim: one.row.value for one in asked} == {
        claim: recorded[claim] for claim in CLAIMS
    }
    assert {one.row.outcome for one in asked} == {Outcome.OBSERVED}
    assert {one.run.isolation for one in asked} == {ISOLATION}


def test_a_release_that_breaks_inside_is_an_error_with_its_last_words(
    sealed: Sealed, fetch: Callable[[str], Release], pinned: str
) -> None:
    release = fetch(pinned)
    with pytest.raises(ContainerFailed, match=r"0 of 1 rows.*no\.such\.claim"):
        sealed.ask(release, ["no.such.claim"])
