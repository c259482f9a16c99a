"""Probes: a real Copilot in a distribution of WSL, Imprint on Windows (`--in-distribution`)."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("wsl.hook_roundtrip")
def test_the_registered_lines_answer_through_the_bridge(answers: Answers) -> None:
    assert answers().row.claim == "wsl.hook_roundtrip"


@pytest.mark.claim("wsl.context_reaches_model")
def test_the_bridges_context_reaches_the_model(answers: Answers) -> None:
    assert answers().row.claim == "wsl.context_reaches_model"


@pytest.mark.claim("wsl.stop_imports")
def test_stop_imports_the_transcript_on_the_other_side(answers: Answers) -> None:
    assert answers().row.claim == "wsl.stop_imports"
