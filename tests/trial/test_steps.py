"""The trial's verdict: failed before unjudged before fine, and nothing is never fine."""

import pytest

from imprint.base.errors import ExitCode
from imprint.trial.steps import (
    Recorder,
    Status,
    Step,
    Trial,
    failed,
    not_offered,
    proven,
    unjudged,
)


def trial(*statuses: Status) -> Trial:
    steps = tuple(Step(s, s is Status.PROVEN, s, "", 0) for s in statuses)
    return Trial("1.0.102", "none", steps)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ((), ExitCode.UNDETERMINED),
        ((Status.PROVEN,), ExitCode.OK),
        ((Status.PROVEN, Status.NOT_OFFERED), ExitCode.OK),
        ((Status.PROVEN, Status.UNJUDGED), ExitCode.UNDETERMINED),
        ((Status.UNJUDGED, Status.FAILED, Status.PROVEN), ExitCode.REFUSED),
    ],
)
def test_exit_code(statuses: tuple[Status, ...], code: ExitCode) -> None:
    assert trial(*statuses).exit_code is code


def test_each_step_is_said_as_it_ends() -> None:
    said: list[Step] = []
    recorder = Recorder(said.append)
    for number, verdict in enumerate((proven("a"), not_offered("b"), failed("c"), unjudged("d"))):
        recorder.judge(str(number), lambda verdict=verdict: verdict)
        assert said[-1] == recorder.steps[-1]
    assert [step.ok for step in said] == [True, True, False, False]
    assert [step.proof for step in said] == ["a", "b", "c", "d"]
