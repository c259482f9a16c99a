"""`imprint compat bisect` and `sweep`: whom they ask, and what they make of it."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from imprint.base.envelope import envelope
from imprint.base.errors import ExitCode, UsageError
from imprint.base.machine import machine_name
from imprint.base.paths import Environment
from imprint.cli._context import Context
from imprint.cli.cmd_compat import text
from imprint.cli.compat import asking, bisect, sweep
from imprint.cli.compat.checkout import Checkout, NoCheckout, NoProbes, find_checkout
from imprint.cli.compat.probing import Prober
from imprint.cli.compat.progress import Progress, duration
from imprint.compat import data_folder, load_catalogue, shipped_catalogue
from imprint.compat.derived import render, render_matrix
from imprint.compat.errors import UnknownClaim, UnknownRelease
from imprint.compat.loader import load_observations
from imprint.compat.report import report_files
from imprint.compat.seen import Seen
from imprint.compat.values import Value
from imprint.observe.revision import probe_revision
from tests.compat.support import PROGRAM, row, run

CLAIM = "hooks.payload.stop_hook_active"
HERE = machine_name(sys.platform)
FAKE = Path(__file__).with_name("fake_probes.py")
WAIT = 20.0


class Maintainer:
    """Somebody with a checkout in which nothing was recorded, and releases that answer as told."""

    def __init__(self, root: Path, world: Environment) -> None:
        self.world = replace(world, variables={"PATH": "/usr/bin:/bin"})
        self.checkout = Checkout(root)
        self.answers = root / "answers"
        self.answers.mkdir(parents=True)
        ignore = shutil.ignore_patterns("observations")
        shutil.copytree(str(data_folder()), self.checkout.data, ignore=ignore)
        self.derive()
        self.said: list[str] = []

    def derive(self) -> None:
        (self.checkout.data / "matrix.json").write_bytes(render_matrix(self.checkout.data))

    def place(self, version: str) -> Path:
        folder = self.checkout.data / "observations" / PROGRAM / version
        return folder / f"{HERE}.json"

    def record(self, version: str, value: Value, revision: str = "1") -> None:
        self.place(version).parent.mkdir(parents=True)
        seen = run(version, [row(value, CLAIM)], HERE, probe_revision=revision)
        self.place(version).write_bytes(render(seen))
        self.derive()

    def answer(self, *versions: str, value: Value = "yes", void: str = "", **more: object) -> None:
        for version in versions:
            rows = [row(None if more else value, CLAIM, **more)]
            revision = probe_revision()
            seen = Seen(run(version, rows, HERE, probe_revision=revision), void)
            (self.answers / f"{version}.json").write_bytes(msgspec.json.encode([seen]))

    @property
    def calls(self) -> list[dict[str, str]]:
        path = self.answers / "calls"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    @property
    def asked(self) -> list[str]:
        return [call["copilot"] for call in self.calls]

    @property
    def probes(self) -> tuple[str, ...]:
        return (sys.executable, str(FAKE), str(self.answers))

    @property
    def context(self) -> Context:
        return Context(self.world, self.said.append, is_terminal=False)

    def bisect(self, text: str, claim: str = CLAIM):
        return asking.run_bisect(claim, text, self.context, self.probes)

    def sweep(self, text: str | None, jobs: int = 1):
        return asking.run_sweep(text, jobs, self.context, probes=self.probes)


@pytest.fixture
def maintainer(tmp_path: Path, world: Environment, monkeypatch: pytest.MonkeyPatch) -> Maintainer:
    found = Maintainer(tmp_path / "checkout", world)
    monkeypatch.setattr(asking, "find_checkout", lambda: found.checkout)
    return found


def until(holds: Callable[[], object]) -> None:
    """Wait for it, with a deadline."""
    end = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < end, "it did not come"
        threading.Event().wait(0.01)


# --- bisect ---


def test_a_bisection_asks_only_what_halves_the_interval(maintainer: Maintainer) -> None:
    maintainer.record("1.0.60", "no")
    maintainer.record("1.0.70", "yes")
    maintainer.answer("1.0.65", value="no")
    maintainer.answer("1.0.66-2", "1.0.66", "1.0.67")
    result = maintainer.bisect("1.0.60..1.0.70")
    assert result.exit_code is ExitCode.OK
    assert list(text(result)) == [f"{CLAIM} changes between 1.0.65 and 1.0.66-2: no -> yes"]
    assert maintainer.said[:2] == ["1.0.60      no  (recorded)", "1.0.70      yes  (recorded)"]
    assert maintainer.asked == ["1.0.65", "1.0.67", "1.0.66-2"]
    told = json.loads(envelope(result))["data"]
    assert (told["outcome"], told["before"]["version"]) == ("changes", "1.0.65")
    assert [step["version"] for step in told["steps"] if not step["is_recorded"]] == (
        maintainer.asked
    )
    call = maintainer.calls[0]
    assert (call["claim"], call["attempts"]) == (CLAIM, "2")
    assert call["compat-data"] == str(maintainer.checkout.data)


def test_a_release_without_an_answer_is_said_and_passed_over(maintainer: Maintainer) -> None:
    maintainer.answer("1.0.70", value="no")
    maintainer.answer("1.0.75", void="its executable changed meanwhile")
    maintainer.answer("1.0.78", outcome="inconclusive", reason="hook-did-not-run", evidence="")
    maintainer.answer("1.0.71", "1.0.73", value="no")
    maintainer.answer("1.0.79-6", "1.0.79")
    result = maintainer.bisect("1.0.70..1.0.79")
    assert list(text(result)) == [
        f"{CLAIM} changes between 1.0.73 and 1.0.79-6: no -> yes",
        "  between the two, without an answer: 1.0.75, 1.0.77, 1.0.78",
    ]
    said = "\n".join(maintainer.said)
    assert "1.0.75      no answer: its executable changed meanwhile" in said
    assert "1.0.78      no answer: hook-did-not-run" in said


def test_ends_that_agree_are_said_to(maintainer: Maintainer) -> None:
    maintainer.answer("1.0.70", "1.0.80")
    result = maintainer.bisect("1.0.70..1.0.80")
    assert result.exit_code is ExitCode.OK
    (said, advice) = text(result)
    assert said == f"{CLAIM}: 1.0.70 and 1.0.80 give the same answer, yes"
    assert "narrower" in advice


def test_an_end_that_cannot_be_asked_leaves_it_undetermined(maintainer: Maintainer) -> None:
    maintainer.answer("1.0.80")
    result = maintainer.bisect("1.0.70..1.0.80")
    assert result.exit_code is ExitCode.UNDETERMINED
    assert list(text(result)) == [f"{CLAIM}: no answer from 1.0.70; take another end"]
    assert "nothing of it counts: it can't be asked: does-not-start" in maintainer.said[0]


def test_a_release_that_hangs_is_ended_and_gives_no_answer(
    maintainer: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bisect, "RUN_SECONDS", 2.0)
    (maintainer.answers / "1.0.70.hangs").touch()
    maintainer.answer("1.0.80")
    result = maintainer.bisect("1.0.70..1.0.80")
    assert result.exit_code is ExitCode.UNDETERMINED
    assert "it took longer than 2 s" in maintainer.said[0]


@pytest.mark.parametrize(
    ("claim", "text", "error"),
    [
        (CLAIM, "1.0.70", UsageError),
        (CLAIM, "1.0.70..", UsageError),
        (CLAIM, "1.0.80..1.0.70", UsageError),
        (CLAIM, "1.0.70..1.0.70", UsageError),
        (CLAIM, "1.0.70..9.9.9", UnknownRelease),
        ("hooks.nothing", "1.0.70..1.0.80", UnknownClaim),
        ("hooks.names.pascal", "1.0.70..1.0.80", UsageError),
        ("hooks.names.pascal[Nonsense]", "1.0.70..1.0.80", UnknownClaim),
        ("account.login_in_config", "1.0.70..1.0.80", bisect.NoProbe),
    ],
)
def test_what_cannot_be_bisected_is_refused_before_anything_runs(
    maintainer: Maintainer, claim: str, text: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        maintainer.bisect(text, claim)
    assert maintainer.calls == []


def test_a_claim_that_no_probe_answers_is_refused() -> None:
    catalogue = shipped_catalogue()
    assert bisect.asked_question(catalogue, CLAIM, [CLAIM]).claim == CLAIM
    with pytest.raises(bisect.NoProbe):
        bisect.asked_question(catalogue, CLAIM, [])


# --- sweep ---

RANGE = "1.0.77..1.0.80"
VERSIONS = ("1.0.80", "1.0.79", "1.0.79-6", "1.0.78")
"""Of that range; npm offers no 1.0.77 for this machine."""


def test_a_sweep_records_every_release_newest_first(maintainer: Maintainer) -> None:
    maintainer.answer(*VERSIONS)
    maintainer.checkout.reports.mkdir()
    result = maintainer.sweep(RANGE)
    assert result.exit_code is ExitCode.OK
    assert result.data.recorded == tuple(maintainer.asked) == VERSIONS
    data = maintainer.checkout.data
    found = load_observations(data, load_catalogue(data))
    assert {one.run.version for one in found} == set(VERSIONS)
    assert (data / "matrix.json").read_bytes() == render_matrix(data)
    for name, expected in report_files(data).items():
        assert (maintainer.checkout.reports / name).read_bytes() == expected
    assert maintainer.said[-1] == "[4/4] 1.0.78: recorded"


def test_a_sweep_of_one_release_is_a_range_too(maintainer: Maintainer) -> None:
    maintainer.answer("1.0.80")
    assert maintainer.sweep("1.0.80..1.0.80").data.recorded == ("1.0.80",)


def test_one_release_that_fails_does_not_stop_it_and_is_named(maintainer: Maintainer) -> None:
    maintainer.answer(*VERSIONS[1:])
    result = maintainer.sweep(RANGE)
    assert result.exit_code is ExitCode.ATTENTION
    assert result.data.recorded == VERSIONS[1:]
    assert list(text(result)) == [
        "not recorded:",
        "  1.0.80: nothing of it counts: it can't be asked: does-not-start",
    ]
    assert result.messages == ("3 recorded, 0 were recorded before, 1 failed",)


def test_what_the_same_probes_recorded_is_not_asked_again(maintainer: Maintainer) -> None:
    maintainer.record("1.0.80", "yes", probe_revision())
    maintainer.record("1.0.79", "yes", "older probes")
    maintainer.answer(*VERSIONS)
    result = maintainer.sweep(RANGE)
    assert result.data.skipped == ("1.0.80",)
    assert maintainer.asked == list(VERSIONS[1:])
    assert maintainer.sweep(RANGE).data.skipped == VERSIONS


def test_a_failure_is_tried_again_by_the_next_sweep(maintainer: Maintainer) -> None:
    assert maintainer.sweep("1.0.79..1.0.80").exit_code is ExitCode.ATTENTION
    maintainer.answer(*VERSIONS)
    assert maintainer.sweep("1.0.79..1.0.80").exit_code is ExitCode.OK


def test_only_releases_that_the_sweep_fetched_are_removed(
    maintainer: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = maintainer.world.cache / "releases" / "1.0.80-native-0"
    (cached / "package").mkdir(parents=True)
    (cached / "package" / "copilot").touch()
    manifest = {"version": "1.0.80", "package": "p", "kind": "native", "program": "copilot"}
    (cached / "release.json").write_text(json.dumps({**manifest, "digest": "0"}), encoding="utf-8")
    where: dict[str, str] = {}
    run = Prober.run

    def spy(self: Prober, arguments, variables):
        where[arguments[0].removeprefix("--copilot=")] = variables["IMPRINT_CACHE"]
        Path(variables["IMPRINT_CACHE"]).mkdir(parents=True, exist_ok=True)
        return run(self, arguments, variables)

    monkeypatch.setattr(Prober, "run", spy)
    maintainer.answer("1.0.79", "1.0.80")
    maintainer.sweep("1.0.79..1.0.80")
    assert where["1.0.80"] == str(maintainer.world.cache)
    assert where["1.0.79"] != str(maintainer.world.cache)
    assert (cached / "package" / "copilot").exists()
    assert not Path(where["1.0.79"]).exists()


def test_several_releases_are_asked_at_a_time(maintainer: Maintainer) -> None:
    maintainer.answer(*VERSIONS)
    (maintainer.answers / "1.0.80.slow").touch()
    (maintainer.answers / "1.0.79.slow").touch()

    def release() -> None:
        until(lambda: {"1.0.79", "1.0.80"} <= set(maintainer.asked))
        for version in ("1.0.79", "1.0.80"):
            (maintainer.answers / f"{version}.slow").unlink()

    helper = threading.Thread(target=release)
    helper.start()
    result = maintainer.sweep(RANGE, jobs=2)
    helper.join(WAIT)
    assert result.data.recorded == VERSIONS


def test_two_sweeps_at_once_are_refused(maintainer: Maintainer) -> None:
    maintainer.answer("1.0.79", "1.0.80")
    (maintainer.answers / "1.0.80.slow").touch()
    results = []
    first = threading.Thread(target=lambda: results.append(maintainer.sweep("1.0.79..1.0.80")))
    first.start()
    until(lambda: maintainer.asked)
    with pytest.raises(sweep.SweepRunning):
        maintainer.sweep("1.0.79..1.0.80")
    (maintainer.answers / "1.0.80.slow").unlink()
    first.join(WAIT)
    assert results[0].exit_code is ExitCode.OK


_SWEEP = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1]]
from imprint.base.paths import Environment
from imprint.base.envelope import envelope
from imprint.cli._context import Context
from imprint.cli.compat import asking
from imprint.cli.compat.checkout import Checkout
asking.find_checkout = lambda: Checkout(Path(sys.argv[2]))
context = Context(Environment.current(), print, is_terminal=False)
asking.run_sweep(sys.argv[3], 2, context, probes=tuple(sys.argv[4:]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_sweep_that_is_stopped_leaves_nobody_behind_and_goes_on(
    maintainer: Maintainer, number: signal.Signals
) -> None:
    maintainer.answer("1.0.80", "1.0.79-6", "1.0.78")
    (maintainer.answers / "1.0.79-6.hangs").touch()
    root = Path(__file__).parents[2]
    variables = {"PATH": "/usr/bin:/bin", "IMPRINT_CACHE": str(maintainer.world.cache)}
    child = subprocess.Popen(
        [sys.executable, "-c", _SWEEP, root, maintainer.checkout.root, RANGE, *maintainer.probes],
        env={**variables, "HOME": str(maintainer.world.home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # 1.0.80 is recorded, 1.0.79 fails, 1.0.79-6 hangs on one of two jobs; the other goes on.
    until(lambda: maintainer.place("1.0.78").exists())
    child.send_signal(number)
    out, _ = child.communicate(timeout=WAIT)
    assert b"stopped: the same command goes on" in out
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, check=True).stdout
    assert os.fsencode(maintainer.answers) not in running
    data = maintainer.checkout.data
    assert (data / "matrix.json").read_bytes() == render_matrix(data)

    (maintainer.answers / "1.0.79-6.hangs").unlink()
    before = len(maintainer.calls)
    result = maintainer.sweep(RANGE)
    assert maintainer.asked[before:] == ["1.0.79-6"]
    assert result.data.recorded == ("1.0.79-6",)
    assert list(result.data.failed) == ["1.0.79"]


def test_a_full_disk_is_one_releases_failure(
    maintainer: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    maintainer.answer("1.0.79", "1.0.80")

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(sweep, "_write", full)
    monkeypatch.setattr(sweep.Sweep, "_remember", lambda self: None)
    failed = maintainer.sweep("1.0.79..1.0.80").data.failed
    assert {reason.partition(":")[0] for reason in failed.values()} == {"No space left on device"}


# --- what they stand on ---


def test_outside_a_checkout_nothing_is_asked_and_the_line_to_type_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imprint.cli.compat.checkout.data_folder", lambda: tmp_path / "compat")
    with pytest.raises(NoCheckout) as error:
        find_checkout()
    assert error.value.exit_code is ExitCode.REFUSED
    assert "pip install -e '.[probes]'" in error.value.fix


def test_a_checkout_without_the_extra_names_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "probes").mkdir()
    (tmp_path / "probes" / "plugin.py").touch()
    extra = '[project.optional-dependencies]\nprobes = ["pytest>=8", "no-such-thing[x]>=1"]\n'
    (tmp_path / "pyproject.toml").write_text(f"[project]\n{extra}", encoding="utf-8")
    monkeypatch.setattr("imprint.cli.compat.checkout.data_folder", lambda: tmp_path / "compat")
    with pytest.raises(NoProbes, match="the probes need no-such-thing") as error:
        find_checkout()
    assert (error.value.code, error.value.exit_code) == ("missing-extra", ExitCode.REFUSED)
    assert "pip install -e '.[probes]'" in error.value.fix


# --- the bar ---


def test_on_a_terminal_a_bar_shows_how_far_it_is_and_failures_stay() -> None:
    said: list[str] = []
    terminal = io.StringIO()
    times = iter([0.0, 60.0, 120.0, 120.0])
    progress = Progress(4, said.append, lambda: next(times), terminal)
    progress.start("1.0.80")
    progress.end("1.0.80", "recorded", is_failure=False)
    progress.start("1.0.79")
    progress.end("1.0.79", "hangs", is_failure=True)
    assert said == ["[2/4] 1.0.79: hangs"]
    last = terminal.getvalue().rpartition("\x1b[K")[2]
    assert last == "[############............] 2/4  1 failed  about 2 min left"
    progress.close()
    assert terminal.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (89, "89 s"), (90, "2 min"), (5400, "1 h 30 min")]
)
def test_a_duration_is_said_in_words(seconds: float, text: str) -> None:
    assert duration(seconds) == text
