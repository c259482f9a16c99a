"""What today's Copilot wants otherwise than what is installed: an upgrade can make it so."""

from collections.abc import Iterator
from dataclasses import dataclass

from imprint.compat.decide import Code
from imprint.copilot.contract import CopilotContract

_UNDETERMINED = frozenset({Code.NO_VERSION, Code.UNREADABLE})
"""Nothing is known of the Copilot, or by us: that is no news about it."""


@dataclass(frozen=True, slots=True)
class Drift:
    """One decision: the action that is `installed`, and `today`'s."""

    decides: str
    installed: str
    today: str

    def __str__(self) -> str:
        return f"{self.decides}: {self.installed} is installed, {self.today} is right today"


def drifts(installed: CopilotContract, today: CopilotContract) -> tuple[Drift, ...]:
    """The decisions that would put something else into the home's files now."""
    undetermined = {one.decides for one in today.decisions if one.code in _UNDETERMINED}
    return tuple(
        Drift(name, before, now)
        for (name, before), (_, now) in zip(_written(installed), _written(today), strict=True)
        if before != now and name not in undetermined
    )


def _written(contract: CopilotContract) -> Iterator[tuple[str, str]]:
    """What a contract puts into files, each under the decision that it follows from."""
    there = contract.hooks
    yield "write-hooks-file", "write" if there else "none"
    yield "register-events", ", ".join(contract.events) if there else ""
    yield "set-time-limit", contract.timeout_key if there else ""
    yield "set-command", contract.command_key if there else ""
    yield "answer-context", contract.session_start_shape if there else ""
    yield "write-entry", "write" if contract.entry else "none"
    yield "set-entry-type", contract.entry_type or "omit" if contract.entry else ""
    yield "offer-tools", contract.tools if contract.entry else ""
    yield "write-block", contract.actions["write-block"]
