"""The loop itself: install, tell, learn, recall, ask, give back."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from imprint.base.paths import Environment
from imprint.copilot.contract import CopilotContract
from imprint.copilot.homes import CopilotHome, HomeSource
from imprint.copilot.runtime import Runtime
from imprint.sandbox.isolation import ScratchHome
from imprint.sandbox.release import Release, from_binary
from imprint.sandbox.releases import release_store
from imprint.sandbox.script import Script
from imprint.sandbox.session import SessionResult, SessionSpec, run_prompt
from imprint.trial import install, judges, learning
from imprint.trial.controls import HookAbility, hook_ability, known_without_context
from imprint.trial.scenario import CONTROL, Scenario
from imprint.trial.stage import Stage, stage
from imprint.trial.steps import Recorder, Status, Step, Trial, Verdict, not_offered, proven


@dataclass(frozen=True, slots=True)
class Options:
    """Which Copilot to try: a version from npm, a binary, or the newest release (neither)."""

    version: str | None = None
    binary: Path | None = None
    keep: bool = False


def run_trial(host: Environment, options: Options, say: Callable[[Step], None]) -> Trial:
    """Run the whole loop; raises `SandboxError` where there is no Copilot to run it on."""
    recorder = Recorder(say)
    started = time.perf_counter()
    release, where = _obtain(host, options)
    recorder.add("release", proven(where), started)
    with stage(host, keep=options.keep) as built, ThreadPoolExecutor(1) as pool:
        loop = _Loop(host, release, built, recorder, pool)
        loop.run()
        return Trial(
            copilot=loop.version,
            isolation=loop.isolation,
            steps=tuple(recorder.steps),
            home=str(built.root) if options.keep else None,
        )


def _obtain(host: Environment, options: Options) -> tuple[Release, str]:
    if options.binary is not None:
        release = from_binary(options.binary, host)
        return release, f"{release.command[0]} says it is {release.version}"
    store = release_store(host)
    if options.version is not None:
        release, note = store.fetch(options.version), ""
    else:
        newest = store.newest()
        release, note = store.fetch(newest.version), newest.message
    kept = f"{release.version} ({release.kind}), sha512 {release.digest[:12]}"
    return release, f"{kept}; {note}" if note else kept


class _Loop:
    """One trial under way: what a step learned and a later one needs."""

    def __init__(
        self,
        host: Environment,
        release: Release,
        built: Stage,
        recorder: Recorder,
        pool: ThreadPoolExecutor,
    ) -> None:
        self._host, self._release, self._stage = host, release, built
        self._recorder, self._pool = recorder, pool
        self._scenario = Scenario.new()
        self._runtime = Runtime.current(built.environment)
        self._contract = CopilotContract.for_version(release.version, host.platform)
        self._ability: HookAbility | None = None
        self.version, self.isolation = release.version, ""

    def run(self) -> None:
        """All steps, in order; a later one is still asked when an earlier one failed."""
        home = CopilotHome.at(self._stage.scratch.copilot, HomeSource.VARIABLE)
        installation = install.Installation(
            self._stage.environment, home, self._contract, self._runtime
        )
        self._recorder.judge("setup", installation.set_up)
        # The control needs nothing of session 1, and the machine mostly has a second core.
        control = self._pool.submit(self._session, CONTROL, self._stage.control)
        telling = self._tell()
        self._recorder.judge(
            "recall", lambda: learning.judge_recall(self._stage, self._scenario, telling)
        )
        asking = self._ask(control)
        bare = control.result()
        self._recorder.judge("mcp", lambda: judges.judge_mcp(self._scenario, asking))
        self._recorder.judge(
            "instructions", lambda: judges.judge_instructions((telling, asking), bare)
        )
        learning.settle(self._stage)
        self._recorder.judge(
            "disconnect",
            lambda: installation.take_out(self._stage.control.copilot),
        )

    def _session(self, script: Script, scratch: ScratchHome) -> SessionResult:
        return run_prompt(self._spec(script, scratch))

    def _spec(self, script: Script, scratch: ScratchHome) -> SessionSpec:
        return SessionSpec(
            release=self._release,
            prompt=script.prompt,
            turns=script.turns,
            scratch=scratch,
            workdir=self._stage.project,
            host=self._host,
        )

    def _tell(self) -> SessionResult:
        started = time.perf_counter()
        telling = self._session(self._scenario.telling, self._stage.scratch)
        self.version = telling.copilot_version or self.version
        reason = f": {telling.isolation.reason}" if telling.isolation.reason else ""
        self.isolation = f"{telling.isolation.kind}{reason}"
        verdict = learning.judge_stop(
            self._stage, self._scenario, telling, lambda: self._hook_ability().stop
        )
        self._recorder.add("learn", verdict, started)
        return telling

    def _ask(self, control: Future[SessionResult]) -> SessionResult:
        started = time.perf_counter()
        asking = self._session(self._scenario.asking, self._stage.scratch)
        self._recorder.add("context", self._judge_context(asking, control.result()), started)
        return asking

    def _judge_context(self, asking: SessionResult, bare: SessionResult) -> Verdict:
        refused = judges.judge_bare(bare)
        if refused is not None:
            return refused
        verdict = judges.judge_context(self._scenario, asking, bare, self._ability)
        if verdict.ok or not judges.answered(asking) or self._ability is not None:
            return verdict
        known = known_without_context(self._contract, self._release)
        if known and verdict.status is Status.UNJUDGED:
            return not_offered(known)
        return judges.judge_context(self._scenario, asking, bare, self._hook_ability())

    def _hook_ability(self) -> HookAbility:
        """Asked only when something did not arrive: four more sessions."""
        if self._ability is None:
            folder = self._stage.root / "hook-control"
            self._ability = hook_ability(self._release, self._host, folder)
        return self._ability
