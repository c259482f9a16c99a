"""The runner: every checker is run, and the worst finding decides."""

import datetime as dt
from collections.abc import Iterator

import pytest

from imprint.base.checks import Check, CheckContext, Checker, Status
from imprint.base.errors import ExitCode, RefusedError
from imprint.base.paths import Environment
from imprint.doctor import DoctorData, exit_code, run
from imprint.doctor.own import Id, checkers
from tests.copilot.conftest import put

NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def context(world: Environment) -> CheckContext:
    return CheckContext(world, NOW)


def yields(*statuses: Status) -> Checker:
    return Checker("a.b", lambda: [Check("a.b", status, "x") for status in statuses])


def fails(error: Exception) -> Checker:
    def look() -> Iterator[Check]:
        yield Check("a.b", Status.OK, "so far")
        raise error

    return Checker("a.b", look)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ([], ExitCode.OK),
        ([Status.OK], ExitCode.OK),
        ([Status.OK, Status.ATTENTION], ExitCode.ATTENTION),
        ([Status.ATTENTION, Status.UNKNOWN], ExitCode.UNDETERMINED),
        ([Status.UNKNOWN, Status.BROKEN, Status.ATTENTION], ExitCode.REFUSED),
    ],
)
def test_broken_before_unknown_before_attention(statuses: list[Status], code: ExitCode) -> None:
    assert exit_code(DoctorData(tuple(Check("a", status, "") for status in statuses))) == code


def test_the_worst_come_first_and_rooms_keep_their_order(world: Environment) -> None:
    rooms = [
        lambda _: [Checker("1", lambda: [Check("1", Status.OK, "")])],
        lambda _: [Checker("2", lambda: [Check("2", Status.BROKEN, "")])],
        lambda _: [Checker("3", lambda: [Check("3", Status.OK, "")])],
    ]
    assert [check.id for check in run(context(world), rooms).checks] == ["2", "1", "3"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RefusedError("it is odd", fix="do it so"), "it is odd"),
        (PermissionError(13, "Permission denied", "/x"), "Permission denied: /x"),
    ],
)
def test_a_checker_that_fails_is_an_unknown_that_names_it_and_ends_nothing(
    world: Environment, error: Exception, said: str
) -> None:
    data = run(context(world), [lambda _: [fails(error), yields(Status.OK)]])
    assert [check.status for check in data.checks] == [Status.UNKNOWN, Status.OK, Status.OK]
    assert data.checks[0].id == "a.b"
    assert said in data.checks[0].detail
    assert data.checks[0].fix


def test_a_bug_in_a_checker_is_not_hidden(world: Environment) -> None:
    with pytest.raises(ZeroDivisionError):
        run(context(world), [lambda _: [fails(ZeroDivisionError())]])


def own(world: Environment, name: Id) -> Check:
    (checker,) = (checker for checker in checkers(context(world)) if checker.id == name)
    (check,) = checker.run()
    return check


def test_a_configuration_that_does_not_say_clearly_what_is_wanted_is_broken(
    world: Environment,
) -> None:
    assert own(world, Id.CONFIG).status is Status.OK
    put(world.layout().config, 'exclud = ["/secret"]\n')
    check = own(world, Id.CONFIG)
    assert check.status is Status.BROKEN
    assert "exclude" in check.fix


@pytest.mark.parametrize("name", ["hook", "learn", "crash"])
def test_recent_failures_are_shown(world: Environment, name: str) -> None:
    lines = [f"2026-10-31T12:00:{second:02d}Z stop OSError errno 28" for second in range(5)]
    put(world.layout().log / f"{name}.log", "\n".join(["2026-01-01T00:00:00Z old", *lines]) + "\n")
    check = own(world, Id.LOG)
    assert check.status is Status.ATTENTION
    assert "5 failures" in check.detail
    assert lines[-1] in check.detail
    assert lines[0] not in check.detail
    assert f"{name}.log" in check.fix


def test_old_failures_and_lines_of_tracebacks_are_passed_over(world: Environment) -> None:
    text = "2026-01-01T00:00:00Z imprint 0.1\nTraceback (most recent call last):\n\n  File x\n"
    put(world.layout().log / "crash.log", text)
    assert own(world, Id.LOG).status is Status.OK


def test_without_a_log_there_was_no_failure(world: Environment) -> None:
    assert own(world, Id.LOG).status is Status.OK
