"""What the adapter relies on in the Copilots of a home: asked once, frozen, then obeyed.

The one caller of `imprint.compat.decide_for`: no other module decides how a file for Copilot must
look. What is not known gets the declared safe action, and says so.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Literal

from imprint.base.errors import ImprintError
from imprint.base.machine import machine_name
from imprint.compat.claim import Claim
from imprint.compat.decide import Asked, Code, Decision, decide_for
from imprint.compat.evidence import Basis
from imprint.compat.matrix import Matrix, UnreadableMatrix
from imprint.compat.shipped import shipped_matrix, shipped_rules

Spelling = Literal["pascal", "camel", "none"]

_QUESTIONS = (
    ("write-hooks-file", "hooks.file.home_dir"),
    ("register-events", "hooks.names.pascal"),
    ("set-time-limit", "hooks.timeout.key"),
    ("set-command", "hooks.exec.keys"),
    ("answer-context", "hooks.context.session_start"),
    ("rely-on-hooks", "hooks.fires.prompt_mode"),
    ("locate-transcript", "hooks.payload.stop_transcript"),
    ("read-transcript", "hooks.payload.transcript_flushed"),
    ("identify-session", "hooks.fires.subagent_stop"),
    ("learn-from-layout", "state.layout"),
    ("write-entry", "mcp.file.home"),
    ("set-entry-type", "mcp.type"),
    ("offer-tools", "mcp.tools"),
    ("write-block", "instructions.home"),
)
DOUBTS: Mapping[str, str] = MappingProxyType(
    {
        "warn-of-other-contexts": "hooks.context.several",
        "warn-of-incomplete-entries": "mcp.invalid_sibling",
        "warn-of-missing-tools": "mcp.tools",
    }
)
"""What doctor says of others' files hangs on these: `calm` where no harm is known to come of it."""

_CAMEL_EVENTS = ("register-camel-events", "hooks.names.camel")
_CAMEL_CONTEXT = ("answer-camel-context", "hooks.context.session_start")

ACTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "write-hooks-file": ("write", "none"),
        "register-events": ("pascal", "camel"),
        "register-camel-events": ("camel", "none"),
        "set-time-limit": ("timeoutSec", "timeout", "timeoutSeconds"),
        "set-command": ("bash", "command", "none", "powershell"),
        "answer-context": ("top-level", "nested", "none"),
        "answer-camel-context": ("top-level", "nested", "none"),
        "rely-on-hooks": ("learn-from-layout", "rely"),
        "locate-transcript": ("by-layout", "by-path"),
        "read-transcript": ("wait-until-complete", "at-once"),
        "identify-session": ("by-transcript-folder", "by-path-or-id"),
        "learn-from-layout": ("session-state", "none"),
        "write-entry": ("write", "none"),
        "set-entry-type": ("stdio", "local", "omit", "none"),
        "offer-tools": ("star", "omit", "name-each", "none"),
        "write-block": ("copilot-instructions.md", "none"),
    }
)
"""By decision: every action that the adapter can take, the safe one first (tests compare them with
the rules in compat/claims)."""

_EVENTS: Mapping[Spelling, tuple[str, str]] = MappingProxyType(
    {"pascal": ("SessionStart", "Stop"), "camel": ("sessionStart", "agentStop")}
)

_AGAIN = "the rules of the compat matrix cannot be read, so the safe action is taken: {why}"


@dataclass(frozen=True, slots=True)
class Gate:
    """What decisions are made from: the claims with rules by id, and the matrix."""

    rules: Mapping[str, Claim]
    matrix: Matrix | UnreadableMatrix


@cache
def shipped_gate() -> Gate:
    """The gate of this installation; what cannot be read decides nothing."""
    try:
        return Gate(shipped_rules(), shipped_matrix())
    except ImprintError as error:
        return Gate({}, UnreadableMatrix(error.message))


