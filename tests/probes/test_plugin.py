"""The probes' plugin: what is recorded, compared, voided; a stand-in plays the release."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from imprint.compat import Matrix, Outcome, data_folder, load_catalogue, load_matrix
from imprint.compat.derived import render, render_matrix
from imprint.compat.loader import load_observations
from imprint.compat.report import REPORTS, report_files
from imprint.compat.seen import read_seen
from imprint.observe.judged import digest
from probes.asking import Asked, asked_claims
from probes.distribution import claims_of_distributions
from probes.verdict import Verdict
from tests.compat.support import LINUX, row, run
from tests.observe.support import VERSION, fake_copilot

pytest_plugins = ["pytester"]

PROBES = Path(__file__).parents[2] / "probes"
CONFTEST = 'pytest_plugins = ["probes.plugin"]'
PROBE = """
import pytest

@pytest.mark.claim("hooks.payload.stop_hook_active")
def test_stop(answers):
    answers()
"""

Probe = Callable[..., pytest.RunResult]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder of one's own, without observations."""
    copy = tmp_path / "compat"
    shutil.copytree(str(data_folder()), copy, ignore=shutil.ignore_patterns("observations"))
    (copy / "matrix.json").write_bytes(_empty(load_matrix(copy)))
    return copy


def _empty(matrix: object) -> bytes:
    assert isinstance(matrix, Matrix)
    return msgspec.json.encode(msgspec.structs.replace(matrix, questions={}))


@pytest.fixture
def probe(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: Path
) -> Probe:
    """Run pytest with the plugin; the stand-in is the Copilot on PATH."""

    def start(*arguments: str, knobs: tuple[str, ...] = (), text: str = PROBE) -> pytest.RunResult:
        folder = fake_copilot(tmp_path / "bin", *knobs).parent
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
        pytester.makeconftest(CONFTEST)
        given = [*arguments, f"--compat-data={data}", "-p", "no:cacheprovider"]
        if text:
            pytester.makepyfile(test_one=text)
        return pytester.runpytest_subprocess(*given, timeout=120)

    return start


def test_what_is_recorded_holds_until_the_release_answers_otherwise(
    probe: Probe, data: Path, pytester: pytest.Pytester
) -> None:
    recorded = probe(str(PROBES), "--copilot-installed", "--record", "--attempts=1", text="")
    assert recorded.ret == 0, recorded.stdout.str()
    (found,) = load_observations(data, load_catalogue(data))
    assert (found.run.version, found.run.reported_version) == (VERSION, VERSION)
    assert not found.is_void
    assert sorted(one.claim for one in found.rows) == sorted(asked_claims())
    answers = {one.claim: one for one in found.rows}
    assert answers["hooks.payload.stop_hook_active"].attempts == ("yes",)
    (shapes,) = (data / "snapshots" / VERSION).glob("*/test_payloads_have_these_keys.json")
    assert digest(msgspec.json.decode(shapes.read_bytes())) == answers["hooks.payload.keys"].value
    again = probe("--copilot-installed")
    assert again.ret == 0
    again.stdout.fnmatch_lines([f"{VERSION}: 1 answers as recorded, 0 changed, 0 new"])
    other = probe("--copilot-installed", knobs=("no-active",))
    assert other.ret == 1
    other.stdout.fnmatch_lines(
        [f"{VERSION}: changed: hooks.payload.stop_hook_active: yes (observed) -> no"]
    )


def test_strictly_what_is_new_or_no_longer_answered_is_red(probe: Probe, data: Path) -> None:
    new = probe("--as-recorded")
    assert new.ret == 1
    new.stdout.fnmatch_lines([f"{VERSION}: new: hooks.payload.stop_hook_active: yes"])
    recorded = row("yes", "hooks.payload.stop_hook_active")
    file = data / "observations" / "copilot-cli" / VERSION / f"{LINUX}.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(render(run(VERSION, [recorded])))
    (data / "matrix.json").write_bytes(render_matrix(data))
    assert probe("--as-recorded").ret == 0
    silent = probe("--as-recorded", knobs=("no-events",))
    assert silent.ret == 1
    silent.stdout.fnmatch_lines(
        [f"{VERSION}: no answer now: hooks.payload.stop_hook_active: yes (observed)"]
    )
    assert probe(knobs=("no-events",)).ret == 0


