"""Runs the command as a user does: a process of its own, in a scratch home."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True, slots=True)
class Ran:
    """A command's end; `envelope` is its JSON under `--json`."""

    code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        value = json.loads(self.out)
        assert value["exit_code"] == self.code
        assert isinstance(value, dict)
        return value

    @property
    def data(self) -> dict[str, Any]:
        value = self.envelope["data"]
        assert isinstance(value, dict)
        return value


@dataclass(frozen=True, slots=True)
class User:
    """A user with a home, a Copilot home and an Imprint home below one folder."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def copilot(self) -> Path:
        return self.home / ".copilot"

    @property
    def imprint_home(self) -> Path:
        return self.root / "imprint"

    def variables(self) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.home),
            "IMPRINT_HOME": str(self.imprint_home),
            "XDG_STATE_HOME": str(self.root / "state"),
            "XDG_CACHE_HOME": str(self.root / "cache"),
        }

    def run(
        self,
        *words: str,
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
    ) -> Ran:
        """`imprint WORDS`, bounded."""
        env = {**self.variables(), **(extra or {})}
        command = [sys.executable, "-P", "-m", "imprint", *words]
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            env=env,
            timeout=120,
            check=False,
            cwd=self.root,
        )
        assert b"Traceback" not in done.stderr
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def session(self, name: str, *events: tuple[str, dict[str, object]]) -> Path:
        """A transcript below the Copilot home's session-state."""
        folder = self.copilot / "session-state" / name
        folder.mkdir(parents=True)
        lines = []
        for number, (kind, data) in enumerate(events):
            event = {
                "id": f"{name}-{number}",
                "parentId": f"{name}-{number - 1}" if number else None,
                "timestamp": f"2026-11-30T10:00:{number:02}.000Z",
                "type": kind,
                "data": data,
            }
            lines.append(json.dumps(event) + "\n")
        path = folder / "events.jsonl"
        path.write_text("".join(lines), encoding="utf-8")
        return path


@pytest.fixture
def user(tmp_path: Path) -> User:
    """A user who has a Copilot home, and nothing of Imprint yet."""
    found = User(tmp_path / "u")
    found.copilot.mkdir(parents=True)
    return found


@pytest.fixture
def said(user: User) -> Callable[..., Path]:
    """Lets the user and Copilot talk: `said(name, question, answer, cwd=...)`."""

    def said(name: str, question: str, answer: str, cwd: str = "/srv/app") -> Path:
        return user.session(
            name,
            ("session.start", {"sessionId": name, "context": {"cwd": cwd}}),
            ("user.message", {"content": question}),
            ("assistant.message", {"content": answer, "toolRequests": []}),
        )

    return said
