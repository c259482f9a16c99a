"""Transcripts with the mix of event types and sizes that people's real ones have.

Measured on transcripts that people published (1.0.14 to 1.0.68): per type how many of a thousand
lines, and how many bytes a line. Seven of eight answers are tool requests without words. Files and
commands come again and again. Conversation text is what `conversation` asks for: the real ones
have 0.4 % of their bytes.
"""

import json
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

LINES = {
    "tool": (224, 0),  # a start of 471 and an end of 2600 bytes
    "hook": (168, 0),  # a start of 2539 and an end of 260 bytes
    "assistant.message": (127, 1595),
    "assistant.turn_start": (101, 241),
    "assistant.turn_end": (97, 185),
    "user.message": (19, 1086),
    "session.error": (18, 905),
    "system.message": (14, 19111),
    "permission.requested": (9, 5303),
    "session.model_change": (8, 232),
}
SILENT_ANSWERS = 7 / 8
TOOLS = {"view": 124, "bash": 46, "report_intent": 18, "edit": 21, "glob": 17}
VOCABULARY = 20_000
FILES = 300
COMMANDS = 200
START = datetime(2026, 1, 1, tzinfo=UTC)


class Generator:
    """Makes events that look like Copilot's; the same seed makes the same bytes."""

    def __init__(self, conversation: float = 0.004, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._words = [self._word() for _ in range(VOCABULARY)]
        self._now = START
        self._parent: str | None = None
        self._spoken = self._written = 0
        self._conversation = conversation
        self._filler = self._make_filler(200_000)
        self._files = [f"/home/me/app/src/{word}.py" for word in self._words[:FILES]]
        self._commands = [f"make {self._fill(40).strip()}" for _ in range(COMMANDS)]

    def start(self, cwd: str) -> bytes:
        """The first line of a session."""
        self._parent = None
        data = {"sessionId": self._id(), "version": 1, "producer": "copilot-agent"}
        data |= {"copilotVersion": "1.0.68", "startTime": self._time()}
        return self._line("session.start", {**data, "context": {"cwd": cwd, "gitRoot": cwd}})

    def prompt(self, text: str) -> bytes:
        """What a user types."""
        data = {"content": text, "transformedContent": f"<now/>\n{text}", "attachments": []}
        return self._line("user.message", data)

    def events(self) -> Iterator[bytes]:
        """Lines without end."""
        kinds, weights = zip(*((kind, count) for kind, (count, _) in LINES.items()), strict=True)
        while True:
            for kind in self._random.choices(kinds, weights, k=100):
                yield from self._event(kind, LINES[kind][1])

    def _event(self, kind: str, size: int) -> Iterator[bytes]:
        match kind:
            case "tool":
                yield from self._tool()
            case "hook":
                name, started = {"hookType": "postToolUse"}, {"toolResult": self._fill(2200)}
                yield self._line("hook.start", {**name, "input": started})
                yield self._line("hook.end", {**name, "success": True})
            case "user.message":
                yield self.prompt(self._talk())
            case "assistant.message":
                text = "" if self._random.random() < SILENT_ANSWERS else self._talk()
                answer: dict[str, object] = {"messageId": self._id(), "content": text}
                answer["toolRequests"] = [{"toolCallId": "c", "name": "bash"}]
                answer["encryptedContent"] = self._fill(size - 600)
                yield self._line(kind, answer)
            case _:
                yield self._line(kind, {"content": self._fill(max(0, size - 180))})

    def _tool(self) -> Iterator[bytes]:
        call = self._id()
        [name] = self._random.choices(list(TOOLS), list(TOOLS.values()))
        path = self._random.choice(self._files)
        arguments = {
            "bash": {"command": self._random.choice(self._commands), "description": "build it"},
            "edit": {"path": path, "old_str": self._fill(60), "new_str": self._fill(60)},
        }.get(name, {"path": path})
        start = {"toolCallId": call, "toolName": name, "arguments": arguments, "turnId": "0"}
        yield self._line("tool.execution_start", start)
        failed = self._random.random() < 0.03
        end: dict[str, object] = {"toolCallId": call, "model": "gpt-5", "turnId": "0"}
        output = f"{self._fill(2000)}\n<exited with exit code 0>"
        end |= (
            {"success": False, "error": {"message": self._fill(120), "code": "failure"}}
            if failed
            else {"success": True, "result": {"content": output, "detailedContent": ""}}
        )
        yield self._line("tool.execution_complete", {**end, "toolTelemetry": {"properties": {}}})

    def _talk(self) -> str:
        """As many words as the wanted share of conversation is behind."""
        missing = int(self._conversation * self._written) - self._spoken
        if missing <= 0:
            return ""
        words: list[str] = []
        while missing > 0:
            words.append(self._random.choice(self._words))
            missing -= len(words[-1]) + 1
        text = " ".join(words)
        self._spoken += len(text)
        return text

    def _line(self, kind: str, data: object) -> bytes:
        number = self._id()
        event = {"type": kind, "data": data, "id": number, "timestamp": self._time()}
        event["parentId"], self._parent = self._parent, number
        line = json.dumps(event, separators=(",", ":")).encode() + b"\n"
        self._written += len(line)
        return line

    def _id(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def _time(self) -> str:
        self._now += timedelta(milliseconds=700)
        return self._now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self._now.microsecond // 1000:03d}Z"

    def _fill(self, size: int) -> str:
        begin = self._random.randrange(len(self._filler) - size)
        return self._filler[begin : begin + size]

    def _word(self) -> str:
        letters = "etaoinshrdlucmfwypvbgk"
        return "".join(self._random.choices(letters, k=self._random.randint(3, 11)))

    def _make_filler(self, size: int) -> str:
        """Program text: quotes and line ends are escaped in JSON, as they are in real output."""
        pieces = []
        while size > 0:
            pieces.append(f'    {self._random.choice(self._words)} = "x"\n')
            size -= len(pieces[-1])
        return "".join(pieces)


def write_transcript(path: Path, size: int, generator: Generator, cwd: str = "/home/me/app") -> int:
    """Write a session of about `size` bytes; return how many lines it has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines, written = 1, 0
    with path.open("wb") as file:
        written += file.write(generator.start(cwd))
        for line in generator.events():
            written += file.write(line)
            lines += 1
            if written >= size:
                return lines
    return lines


def write_talk(path: Path, generator: Generator, cwd: str = "/home/me/app") -> None:
    """Write the shortest session in which somebody speaks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(generator.start(cwd) + generator.prompt("hello"))
