"""Sessions that never ran: arranged as their scenario has it, with a transcript and marks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from imprint.observe import JUDGES, SCENARIOS, Seen, SessionUseless, observe
from imprint.observe.marks import Mark
from imprint.observe.scene import BOGUS_EVENT, Scene
from imprint.sandbox._transcript import TranscriptFacts, read_facts
from imprint.sandbox.isolation import Isolation, IsolationKind
from imprint.sandbox.model import AnsweredBy, ModelRequest
from imprint.sandbox.session import SessionResult
from tests.observe.support import VERSION

Ran = str | tuple[str, Mapping[str, object]]
"""A hook that ran, by its label, and what it was given."""

SESSION = "a-session"


@dataclass(slots=True)
class Pretend:
    """Sessions by name, as judges get them."""

    folder: Path
    seen: dict[str, Seen | SessionUseless] = field(default_factory=dict)
    _scenes: dict[str, Scene] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Seen:
        found = self.seen[name]
        if isinstance(found, SessionUseless):
            raise found
        return found

    def scene(self, name: str) -> Scene:
        """The scene of a scenario, which is that of the one that it comes after."""
        scenario = SCENARIOS.get(name)
        if scenario and scenario.after:
            return self.scene(scenario.after)
        if name not in self._scenes:
            scene = Scene.make(self.folder / name)
            if scenario:
                scenario.arrange(scene)
            self._scenes[name] = scene
        return self._scenes[name]

    def useless(self, name: str, reason: str = "exit-code-1", *, blocked: bool = False) -> None:
        """A session that proves nothing."""
        self.seen[name] = SessionUseless(reason, blocked=blocked)

    def give(
        self,
        name: str,
        *ran: Ran,
        events: Sequence[Mapping[str, object]] | None = None,
        requests: Sequence[ModelRequest] = (),
        log: Sequence[str] = (),
        stdout: str = "",
        stderr: str = "",
        exit_code: int = 0,
        session: str = SESSION,
        raw: bytes | None = None,
    ) -> Seen:
        """A session; `events` are lines of its transcript, `raw` its bytes; neither: no folder."""
        scene = self.scene(name)
        folder = None
        if events is not None or raw is not None:
            folder = scene.scratch.sessions / session
            folder.mkdir(parents=True, exist_ok=True)
            lines = "".join(f"{json.dumps(event)}\n" for event in events or ())
            (folder / "events.jsonl").write_bytes(lines.encode("utf-8") if raw is None else raw)
        result = SessionResult(
            exit_code=exit_code,
            stdout=stdout,
            stderr=stderr,
            timed_out=False,
            duration_ms=1,
            isolation=Isolation(IsolationKind.NONE, "it never ran"),
            model_requests=tuple(requests),
            session_folder=folder,
            facts=read_facts(folder / "events.jsonl") if folder else TranscriptFacts(),
        )
        marks = tuple(mark(one, number) for number, one in enumerate(ran))
        seen = Seen(scene, result, marks, tuple(log))
        self.seen[name] = seen
        return seen


def mark(ran: Ran, number: int, *variables: str) -> Mark:
    """One run of a hook; they began in the order of their numbers."""
    label, payload = (ran, {}) if isinstance(ran, str) else ran
    return Mark(label, number, json.dumps(payload), "/", (), variables, 0, ended=True)


def event(kind: str, agent: str = "", /, **data: object) -> dict[str, object]:
    """A line of a transcript; `agent` marks it as a subagent's."""
    return {"type": kind, "data": data, **({"agentId": agent} if agent else {})}


def start(**data: object) -> dict[str, object]:
    """The first line of every transcript."""
    return event("session.start", sessionId=SESSION, copilotVersion=VERSION, **data)


def request(*texts: str, script: int = 0, turn: int = 0) -> ModelRequest:
    """A request of a conversation, with these texts as the user's."""
    body = {"messages": [{"role": "user", "content": text} for text in texts]}
    return ModelRequest("POST", "/v1/chat/completions", body, 0, AnsweredBy.TURN, script, turn)


SUBAGENT = (request(script=1), request(script=1, turn=1))
"""What the model was asked for a subagent's two turns."""


def value(claim: str, sessions: Pretend) -> object:
    """What is observed; where nothing is, the reason."""
    attempt = observe(claim, sessions)
    return attempt.failure[1] if attempt.failure else attempt.value


def strange(claim: str, sessions: Pretend) -> bool:
    """Whether a hook of an unknown event that ran in any session takes the answer away."""
    for name, seen in sessions.seen.items():
        if isinstance(seen, SessionUseless):
            continue
        wild = Seen(seen.scene, seen.result, (*seen.marks, mark(BOGUS_EVENT, 99)), seen.log)
        others = {**sessions.seen, name: wild}
        judged = JUDGES[claim](Pretend(sessions.folder, others))
        if judged.negative:
            return False
    return True
