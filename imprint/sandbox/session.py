"""One session of a real Copilot against the scripted model."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from imprint.base.paths import Environment
from imprint.sandbox._launch import Stdio, prepare
from imprint.sandbox._process import finish
from imprint.sandbox._transcript import HookRecord, TranscriptFacts, read_facts
from imprint.sandbox.errors import ScratchUnusable
from imprint.sandbox.isolation import (
    Isolation,
    ScratchHome,
    model_environment,
    sealed_environment,
)
from imprint.sandbox.model import MODEL, ModelRequest, ScriptedModel
from imprint.sandbox.release import Release, lend
from imprint.sandbox.script import Script, Turn

DEADLINE_SECONDS = 90.0

PROMPT_MODE = ("--allow-all-tools",)
"""Without it prompt mode refuses to run tools; every release from 1.0.10 on knows it."""


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """What to run.

    `turns` answer the prompt, `scripts` further conversations (of subagents). `host` is the
    real environment, of which Copilot gets the PATH of a few programs only; `environment` adds
    to the cleared one. `deadline` is in seconds; `port` 0 takes a free one; without `isolate`
    the run shares the host's network.
    """

    release: Release
    prompt: str
    turns: tuple[Turn, ...]
    scratch: ScratchHome
    workdir: Path
    host: Environment
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    scripts: tuple[Script, ...] = ()
    deadline: float = DEADLINE_SECONDS
    isolate: bool = True
    port: int = 0


@dataclass(frozen=True, slots=True)
class SessionResult:
    """What one run did; everything that a judge may look at."""

    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool
    duration_ms: int
    isolation: Isolation
    model_requests: tuple[ModelRequest, ...]
    session_folder: Path | None
    facts: TranscriptFacts

    @property
    def transcript(self) -> Path | None:
        """The session's events.jsonl."""
        return self.session_folder / "events.jsonl" if self.session_folder else None

    @property
    def copilot_version(self) -> str:
        """The version that counts: the one in `session.start`; empty where none was written."""
        return self.facts.copilot_version

    @property
    def hook_records(self) -> tuple[HookRecord, ...]:
        """Copilot's own notes of the hooks that it ran."""
        return self.facts.hook_records


def run_prompt(spec: SessionSpec) -> SessionResult:
    """Run `copilot -p PROMPT` to its end or the deadline.

    Raises `ScratchUnusable`, `CopilotNotStarted`, `PortInUse`; how the run went is in the result.
    """
    arguments = ("-p", spec.prompt, *PROMPT_MODE, *spec.arguments)
    return run_program(spec, lambda _: (*spec.release.command, *arguments))


def run_command(spec: SessionSpec) -> SessionResult:
    """Run `copilot` with the arguments of `spec` alone, such as `mcp add`; errors as above."""
    return run_program(spec, lambda _: (*spec.release.command, *spec.arguments))


def run_program(spec: SessionSpec, argv: Callable[[str], Sequence[str]]) -> SessionResult:
    """Run a program in Copilot's place, such as one that starts Copilot; errors as above.

    `argv` makes its command line out of the model's base URL.
    """
    _make(spec.scratch, spec.release)
    before = _stamps(spec.scratch.sessions)
    launcher = prepare(spec.workdir, Stdio(), port=spec.port, isolate=spec.isolate)
    scripts = (Script(spec.prompt, spec.turns), *spec.scripts)
    try:
        with ScriptedModel(*scripts, listener=launcher.listener) as model:
            environment = {
                **sealed_environment(spec.host, spec.scratch, spec.environment),
                **model_environment(model.base_url, MODEL),
            }
            began = time.monotonic()
            process = launcher.start(argv(model.base_url), environment)
            finished = finish(process, began + spec.deadline)
            duration = time.monotonic() - began
    finally:
        launcher.close()
    folder = _session_since(before, spec.scratch.sessions)
    return SessionResult(
        exit_code=finished.exit_code,
        stdout=finished.stdout,
        stderr=finished.stderr,
        timed_out=finished.timed_out,
        duration_ms=round(duration * 1000),
        isolation=launcher.isolation,
        model_requests=model.requests,
        session_folder=folder,
        facts=read_facts(folder / "events.jsonl") if folder else TranscriptFacts(),
    )


def _make(scratch: ScratchHome, release: Release) -> None:
    try:
        scratch.make()
        lend(release, scratch)
    except OSError as error:
        raise ScratchUnusable(
            f"the scratch home {scratch.root} can't be made: {error.strerror}",
            fix="free some space there, or set TMPDIR to another folder",
        ) from error


def _stamps(sessions: Path) -> dict[Path, int]:
    """When each session's transcript last changed, in nanoseconds."""
    return {path: path.stat().st_mtime_ns for path in sessions.glob("*/events.jsonl")}


def _session_since(before: dict[Path, int], sessions: Path) -> Path | None:
    """The folder of the session that was begun or resumed since; the latest of several."""
    now = _stamps(sessions)
    changed = [path for path, stamp in now.items() if before.get(path) != stamp]
    return max(changed, key=now.__getitem__).parent if changed else None