@dataclass(frozen=True, slots=True)
class CopilotContract:
    """How the Copilots of one home want to be spoken to, on a system (`sys.platform`).

    `version` is that of the first of them that is known; `actions` hold one for every decision;
    `decisions` say how each came about, and are empty where an earlier setup made them.
    """

    version: str | None
    system: str
    actions: Mapping[str, str]
    decisions: tuple[Decision, ...] = ()

    @classmethod
    def for_version(
        cls, version: str | None, system: str, *, gate: Gate | None = None
    ) -> "CopilotContract":
        """The contract of one release, or of an unknown one (None)."""
        return cls.for_copilots((Asked(version),), system, gate=gate)

    @classmethod
    def for_copilots(
        cls, copilots: Sequence[Asked], system: str, *, gate: Gate | None = None
    ) -> "CopilotContract":
        """The contract that is right for every Copilot of a home, else safe."""
        decisions = tuple(_decisions(copilots, system, gate or shipped_gate()))
        version = next((one.version for one in copilots if one.version is not None), None)
        made = {one.decides: one.action for one in decisions}
        return cls(version, system, _completed(made, system), decisions)

    @classmethod
    def recorded(
        cls, actions: Mapping[str, str], version: str | None, system: str
    ) -> "CopilotContract":
        """The contract that a receipt tells of; what it does not tell, or strangely, was safe."""
        return cls(version, system, _completed(actions, system))

    @property
    def record(self) -> Mapping[str, str]:
        """What the receipt keeps: the action of each decision that was asked for."""
        return {one.decides: one.action for one in self.decisions}

    @property
    def spelling(self) -> Spelling:
        """Of the events that are registered."""
        if self.actions["register-events"] == "pascal":
            return "pascal"
        return "camel" if self.actions["register-camel-events"] == "camel" else "none"

    @property
    def hooks(self) -> bool:
        """Whether hooks can be installed at all."""
        wanted = (self.actions["write-hooks-file"], self.actions["set-command"], self.spelling)
        return "none" not in wanted

    @property
    def events(self) -> tuple[str, str]:
        """The names of SessionStart and Stop."""
        return _EVENTS.get(self.spelling, _EVENTS["pascal"])

    @property
    def timeout_key(self) -> str:
        """The key of a hook's limit in seconds."""
        return self.actions["set-time-limit"]

    @property
    def command_key(self) -> str:
        """The key of a hook's line; it names the shell that runs it."""
        return self.actions["set-command"]

    @property
    def context_shape(self) -> str:
        """What SessionStart's answer must look like; `none`: no shape reaches the model."""
        name = "answer-camel-context" if self.spelling == "camel" else "answer-context"
        return self.actions[name]

    @property
    def session_start_shape(self) -> str:
        """The shape that is given: where none is consumed, the documented one does no harm."""
        return "nested" if self.context_shape == "nested" else "top-level"

    @property
    def entry(self) -> bool:
        """Whether an MCP entry does anything."""
        wanted = ("write-entry", "set-entry-type", "offer-tools")
        return "none" not in [self.actions[name] for name in wanted]

    @property
    def entry_type(self) -> str | None:
        """Its `type`; None: it has none."""
        action = self.actions["set-entry-type"]
        return None if action in {"omit", "none"} else action

    @property
    def tools(self) -> str:
        """How its `tools` are given: `star`, `name-each`, `omit`."""
        return self.actions["offer-tools"]

    @property
    def block(self) -> bool:
        """Whether the home's instructions are read."""
        return self.actions["write-block"] != "none"


def doubt(
    decides: str, copilots: Sequence[Asked], system: str, *, gate: Gate | None = None
) -> Decision:
    """Whether a file of others does harm to any Copilot of a home: one of `DOUBTS`."""
    return _decide(decides, DOUBTS[decides], copilots, system, gate or shipped_gate())


def safe_action(decides: str, system: str) -> str:
    """What is done where nothing is known."""
    if decides in DOUBTS:
        return "warn"
    if decides == "set-command" and system == "win32":
        return "powershell"
    return ACTIONS[decides][0]


def _completed(actions: Mapping[str, str], system: str) -> Mapping[str, str]:
    return MappingProxyType(
        {
            name: actions[name] if actions.get(name) in known else safe_action(name, system)
            for name, known in ACTIONS.items()
        }
    )


def _decisions(copilots: Sequence[Asked], system: str, gate: Gate) -> Iterator[Decision]:
    spelling = ""
    for decides, claim in _QUESTIONS:
        if decides == "register-events":
            events = tuple(_events(copilots, system, gate))
            spelling = events[-1].action
            yield from events
        elif decides == "answer-context" and spelling == "camel":
            yield _decide(*_CAMEL_CONTEXT, copilots, system, gate)
        else:
            yield _decide(decides, claim, copilots, system, gate)


def _events(copilots: Sequence[Asked], system: str, gate: Gate) -> Iterator[Decision]:
    """PascalCase, unless a Copilot refuses it: then camelCase, where that is right for all."""
    asked = ("register-events", "hooks.names.pascal")
    pascal = _decide(*asked, copilots, system, gate)
    each = (_decide(*asked, (one,), system, gate) for one in copilots)
    if pascal.action == "pascal" and not any(one.action == "camel" for one in each):
        yield pascal
        return
    camel = _decide(*_CAMEL_EVENTS, copilots, system, gate)
    if pascal.action == "camel":
        yield from (pascal, camel)
    elif camel.is_known and camel.action == "camel":
        yield replace(pascal, action="camel", what_to_do="the other spelling is right for all")
        yield camel
    else:
        yield pascal


def _decide(
    decides: str, claim: str, copilots: Sequence[Asked], system: str, gate: Gate
) -> Decision:
    found = gate.rules.get(claim)
    if found is None or found.rule(decides, system) is None:
        why = gate.matrix.why if isinstance(gate.matrix, UnreadableMatrix) else "no such rule"
        safe, told = safe_action(decides, system), _AGAIN.format(why=why)
        return Decision(claim, decides, safe, Code.UNREADABLE, Basis.NONE, (), told)
    return decide_for(found, copilots, machine_name(system), gate.matrix, decides=decides)
