"""What setup and disconnect share: a plan is carried out or shown, and becomes a result."""

import dataclasses
from collections.abc import Iterable

from imprint.base.errors import ExitCode
from imprint.base.paths import Environment
from imprint.base.results import Result
from imprint.copilot.report import Change, DecisionData, PlanData
from imprint.edit.apply import apply, recover
from imprint.edit.plan import Plan, diff

_SIGNS = {"create": "+", "change": "~", "delete": "-"}


@dataclasses.dataclass(frozen=True, slots=True)
class Planned:
    """`data` of setup and disconnect; `diff` under `--dry-run` alone."""

    homes: tuple[str, ...]
    changes: tuple[Change, ...]
    decisions: tuple[DecisionData, ...]
    dry_run: bool
    diff: str = ""


def carry_out(environment: Environment, plan: Plan) -> None:
    """Apply a plan with the locks and backups of this user."""
    apply(plan, locks=environment.locks, keep=environment.layout().installed)


def repair(environment: Environment, plan: Plan) -> bool:
    """Finish or undo what a killed run left in the plan's home; whether there was anything."""
    recovered = recover(plan.home, locks=environment.locks, keep=environment.layout().installed)
    return recovered.found


def planned(
    environment: Environment, data: Iterable[PlanData], plans: Iterable[Plan], *, dry_run: bool
) -> Planned:
    """Several homes' plans as one result."""
    listed = tuple(data)
    return Planned(
        homes=tuple(item.home for item in listed),
        changes=tuple(change for item in listed for change in item.changes),
        decisions=tuple(decision for item in listed for decision in item.decisions),
        dry_run=dry_run,
        diff="".join(_diff(plan, environment) for plan in plans) if dry_run else "",
    )


def _diff(plan: Plan, environment: Environment) -> str:
    """The user's files alone: a receipt is for programs, and mostly base64."""
    own = environment.imprint_home
    shown = tuple(change for change in plan.changes if not change.path.is_relative_to(own))
    return diff(dataclasses.replace(plan, changes=shown))


def plan_result(command: str, data: Planned, sources: Iterable[PlanData]) -> Result:
    """The result of a plan that was shown or carried out; protected homes need attention."""
    listed = tuple(sources)
    notes = tuple(note for item in listed for note in item.notes)
    protected = tuple(f"left alone: {item.protected}" for item in listed if item.protected)
    code = ExitCode.ATTENTION if protected else ExitCode.OK
    return Result(command, data, exit_code=code, messages=(*notes, *protected))


def plan_lines(result: Result) -> Iterable[str]:
    """The plan for people: the diff of a dry run, else one line per file."""
    data = result.data
    assert isinstance(data, Planned)
    if data.dry_run:
        yield from data.diff.splitlines()
    for change in data.changes:
        yield f"{_SIGNS[change.action]} {change.path}  ({change.why})"
    if not data.changes:
        yield "nothing to do"


def decision_lines(result: Result) -> Iterable[str]:
    """Each decision for people: what is decided, what is done, and on what grounds."""
    data = result.data
    assert isinstance(data, Planned)
    names = max((len(one.decides) for one in data.decisions), default=0)
    actions = max((len(one.action) for one in data.decisions), default=0)
    if data.decisions:
        yield "decided for the Copilot that is here:"
    for one in data.decisions:
        yield f"  {one.decides:<{names}}  {one.action:<{actions}}  {one.grounds}"
