"""The trial's words: only the right places may know them."""

from imprint.trial.scenario import Scenario


def test_the_question_does_not_hold_the_fact() -> None:
    scenario = Scenario.new()
    assert scenario.fact in scenario.telling.prompt
    assert scenario.fact in scenario.last_answer
    asking = scenario.asking
    assert scenario.fact not in asking.prompt
    assert all(scenario.fact not in repr(turn) for turn in asking.turns)


def test_the_control_is_said_nowhere() -> None:
    scenario = Scenario.new()
    assert scenario.never_said not in repr((scenario.telling, scenario.asking))


def test_two_trials_share_no_words() -> None:
    assert len({Scenario.new().fact for _ in range(50)}) == 50
