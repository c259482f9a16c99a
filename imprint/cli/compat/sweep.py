"""`imprint compat sweep`: ask one release after the other, and record what each answers."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import filelock
import msgspec

from imprint.base.errors import ExitCode, RefusedError
from imprint.base.paths import make_private
from imprint.cli.compat.probing import Prober, why
from imprint.compat.observation import Observations
from imprint.compat.shipped import PROGRAM

RELEASE_SECONDS = 3600.0
"""For everything that one release is asked, twice, and its download."""


class SweepRunning(RefusedError):
    """Two sweeps would do the same work."""

    code = "sweep-running"


class Progressing(msgspec.Struct, frozen=True):
    """What a sweep that was stopped had come to: only one over the same releases goes on."""

    releases: tuple[str, ...]
    revision: str
    failed: dict[str, str]


class Swept(msgspec.Struct, frozen=True):
    """The releases that were recorded now, those that were before, and those that failed, why."""

    recorded: tuple[str, ...]
    skipped: tuple[str, ...]
    failed: dict[str, str]

    @property
    def exit_code(self) -> ExitCode:
        """A failure needs attention."""
        return ExitCode.ATTENTION if self.failed else ExitCode.OK


class Watcher(Protocol):
    """Hears of every release that is begun and ended."""

    def start(self, name: str) -> None:
        """A release is asked now."""
        ...

    def end(self, name: str, said: str, *, is_failure: bool) -> None:
        """It was asked."""
        ...

    def close(self) -> None:
        """There are no more."""
        ...


@dataclass(slots=True)
class Sweep:
    """Asks `releases` on a platform, in this order, `jobs` of them at a time.

    `data` is the data folder that is written, `cache` the user's cache of releases. What is not in
    it goes into a cache of the sweep's own, which is removed as soon as the release was asked: so
    no more than `jobs` releases are on the disk, and nobody else's is ever evicted. `revision` is
    that of the probes: what it has recorded is not asked again. `derive` writes what follows.
    """

    releases: tuple[str, ...]
    platform: str
    data: Path
    cache: Path
    cached: frozenset[str]
    revision: str
    prober: Prober
    derive: Callable[[], object]
    jobs: int = 1
    _failed: dict[str, str] = field(default_factory=dict)

    def run(self, watcher_of: Callable[[int], Watcher]) -> Swept:
        """To the end; a `KeyboardInterrupt` ends what is running, and the next sweep goes on."""
        make_private(self._own)
        try:
            with filelock.FileLock(self._own / "lock", timeout=0):
                return self._run(watcher_of)
        except filelock.Timeout as error:
            raise SweepRunning("a sweep is running already", fix="wait for it") from error

    def _run(self, watcher_of: Callable[[int], Watcher]) -> Swept:
        self._clean()
        self._failed = self._remembered()
        skipped = tuple(one for one in self.releases if self._is_recorded(one))
        left = [one for one in self.releases if one not in skipped and one not in self._failed]
        watcher = watcher_of(len(left))
        recorded: list[str] = []
        try:
            self._ask_all(left, recorded, watcher)
        finally:
            watcher.close()
            if recorded:
                self.derive()
            self._clean()
        self._state.unlink(missing_ok=True)
        return Swept(_like(self.releases, recorded), skipped, self._failed)

    def _ask_all(self, left: Sequence[str], recorded: list[str], watcher: Watcher) -> None:
        with ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(self._ask, version, watcher) for version in left]
            try:
                self._gather(dict(zip(futures, left, strict=True)), recorded, watcher)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.prober.stop()
                raise

    def _gather(
        self, open_ones: dict[Future[str | None], str], recorded: list[str], watcher: Watcher
    ) -> None:
        while open_ones:
            over, _ = wait(open_ones, return_when="FIRST_COMPLETED")
            for future in over:
                version, failure = open_ones.pop(future), _failure(future)
                if failure is None:
                    recorded.append(version)
                else:
                    self._failed[version] = failure
                    self._remember()
                watcher.end(version, failure or "recorded", is_failure=failure is not None)

    def _ask(self, version: str, watcher: Watcher) -> str | None:
        """Ask and record one release; why that failed, None where it did not."""
        watcher.start(version)
        with tempfile.TemporaryDirectory(prefix="imprint-sweep-") as scratch:
            data = _copy(self.data, Path(scratch) / "compat")
            finished = self.prober.run(
                (f"--copilot={version}", "--record", f"--compat-data={data}"),
                self._where(version),
            )
            shutil.rmtree(self._cache_of(version), ignore_errors=True)
            if finished is None:
                return "stopped"
            seen = _read(_place(data, version, self.platform))
            if seen is None:
                return why(finished, version, self.prober.seconds)
        _write(_place(self.data, version, self.platform), seen)
        return None

    def _where(self, version: str) -> dict[str, str]:
        """The variables that make a release that is not in the cache go elsewhere, npm's too."""
        if version in self.cached:
            return {"IMPRINT_CACHE": str(self.cache)}
        own = self._cache_of(version)
        return {"IMPRINT_CACHE": str(own), "npm_config_cache": str(own / "npm")}

    def _is_recorded(self, version: str) -> bool:
        data = _read(_place(self.data, version, self.platform))
        if data is None:
            return False
        run = msgspec.json.decode(data, type=Observations).run
        return run.probe_revision == self.revision

    # --- what is kept between two sweeps ---

    @property
    def _own(self) -> Path:
        return self.cache / "sweep"

    @property
    def _state(self) -> Path:
        return self._own / "state.json"

    def _cache_of(self, version: str) -> Path:
        return self._own / "releases" / version

    def _clean(self) -> None:
        """Releases of a sweep that was killed."""
        shutil.rmtree(self._own / "releases", ignore_errors=True)

    def _remembered(self) -> dict[str, str]:
        with contextlib.suppress(OSError, msgspec.DecodeError):
            found = msgspec.json.decode(self._state.read_bytes(), type=Progressing)
            if (found.releases, found.revision) == (self.releases, self.revision):
                return found.failed
        return {}

    def _remember(self) -> None:
        found = Progressing(self.releases, self.revision, self._failed)
        _write(self._state, msgspec.json.encode(found))


def _failure(future: Future[str | None]) -> str | None:
    """Why a release was not recorded; a full disk is one release's failure too."""
    try:
        return future.result()
    except OSError as error:
        return f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"


def lines(swept: Swept) -> Iterable[str]:
    """For people: what failed, by name."""
    if swept.failed:
        yield "not recorded:"
        for version, reason in swept.failed.items():
            yield f"  {version}: {reason}"


def _like(order: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    return tuple(one for one in order if one in found)


def _place(data: Path, version: str, platform: str) -> Path:
    return data / "observations" / PROGRAM / version / f"{platform}.json"


def _copy(data: Path, to: Path) -> Path:
    """The data folder without what was observed: several runs must not write one matrix."""
    return Path(shutil.copytree(data, to, ignore=shutil.ignore_patterns("observations")))


def _read(path: Path) -> bytes | None:
    """The bytes of observations; None where they are not there, or not whole."""
    try:
        data = path.read_bytes()
        msgspec.json.decode(data, type=Observations)
    except (OSError, msgspec.DecodeError):
        return None
    return data


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_bytes(data)
    scratch.replace(path)