def test_strictly_an_answer_beside_a_record_without_one_is_no_news(data: Path) -> None:
    claim = "hooks.payload.stop_hook_active"
    file = data / "observations" / "copilot-cli" / "1.0.80" / f"{LINUX}.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(render(run("1.0.80", [row("yes", claim, attempts=("yes", "no"))])))
    (data / "matrix.json").write_bytes(render_matrix(data))
    now = row("yes", claim)
    verdict = Verdict(data, load_matrix(data), LINUX, record=False, is_strict=True)
    verdict.add(Asked(now, run("1.0.80", [now]).run), "")
    verdict.finish((claim,))
    assert not verdict.is_bad
    assert verdict.lines[0] == f"1.0.80: new: {claim}: yes (recorded: mixed)"


def test_what_is_seen_is_written_for_other_programs(probe: Probe, tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"
    assert probe(f"--rows={rows}").ret == 0
    (seen,) = read_seen(rows)
    assert (seen.void, seen.observations.run.version) == ("", VERSION)
    assert [one.value for one in seen.observations.rows] == ["yes"]
    assert probe(f"--rows={rows}", knobs=("says-another-version",)).ret == 1
    (seen,) = read_seen(rows)
    assert seen.void == "it called itself 9.9.9"


def test_recording_in_a_checkout_writes_the_report_too(data: Path) -> None:
    (data.parent / REPORTS).mkdir()
    one = row("yes", "hooks.file.home_dir")
    verdict = Verdict(data, load_matrix(data), LINUX, record=True)
    verdict.add(Asked(one, run("1.0.80", [one]).run), "")
    verdict.finish(("hooks.file.home_dir",))
    assert not verdict.is_bad
    for name, expected in report_files(data).items():
        assert (data.parent / REPORTS / name).read_bytes() == expected


def test_an_answer_that_was_not_recorded_is_new_and_fine(probe: Probe) -> None:
    found = probe()
    assert found.ret == 0
    found.stdout.fnmatch_lines([f"{VERSION}: new: hooks.payload.stop_hook_active: yes"])


def test_what_cannot_be_judged_is_said_with_its_reason_and_is_no_answer(probe: Probe) -> None:
    found = probe(knobs=("no-events",))
    assert found.ret == 0
    found.stdout.fnmatch_lines(
        [
            f"{VERSION}: could not be judged: *.stop_hook_active: inconclusive, hook-did-not-run",
            f"{VERSION}: 0 answers as recorded, 0 changed, 0 new",
        ]
    )


@pytest.mark.parametrize(("body", "number"), [("pass", 0), ("answers(), answers()", 2)])
def test_a_probe_that_gives_no_or_two_observations_is_an_error(
    probe: Probe, body: str, number: int
) -> None:
    found = probe(text=PROBE.replace("answers()\n", f"{body}\n"))
    assert found.ret == 1
    found.stdout.fnmatch_lines([f"*the probe gave {number} observations instead of one*"])


def test_a_release_that_cannot_be_had_is_red(probe: Probe) -> None:
    found = probe("--copilot", "not-a-version")
    assert found.ret == 1
    found.stdout.fnmatch_lines(
        ["not-a-version: nothing of it counts: it can't be asked: release-not-found"]
    )


def test_a_release_that_is_another_than_it_says_counts_for_nothing(probe: Probe) -> None:
    found = probe(knobs=("says-another-version",))
    assert found.ret == 1
    found.stdout.fnmatch_lines([f"{VERSION}: nothing of it counts: it called itself 9.9.9"])


@pytest.mark.parametrize("option", ["--claim=hooks.*", "--tier=M"])
def test_a_part_of_the_claims_is_not_recorded(probe: Probe, data: Path, option: str) -> None:
    assert probe("--record", option).ret == pytest.ExitCode.USAGE_ERROR
    assert probe("--record").ret == 1
    assert not (data / "observations").exists()


def test_claims_that_were_not_asked_for_are_left_out(probe: Probe) -> None:
    text = PROBE + PROBE.replace("stop_hook_active", "pascal_style").replace("stop(", "style(")
    found = probe("--claim=*.pascal_style", text=text)
    found.assert_outcomes(passed=1, deselected=1)


def test_a_worker_that_dies_voids_its_release(probe: Probe) -> None:
    dies = PROBE.replace("answers()\n", "answers()\n    import os\n    os._exit(1)\n")
    text = PROBE + dies.replace("stop_hook_active", "pascal_style").replace("stop(", "tyle(")
    found = probe("-n1", text=text)
    assert found.ret == pytest.ExitCode.TESTS_FAILED
    found.stdout.fnmatch_lines([f"{VERSION}: nothing of it counts: a worker died"])


def test_workers_hand_their_rows_to_the_controller(probe: Probe) -> None:
    found = probe("-n2")
    assert found.ret == 0
    found.stdout.fnmatch_lines([f"{VERSION}: new: hooks.payload.stop_hook_active: yes"])


def test_a_release_stays_on_one_worker(probe: Probe) -> None:
    style = PROBE.replace("stop_hook_active", "pascal_style").replace("stop(", "style(")
    name = PROBE.replace("stop_hook_active", "camel_style").replace("stop(", "name(")
    found = probe("-n2", text=PROBE + style + name)
    assert found.ret == 0
    found.stdout.fnmatch_lines([f"{VERSION}: 0 answers as recorded, 0 changed, 3 new"])


@pytest.mark.parametrize("text", ["1.0.80", "1.0.80..", "2.0.0..1.0.80", "x..y"])
def test_a_range_that_is_none_is_refused(probe: Probe, text: str) -> None:
    assert probe(f"--copilot-range={text}").ret == pytest.ExitCode.USAGE_ERROR


def test_every_judge_has_one_probe(pytester: pytest.Pytester) -> None:
    files = PROBES.glob("test_*.py")
    marks = [
        line.split('"')[1]
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.startswith("@pytest.mark.claim(")
    ]
    assert sorted(marks) == sorted((*asked_claims(), *claims_of_distributions()))


def test_a_race_that_ends_otherwise_is_said_and_contradicts_nothing(data: Path) -> None:
    claim = "hooks.payload.transcript_flushed"
    file = data / "observations" / "copilot-cli" / "1.0.80" / f"{LINUX}.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(render(run("1.0.80", [row({"at_start": "sometimes"}, claim)])))
    (data / "matrix.json").write_bytes(render_matrix(data))
    now = row({"at_start": "never"}, claim)
    verdict = Verdict(data, load_matrix(data), LINUX, record=False)
    verdict.add(Asked(now, run("1.0.80", [now]).run), "")
    verdict.finish((claim,))
    assert not verdict.is_bad
    assert verdict.lines[0] == f"1.0.80: a race: {claim}[at_start]: sometimes, now never"


def test_an_executable_that_changes_meanwhile_voids_the_run(data: Path) -> None:
    one = row("yes", "hooks.file.home_dir")
    changed = msgspec.structs.replace(run("1.0.80", [one]).run, executable_after="sha256:other")
    verdict = Verdict(data, load_matrix(data), LINUX, record=True)
    verdict.add(Asked(one, changed), "")
    verdict.finish(("hooks.file.home_dir",))
    assert one.outcome is Outcome.OBSERVED
    assert verdict.is_bad
    assert "changed meanwhile" in verdict.lines[0]
    assert not (data / "observations").exists()
