"""Probes: the terminal UI."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("hooks.fires.tui")
def test_these_events_fire_in_the_terminal(answers: Answers) -> None:
    assert answers().row.claim == "hooks.fires.tui"
