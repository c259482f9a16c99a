"""Sessions that a driver holds with Copilot, inside the same sandbox as the sessions of `-p`."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from pathlib import Path

import msgspec

from imprint.sandbox.drivers.order import Exchange, Order, Report
from imprint.sandbox.errors import AccountNeeded, CopilotNotStarted, HostRefused, MissingExtra
from imprint.sandbox.model import MODEL
from imprint.sandbox.release import Release
from imprint.sandbox.script import Script
from imprint.sandbox.session import SessionResult, SessionSpec, run_program

MARGIN_SECONDS = 30.0
"""What a driver gets beyond the conversation's deadline: to start (the SDK alone imports 12 MB), to
end Copilot, and to report."""


@dataclass(frozen=True, slots=True)
class DrivenResult(SessionResult):
    """A session's result, and what its driver says."""

    report: Report


def run_driven(
    spec: SessionSpec,
    driver: str,
    *,
    more: Sequence[str] = (),
    needs: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    discover: bool = False,
) -> DrivenResult:
    """Let a driver of `imprint.sandbox.drivers` hold a conversation with Copilot.

    `more` are prompts that follow the first; each has its script in `spec.scripts`. `needs` are the
    modules that the driver imports; `discover` is for the SDK's. Raises `MissingExtra` without
    them, `HostRefused` where Copilot serves nobody in this way, and what `run_prompt` raises. What
    was waited for in vain is a result that has `timed_out`, and the reason in `report.stuck`.
    """
    missing = tuple(name for name in needs if find_spec(name) is None)
    if missing:
        raise MissingExtra(missing)
    _look_for(spec.release)

    def argv(base_url: str) -> tuple[str, ...]:
        order = Order(
            command=(*spec.release.command, *spec.arguments),
            directory=str(spec.workdir),
            talk=_exchanges(spec, more),
            seconds=spec.deadline,
            base_url=base_url,
            model=MODEL,
            discover=discover,
        )
        module = f"imprint.sandbox.drivers.{driver}"
        return (sys.executable, "-I", "-m", module, msgspec.json.encode(order).decode("utf-8"))

    environment = {**(variables or {}), **spec.environment}
    longer = replace(spec, environment=environment, deadline=spec.deadline + MARGIN_SECONDS)
    return _with_report(run_program(longer, argv))


def _look_for(release: Release) -> None:
    """The driver starts Copilot, so that nobody else notices that it is gone."""
    for word in release.command:
        if not Path(word).exists():
            raise CopilotNotStarted(
                f"{word} can't be started: it doesn't exist",
                fix="give the path of a Copilot executable for this machine",
            )


def _with_report(result: SessionResult) -> DrivenResult:
    try:
        report = msgspec.json.decode(result.stdout, type=Report)
    except msgspec.DecodeError:
        report = Report(exit_code=result.exit_code or 1, stuck="the driver's report")
    if report.refused:
        raise _refusal(report.refused)
    values = {one.name: getattr(result, one.name) for one in fields(SessionResult)}
    values["exit_code"] = report.exit_code
    values["timed_out"] = result.timed_out or bool(report.stuck)
    return DrivenResult(**values, report=report)


def _refusal(said: str) -> HostRefused:
    kind = AccountNeeded if "authentication required" in said.lower() else HostRefused
    return kind(f"Copilot refused to serve: {said}", fix="ask another release")


def _exchanges(spec: SessionSpec, more: Sequence[str]) -> tuple[Exchange, ...]:
    scripts = {script.prompt: script for script in spec.scripts}
    talk = (Script(spec.prompt, spec.turns), *(scripts[prompt] for prompt in more))
    return tuple(Exchange(one.prompt, one.turns[-1].text) for one in talk)
