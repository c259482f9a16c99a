"""Transcripts written as Copilot writes them, and a world to learn them in."""

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from imprint.base.paths import Environment
from imprint.learn import LearnReport, Policy, SessionState, learn_homes, load_policy
from imprint.learn.reader import TranscriptReader
from imprint.memory import Memory, SessionDetail

SHARED = Path(__file__).parents[3] / "shared" / "data"
"""Real sessions, where they lie beside the checkout."""
START = datetime(2026, 10, 1, 9, 0, tzinfo=UTC)
NAMESPACE = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")


def iso(moment: datetime) -> str:
    """As JavaScript writes it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


@dataclass
class Transcript:
    """Builds the lines of one session, each event a second after the one before."""

    name: str = "session"
    now: datetime = START
    lines: list[bytes] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def event(self, kind: str, data: object, **more: object) -> "Transcript":
        """Any event: type first, as every release writes it."""
        self.now += timedelta(seconds=1)
        number = str(uuid.uuid5(NAMESPACE, f"{self.name} {len(self.ids)} {kind} {data}"))
        event = {"type": kind, "data": data, **more, "id": number}
        event |= {"timestamp": iso(self.now), "parentId": self.ids[-1] if self.ids else None}
        self.ids.append(number)
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        self.lines.append(text.encode("utf-8", "surrogatepass") + b"\n")
        return self

    def start(self, cwd: str | None = "/home/me/app", **data: object) -> "Transcript":
        """`session.start`."""
        context = {} if cwd is None else {"context": {"cwd": cwd, "gitRoot": cwd}}
        told = {"sessionId": self.name, "version": 1, "producer": "copilot-agent"}
        told |= {"copilotVersion": "1.0.102", "startTime": iso(self.now), **context, **data}
        return self.event("session.start", told)

    def user(self, content: str, *, agent: str = "", **data: object) -> "Transcript":
        """`user.message` with all that the model gets beside the words."""
        more = {"agentId": agent} if agent else {}
        transformed = f"<current_datetime>now</current_datetime>\n\n{content}\nMODEL-ONLY"
        told = {"content": content, "transformedContent": transformed, **data}
        return self.event("user.message", told, **more)

    def answer(self, content: str, *, agent: str = "", **data: object) -> "Transcript":
        """`assistant.message`."""
        more = {"agentId": agent} if agent else {}
        told = {"messageId": f"m{len(self.ids)}", "content": content, "toolRequests": []}
        told |= {"reasoningText": "REASONING", "encryptedContent": "ENCRYPTED", **data}
        return self.event("assistant.message", told, **more)

    def hook(self, kind: str = "postToolUse", **data: object) -> "Transcript":
        """The pair of events around a hook."""
        self.event("hook.start", {"hookType": kind, "input": {"toolResult": "HOOK-INPUT"}, **data})
        return self.event("hook.end", {"hookType": kind, "success": True, **data})

    def tool(
        self,
        name: str,
        arguments: object,
        *,
        success: bool = True,
        result: str = "TOOL-OUTPUT",
        **start: object,
    ) -> "Transcript":
        """A tool call with its end."""
        call = f"call_{len(self.ids)}"
        self.event(
            "tool.execution_start",
            {"toolCallId": call, "toolName": name, "arguments": arguments, **start},
        )
        end: dict[str, object] = {"toolCallId": call, "model": "m", "success": success}
        end |= {"result": {"content": result}} if success else {"error": {"message": result}}
        return self.event("tool.execution_complete", end)

    def turn(self, asked: str, answered: str) -> "Transcript":
        """A prompt and its answer with the events around them."""
        self.user(asked).event("assistant.turn_start", {"turnId": "0"})
        return self.answer(answered).event("assistant.turn_end", {"turnId": "0"})

    def stop(self) -> "Transcript":
        """What is written around the Stop hook."""
        return self.hook("agentStop")

    @property
    def bytes(self) -> bytes:
        """The whole file."""
        return b"".join(self.lines)


def read(path: Path) -> TranscriptReader:
    """Read a file to its end; the reader tells what it counted."""
    with path.open("rb") as file:
        reader = TranscriptReader(file)
        for _ in reader.read():
            pass
    return reader


@dataclass
class Home:
    """A scratch Copilot home with an Imprint home beside it."""

    world: Environment
    memory: Memory

    @property
    def state(self) -> Path:
        """The folder of session folders."""
        return self.world.home / ".copilot" / "session-state"

    def put(self, name: str, content: Transcript | bytes) -> Path:
        """Write a session's transcript."""
        path = self.state / name / "events.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.bytes)
        return path

    def configure(self, text: str) -> None:
        """Write the user's `config.toml`."""
        path = self.world.layout().config
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def learn(
        self, *states: SessionState, policy: Policy | None = None, nested: bool = False
    ) -> LearnReport:
        """One scan."""
        return learn_homes(
            self.memory,
            states or (SessionState(self.state, nested=nested),),
            policy=policy or load_policy(self.world),
            layout=self.world.layout(),
        )

    def session(self, name: str) -> SessionDetail | None:
        """What the memory holds of a session."""
        return self.memory.session(f"conversation/{name}")

    def texts(self, name: str) -> list[str]:
        """The words of a session's turns, in order."""
        detail = self.session(name)
        return [turn.text for turn in detail.turns] if detail else []

    def work(self, name: str) -> list[tuple[str, str]]:
        """Kind and subject of its work records, in order."""
        detail = self.session(name)
        return [(record.kind, record.subject) for record in detail.work] if detail else []


class ManualClock:
    """A clock that moves only when somebody waits; what is due then is done."""

    def __init__(self, now: float) -> None:
        self._now = now
        self._elapsed = 0.0
        self._due: list[tuple[float, Callable[[], object]]] = []
        self.waits: list[float] = []

    def now(self) -> float:
        """Wall clock."""
        return self._now + self._elapsed

    def monotonic(self) -> float:
        """Steady clock."""
        return self._elapsed

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Have something done when so much time has passed."""
        self._due.append((self._elapsed + seconds, action))
        self._due.sort(key=lambda due: due[0])

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.waits.append(seconds)
        self._elapsed += seconds
        while self._due and self._due[0][0] <= self._elapsed:
            self._due.pop(0)[1]()


def found_kinds(events: Sequence[object]) -> list[str]:
    """The names of event classes."""
    return [type(event).__name__ for event in events]
