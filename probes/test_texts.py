"""Probes: instructions files."""

from collections.abc import Callable

import pytest

from probes.asking import Asked

Answers = Callable[[], Asked]


@pytest.mark.claim("instructions.home_scoped")
def test_scoped_instructions_of_the_home_reach_the_model(answers: Answers) -> None:
    assert answers().row.claim == "instructions.home_scoped"


@pytest.mark.claim("instructions.project")
def test_these_files_of_a_project_reach_the_model(answers: Answers) -> None:
    assert answers().row.claim == "instructions.project"


@pytest.mark.claim("instructions.extra_dirs")
def test_these_files_of_further_directories_are_read(answers: Answers) -> None:
    assert answers().row.claim == "instructions.extra_dirs"


@pytest.mark.claim("instructions.off")
def test_a_flag_removes_all_instructions(answers: Answers) -> None:
    assert answers().row.claim == "instructions.off"


@pytest.mark.claim("instructions.comments")
def test_comments_reach_the_model(answers: Answers) -> None:
    assert answers().row.claim == "instructions.comments"


@pytest.mark.claim("instructions.import")
def test_a_file_that_is_named_in_one_is_read_too(answers: Answers) -> None:
    assert answers().row.claim == "instructions.import"


@pytest.mark.claim("instructions.size")
def test_a_file_of_this_size_arrives_whole(answers: Answers) -> None:
    assert answers().row.claim == "instructions.size"
