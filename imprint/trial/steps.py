"""What a trial reports: one step per promise, each with its proof."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from imprint.base.errors import ExitCode


class Status(StrEnum):
    """How a step ended.

    `not-offered` needs a control in which this very release showed that it cannot;
    `unjudged` means that the question was never answered, which is not a no.
    """

    PROVEN = "proven"
    NOT_OFFERED = "not-offered"
    FAILED = "failed"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class Step:
    """One promise: its stable id, how it ended, what proves it, and how long it took (ms)."""

    id: str
    ok: bool
    status: Status
    proof: str
    ms: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a step ended, before it's timed."""

    status: Status
    proof: str

    @property
    def ok(self) -> bool:
        """Whether a trial may end well with it."""
        return self.status in (Status.PROVEN, Status.NOT_OFFERED)


def proven(proof: str) -> Verdict:
    """It was seen to hold."""
    return Verdict(Status.PROVEN, proof)


def failed(proof: str) -> Verdict:
    """It was seen not to hold."""
    return Verdict(Status.FAILED, proof)


def not_offered(proof: str) -> Verdict:
    """This release was seen to be unable to."""
    return Verdict(Status.NOT_OFFERED, proof)


def unjudged(proof: str) -> Verdict:
    """It could not be seen."""
    return Verdict(Status.UNJUDGED, proof)


@dataclass(frozen=True, slots=True)
class Trial:
    """A finished trial; `home` is the kept scratch folder, None when it was removed."""

    copilot: str
    isolation: str
    steps: tuple[Step, ...]
    home: str | None = None

    @property
    def exit_code(self) -> ExitCode:
        """Failed before unjudged before fine."""
        statuses = {step.status for step in self.steps}
        if Status.FAILED in statuses:
            return ExitCode.REFUSED
        if Status.UNJUDGED in statuses or not statuses:
            return ExitCode.UNDETERMINED
        return ExitCode.OK


@dataclass(slots=True)
class Recorder:
    """Collects the steps, and says each as it ends."""

    say: Callable[[Step], None]
    steps: list[Step] = field(default_factory=list)

    def judge(self, step_id: str, judge: Callable[[], Verdict]) -> Step:
        """Run a step's judge, time it, record and say what came out."""
        started = time.perf_counter()
        return self.add(step_id, judge(), started)

    def add(self, step_id: str, verdict: Verdict, started: float) -> Step:
        """Record a verdict whose work began at `started` (`perf_counter` seconds)."""
        taken = round((time.perf_counter() - started) * 1000)
        step = Step(step_id, verdict.ok, verdict.status, verdict.proof, taken)
        self.steps.append(step)
        self.say(step)
        return step
