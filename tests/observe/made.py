"""Sessions that were never run: a scene as its scenario arranges it, and what a run might show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from imprint.observe import SCENARIOS, Seen, SessionUseless
from imprint.observe.marks import Mark
from imprint.observe.scenario import PROMPT
from imprint.observe.scene import Scene
from imprint.sandbox._transcript import TranscriptFacts
from imprint.sandbox.isolation import Isolation, IsolationKind
from imprint.sandbox.model import AnsweredBy, ModelRequest
from imprint.sandbox.session import SessionResult
from tests.observe.support import VERSION

Message = tuple[str, str]
"""A role and a text."""


@dataclass(slots=True)
class Made:
    """Sessions by name, as judges get them; one that no test has made is a mistake of the test."""

    folder: Path
    _seen: dict[str, Seen | SessionUseless] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Seen:
        found = self._seen[name]
        if isinstance(found, SessionUseless):
            raise found
        return found

    def scene(self, name: str) -> Scene:
        """The scene of a scenario, arranged anew."""
        number = len(list(self.folder.glob(f"{name}*")))
        scene = Scene.make(self.folder / f"{name}-{number}")
        SCENARIOS[name].arrange(scene)
        return scene

    def useless(self, name: str, reason: str) -> None:
        """A session that proves nothing."""
        self._seen[name] = SessionUseless(reason)

    def give(
        self,
        name: str,
        scene: Scene,
        *requests: ModelRequest,
        ran: Iterable[str | Mark] = (),
        stdout: str = "",
        exit_code: int = 0,
        log: Sequence[str] = (),
        kept: bool = True,
    ) -> Seen:
        """A session: requests of its model, labels of hooks that ran, whether it left a folder."""
        session = scene.scratch.sessions / "one"
        result = SessionResult(
            exit_code=exit_code,
            stdout=stdout,
            stderr="",
            timed_out=False,
            duration_ms=1,
            isolation=Isolation(IsolationKind.NONE, "made"),
            model_requests=requests,
            session_folder=session if kept else None,
            facts=TranscriptFacts(copilot_version=VERSION),
        )
        marks = tuple(_mark(one) if isinstance(one, str) else one for one in ran)
        seen = Seen(scene, result, marks, tuple(log))
        self._seen[name] = seen
        return seen


def request(
    *texts: str | Message, tools: Sequence[str] = (), body: Mapping[str, object] | None = None
) -> ModelRequest:
    """A request of the conversation: a text alone is the system's; the prompt comes last."""
    messages = [("system", text) if isinstance(text, str) else text for text in texts]
    messages.append(("user", PROMPT))
    whole = {"messages": [{"role": role, "content": text} for role, text in messages]}
    return ModelRequest(
        method="POST",
        path="/v1/chat/completions",
        body={**whole, **(body or {})},
        time_ns=0,
        answered_by=AnsweredBy.TURN,
        script=0,
        turn=0,
        tools=tuple(tools),
    )


def ran_with(label: str, **payload: object) -> Mark:
    """One run of a hook that was given this."""
    text = msgspec.json.encode(payload).decode("utf-8")
    return msgspec.structs.replace(_mark(label), stdin=text)


def touch(scene: Scene, *names: str) -> None:
    """Marks of servers."""
    for name in names:
        (scene.marks / name).touch()


def _mark(label: str) -> Mark:
    return Mark(label, 0, "{}", "/", (), (), 0)
