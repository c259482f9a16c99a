"""The folders of one probing session: a scratch Copilot home and what its programs leave behind."""

import json
import secrets
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from imprint.observe.marks import Mark, read_marks
from imprint.sandbox.isolation import ScratchHome

# Never imported: both run with the standard library alone, started by Copilot.
_RECORDER = Path(__file__).with_name("_recorder.py")
_SERVER = Path(__file__).with_name("_server.py")

BOGUS_EVENT = "ImprintCanaryEvent"
"""No release knows it: it must be reported as unknown, and its hook must never run."""

Entry = dict[str, object]
"""A hook or an MCP server, as its file has it."""


def canary() -> str:
    """A word that nothing else can know."""
    return f"zq{secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True)
class Words:
    """Canaries of one session: what each part injects, and a word that nobody does."""

    context: str
    second: str
    instructions: str
    answer: str
    never: str

    @classmethod
    def new(cls) -> "Words":
        """Five different words."""
        return cls(*(canary() for _ in range(5)))


@dataclass(frozen=True, slots=True)
class Scene:
    """Folders below `root`, all of them real paths; files are written before Copilot starts."""

    root: Path
    words: Words

    @classmethod
    def make(cls, root: Path) -> "Scene":
        """The folders, empty."""
        scene = cls(root.resolve(), Words.new())
        scene.scratch.make()
        for folder in (scene.work, scene.marks, scene.hooks):
            folder.mkdir()
        return scene

    def word(self, key: str) -> str:
        """A further canary of this scene, the same for the same key."""
        return f"zq{sha256(f'{self.words.never} {key}'.encode()).hexdigest()[:16]}"

    @property
    def scratch(self) -> ScratchHome:
        """The home that Copilot gets."""
        return ScratchHome(self.root / "scratch")

    @property
    def work(self) -> Path:
        """The session's working directory."""
        return self.root / "work"

    @property
    def marks(self) -> Path:
        """Where hooks and servers leave their marks."""
        return self.root / "marks"

    @property
    def hooks(self) -> Path:
        """The home's folder of hooks files."""
        return self.scratch.copilot / "hooks"

    def recorder(
        self, label: str, *words: str, answer: str = "{}", seconds: float = 0, needle: str = ""
    ) -> tuple[str, ...]:
        """The words of a recording hook's command line."""
        python = (sys.executable, "-I", "-S", str(_RECORDER))
        return (*python, str(self.marks), label, answer, str(seconds), needle, *words)

    def hook(
        self, label: str, *, answer: str = "{}", seconds: float = 0, needle: str = ""
    ) -> Entry:
        """A recording hook in the form that every known release runs here.

        The shell is replaced by the recorder, so that whoever ends the one ends the other.
        """
        argv = self.recorder(label, answer=answer, seconds=seconds, needle=needle)
        return {"type": "command", "bash": f"exec {shlex.join(argv)}"}

    def write_hooks(self, name: str, hooks: Mapping[str, Sequence[Entry]]) -> None:
        """A hooks file below the Copilot home, by its path there."""
        self.write(name, json.dumps({"version": 1, "hooks": hooks}))

    def server(self, label: str, served: Sequence[str], **keys: object) -> Entry:
        """An MCP entry; `keys` are its `type`, `tools`, or neither."""
        arguments = ["-I", "-S", str(_SERVER), str(self.marks), label, *served]
        return {"command": sys.executable, "args": arguments, **keys}

    def write(self, name: str, text: str) -> None:
        """A file below the Copilot home."""
        path = self.scratch.copilot / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read_marks(self) -> tuple[Mark, ...]:
        """What hooks recorded, oldest first."""
        return read_marks(self.marks)

    def has_mark(self, name: str) -> bool:
        """Whether a server left such a mark: `LABEL.started`, `LABEL.called`."""
        return (self.marks / name).exists()

    def log_lines(self) -> tuple[str, ...]:
        """Copilot's own log of the session."""
        files = sorted((self.scratch.copilot / "logs").glob("*.log"))
        texts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
        return tuple(line for text in texts for line in text.splitlines())
