"""The command line's frame: lazy commands, one envelope, errors to exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from imprint.base.errors import ExitCode, RefusedError
from imprint.base.results import Result
from imprint.cli import _commands, _main


def imprint(*words: str, home: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command as a user runs it, in a scratch home."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "IMPRINT_HOME": str(home / "imprint")}
    command = [sys.executable, "-P", "-m", "imprint", *words]
    return subprocess.run(command, input=stdin, capture_output=True, env=env, check=False)


def test_without_a_command_every_command_is_listed(tmp_path: Path) -> None:
    done = imprint(home=tmp_path)
    assert done.returncode == ExitCode.OK
    listed = done.stdout.decode()
    assert all(f"  {name}" in listed for name in _commands.SUMMARIES)


@pytest.mark.parametrize("name", sorted(_commands.SUMMARIES))
def test_every_listed_command_has_a_module_and_explains_itself(name: str, tmp_path: Path) -> None:
    done = imprint(name, "--help", home=tmp_path)
    assert done.returncode == ExitCode.OK, done.stderr.decode()
    assert f"usage: imprint {name}" in done.stdout.decode()


@pytest.mark.parametrize("words", [["nonsense"], ["recall"], ["--frobnicate"], ["recall", "--x"]])
def test_a_command_line_that_does_not_fit_exits_with_64(words: list[str], tmp_path: Path) -> None:
    done = imprint(*words, home=tmp_path)
    assert done.returncode == ExitCode.USAGE
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr


def test_a_usage_error_under_json_is_an_envelope_alone_on_stdout(tmp_path: Path) -> None:
    done = imprint("recall", "--json", home=tmp_path)
    answer = json.loads(done.stdout)
    assert answer["schema"] == 1
    assert answer["exit_code"] == done.returncode == ExitCode.USAGE
    assert answer["errors"][0]["code"] == "usage"
    assert done.stderr == b""


class _Raising:
    """A command module that fails as told."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def configure(self, parser: object) -> None:
        """No arguments."""

    def run(self, arguments: object, context: object) -> Result | None:
        raise self.error

    def text(self, result: Result) -> tuple[str, ...]:
        return ()


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (RefusedError("no", fix="do it so"), "refused", ExitCode.REFUSED),
        (OSError(28, "No space left on device", "/x"), "system", ExitCode.REFUSED),
        (ZeroDivisionError("bug"), "internal", ExitCode.REFUSED),
    ],
)
def test_an_error_ends_as_one_line_and_an_exit_code(
    error: Exception,
    code: str,
    exit_code: ExitCode,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.setenv("IMPRINT_HOME", str(tmp_path / "imprint"))
    monkeypatch.setattr(_main, "load", lambda name: _Raising(error))
    assert _main.main(["sessions", "--json"]) == exit_code
    answer = json.loads(capsysbinary.readouterr().out)
    assert answer["errors"][0]["code"] == code
    crash = tmp_path / "imprint" / "log" / "crash.log"
    assert crash.exists() == (code == "internal")
    if crash.exists():
        assert "ZeroDivisionError: bug" in crash.read_text(encoding="utf-8")


def test_ctrl_c_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_main, "load", lambda name: _Raising(KeyboardInterrupt()))
    assert _main.main(["sessions"]) == _main.INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    script = f"{sys.executable} -P -m imprint --help | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], env=env, capture_output=True, check=False)
    assert done.returncode == ExitCode.OK
    assert done.stderr == b""


@pytest.mark.parametrize("words", [["learn", "--spool"], ["sessions", "--json"], ["nonsense"]])
def test_without_a_console_nothing_is_written_and_nothing_fails_for_that(
    words: list[str], tmp_path: Path
) -> None:
    """As Windows starts what the Stop hook detaches: without any stream."""
    code = "import sys; sys.stdout = sys.stderr = None; from imprint.cli import main; "
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "IMPRINT_HOME": str(tmp_path / "i")}
    command = [sys.executable, "-P", "-c", f"{code}sys.exit(main({words}))"]
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    assert done.returncode == (ExitCode.USAGE if words == ["nonsense"] else ExitCode.OK)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert not list(tmp_path.rglob("crash.log"))


@pytest.mark.parametrize("words", [["hook"], ["hook", "stop", "--bogus"], ["hook", "nonsense"]])
def test_the_hook_command_always_answers_and_exits_with_0(words: list[str], tmp_path: Path) -> None:
    done = imprint(*words, home=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout) == {}
