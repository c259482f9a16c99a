"""Running scenarios: each once, when a judge first asks for it."""

import hashlib
import platform as machine
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from imprint.base.errors import ImprintError, UndeterminedError
from imprint.base.paths import Environment
from imprint.observe.marks import Mark
from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scene import Scene, Words
from imprint.sandbox.model import AnsweredBy, ModelRequest
from imprint.sandbox.release import Release
from imprint.sandbox.releases import platform_package
from imprint.sandbox.session import SessionResult, SessionSpec

LOG_EVERYTHING = ("--log-level", "debug")
"""Unknown event names are reported at this level alone; every release from 1.0.10 on knows it."""

_STARTING = re.compile(r"Starting Copilot CLI: (\S+)$")


@dataclass(frozen=True, slots=True)
class Seen:
    """What one session showed: Copilot's side (`result`, `log`), the programs' side (`marks`)."""

    scene: Scene
    result: SessionResult
    marks: tuple[Mark, ...]
    log: tuple[str, ...]

    @property
    def words(self) -> Words:
        """The session's canaries."""
        return self.scene.words

    @property
    def answered(self) -> tuple[ModelRequest, ...]:
        """The requests of the conversation itself."""
        requests = self.result.model_requests
        return tuple(one for one in requests if one.answered_by is AnsweredBy.TURN)

    @property
    def reported_version(self) -> str:
        """What `session.start` said; where no session began, what the log begins with."""
        started = (_STARTING.search(line) for line in self.log)
        return self.result.copilot_version or next((one[1] for one in started if one), "")

    def runs_of(self, label: str) -> tuple[Mark, ...]:
        """What the hook with this label recorded, oldest first."""
        return tuple(mark for mark in self.marks if mark.label == label)

    def reached_model(self, word: str) -> bool:
        """Whether a word is in any request of the session."""
        return any(one.contains(word) for one in self.result.model_requests)


class SessionUseless(UndeterminedError):
    """A session that proves nothing; `reason` is one word for the row."""

    code = "session-useless"

    def __init__(self, reason: str, *, blocked: bool = False) -> None:
        super().__init__(f"a session proves nothing: {reason}")
        self.reason = reason
        self.blocked = blocked


@dataclass(slots=True)
class Sessions:
    """The sessions of one attempt on one release; scenes lie below `folder`, which is empty.

    `deadline` (seconds) shortens that of every scenario.
    """

    release: Release
    host: Environment
    folder: Path
    scenarios: Mapping[str, Scenario]
    deadline: float = inf
    _seen: dict[str, Seen | SessionUseless] = field(default_factory=dict)
    _begun: dict[str, Future[Seen | SessionUseless]] = field(default_factory=dict)

    def begin(self, names: Iterable[str]) -> None:
        """Run these scenarios one after the other, beside whatever else is asked meanwhile.

        For those that mostly wait; each has a home of its own, so nothing else is shared.
        """
        beside = ThreadPoolExecutor(1, thread_name_prefix="observe")
        for name in names:
            self._begun[name] = beside.submit(self._ask, self.scenarios[name])
        beside.shutdown(wait=False)

    def __getitem__(self, name: str) -> Seen:
        """The session of a scenario; `SessionUseless` where it proves nothing."""
        if name not in self._seen:
            begun = self._begun.get(name)
            self._seen[name] = begun.result() if begun else self._ask(self.scenarios[name])
        found = self._seen[name]
        if isinstance(found, SessionUseless):
            raise found
        return found

    @property
    def seen(self) -> tuple[Seen, ...]:
        """The sessions so far that prove something."""
        return tuple(one for one in self._seen.values() if isinstance(one, Seen))

    @property
    def reported_versions(self) -> frozenset[str]:
        """What they said: `session.start`, or the log where none began."""
        said = {one.reported_version for one in self.seen}
        strange = {
            one.reason.removeprefix(_OTHER_VERSION)
            for one in self._seen.values()
            if isinstance(one, SessionUseless) and one.reason.startswith(_OTHER_VERSION)
        }
        return frozenset((said | strange) - {"", _UNSAID})

    def _ask(self, scenario: Scenario) -> Seen | SessionUseless:
        try:
            before = self[scenario.after] if scenario.after else None
        except SessionUseless as error:
            return error
        scene = before.scene if before else Scene.make(self.folder / scenario.name)
        marks, lines = (len(scene.read_marks()), len(scene.log_lines())) if before else (0, 0)
        scenario.arrange(scene)
        try:
            result = scenario.drive(self._spec(scenario, scene))
        except ImprintError as error:
            return SessionUseless(error.code, blocked=True)
        reason = _why_useless(self.release, result, scenario.tolerates)
        if reason:
            return SessionUseless(reason)
        return Seen(scene, result, scene.read_marks()[marks:], scene.log_lines()[lines:])

    def _spec(self, scenario: Scenario, scene: Scene) -> SessionSpec:
        return SessionSpec(
            release=self.release,
            prompt=scenario.prompt,
            turns=scenario.turns(scene),
            scratch=scene.scratch,
            workdir=scenario.workdir(scene),
            host=self.host,
            arguments=(*LOG_EVERYTHING, *scenario.arguments(scene)),
            environment=scenario.environment(scene),
            scripts=scenario.scripts(scene),
            deadline=min(self.deadline, scenario.deadline),
        )


_OTHER_VERSION = "reported-version-"

_UNSAID = "0.0.0"
"""What the SDK server of 1.0.83 writes in the place of its version: it says nothing of it. Every
other session of the release tells, and the executable's digest stays the same."""


def _why_useless(release: Release, result: SessionResult, tolerated: frozenset[Useless]) -> str:
    """One word, or empty for a session that came to the end that its scenario expects."""
    if result.timed_out and Useless.TIMED_OUT not in tolerated:
        return Useless.TIMED_OUT
    asked = any(one.answered_by is AnsweredBy.TURN for one in result.model_requests)
    if not asked and Useless.MODEL_NOT_ASKED not in tolerated:
        return Useless.MODEL_NOT_ASKED
    if result.exit_code != 0 and not (result.timed_out or Useless.EXIT_CODE in tolerated):
        return f"{Useless.EXIT_CODE}-{result.exit_code}"
    if result.copilot_version not in {"", _UNSAID, release.version}:
        return f"{_OTHER_VERSION}{result.copilot_version}"
    return ""


def executable_digest(release: Release) -> str:
    """`sha256:` and the digest of what the release starts; of nothing where it is gone."""
    digest = hashlib.sha256()
    try:
        with Path(release.command[-1]).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
    except OSError:
        return "sha256:missing"
    return f"sha256:{digest.hexdigest()}"


def this_platform(host: Environment) -> str:
    """The platform's name as observations have it, such as `linux-x64`."""
    return platform_package(host.platform, machine.machine(), machine.libc_ver()[0])
