"""The launcher, run by dash and bash, with a script in the place of Windows' Python."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.base.errors import RefusedError
from imprint.wsl.launcher import (
    START,
    LauncherFacts,
    NoDriveError,
    facts_of,
    is_generated,
    launcher_text,
)
from imprint.wsl.windows import WindowsSide
from tests.capabilities import programs

SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]
FOLDERS = ["plain", 'it\'s a $HOME `x` "q" * folder']
ANSWER = '{"additionalContext": "you said \\"7\\" \\u2014 and $HOME"}'
PAYLOAD = b'{"session_id": "1", "prompt": "' + b"x" * 200_000 + b'"}'


@dataclass
class Scene:
    """A distribution with one drive, a launcher, and a program that plays Windows' Python."""

    root: Path
    shell: str

    @property
    def interpreter(self) -> list[str]:
        """As `sh`: where it is bash, that is bash by the rules of POSIX."""
        program = shutil.which(self.shell) or self.shell
        return [program, *{"busybox": ["sh"], "bash": ["--posix"]}.get(self.shell, [])]

    @property
    def drive(self) -> Path:
        return self.root / "mnt/c"

    @property
    def launcher(self) -> Path:
        return self.root / "home/.copilot/imprint-wsl"

    @property
    def program(self) -> Path:
        return self.drive / "Program Files/it's/python.exe"

    @property
    def log(self) -> Path:
        return self.drive / "store/log/wsl.log"

    def write(self, side: WindowsSide | None = None) -> None:
        side = side or WindowsSide(
            "C:\\Program Files\\it's\\python.exe", "C:\\Program Files\\it's", "C:\\store", "1"
        )
        self.launcher.parent.mkdir(parents=True, exist_ok=True)
        text = launcher_text(side, "Ubuntu 22", ((str(self.drive), "C:"),))
        self.launcher.write_bytes(text)
        self.launcher.chmod(0o755)

    def play(self, body: str) -> None:
        """The program: notes its arguments, folder and stdin, then does `body`."""
        self.program.parent.mkdir(parents=True, exist_ok=True)
        (self.drive / "store").mkdir(exist_ok=True)
        head = (
            f"#!{sys.executable} -I\nimport json,os,sys,time\n"
            f"with open({str(self.root / 'starts')!r}, 'a') as file: "
            "file.write(json.dumps([sys.argv[1:], os.getcwd()]) + '\\n')\n"
        )
        self.program.write_text(head + body + "\n", encoding="utf-8")
        self.program.chmod(0o755)

    def starts(self) -> list[list[object]]:
        import json

        path = self.root / "starts"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def run(
        self, *words: str, stdin: bytes = PAYLOAD, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self.interpreter, str(self.launcher), *words],
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
            cwd=self.root,
            env={} if env is None else env,
        )

    def logged(self) -> str:
        return self.log.read_text(encoding="utf-8")


@pytest.fixture(params=programs("dash", "bash", "busybox"))
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Scene:
    scene = Scene(tmp_path / "its 'root' $x", request.param)
    scene.drive.mkdir(parents=True)
    scene.play(f"data = sys.stdin.buffer.read()\nprint({ANSWER!r} if len(data) > 9 else '{{}}')")
    scene.write()
    return scene


def quiet(done: subprocess.CompletedProcess[bytes]) -> bool:
    """Harmless: exit code 0 and nothing said."""
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("action", ["copilot-session-start", "session-start", "stop"])
def test_one_program_gets_the_payload_and_its_answer_comes_back(scene: Scene, action: str) -> None:
    done = scene.run("hook", action)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{ANSWER}\n".encode(), b"")
    ((arguments, folder),) = scene.starts()
    assert arguments == [
        *("-I", "-S", "-c", START, "C:\\Program Files\\it's", action),
        *("--store", "C:\\store", "--distribution", "Ubuntu 22"),
    ]
    assert folder == str(scene.drive)
    assert not scene.log.exists()


def test_the_users_environment_changes_nothing(scene: Scene, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text("echo trapped; exit 3\n", encoding="utf-8")
    traps = {"BASH_ENV": str(trap), "ENV": str(trap), "CDPATH": "/", "PATH": "/usr/bin:/bin"}
    done = scene.run("hook", "stop", env=traps)
    assert done.stdout == f"{ANSWER}\n".encode()


def test_carriage_returns_of_windows_are_dropped(scene: Scene) -> None:
    scene.play("sys.stdout.buffer.write(b'{}\\r\\n')")
    assert scene.run("hook", "stop").stdout == b"{}\n"


FAILURES = {
    "interop is stale": "sys.exit(1)",
    "interop is off": "sys.exit(126)",
    "not found": "sys.exit(127)",
    "killed": "os.kill(os.getpid(), 9)",
    "an answer, and a failure": "print('{}'); sys.stdout.flush(); sys.exit(1)",
    "half an answer": "print('{\"additional')",
    "no object": "print('hello')",
    "silence": "pass",
    "an error message": "print('<3>WSL (12) ERROR: UtilConnect', file=sys.stderr); sys.exit(1)",
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_is_quiet_success_and_one_line_in_the_log(scene: Scene, failure: str) -> None:
    scene.play(FAILURES[failure])
    assert quiet(scene.run("hook", "stop"))
    assert len(scene.starts()) == 1, "nothing is tried twice: the payload is gone"
    (line,) = scene.logged().splitlines()
    assert " wsl Ubuntu 22: stop ended with " in line
    assert "xxx" not in line


def test_a_program_that_hangs_is_given_up(scene: Scene) -> None:
    text = scene.launcher.read_text(encoding="utf-8")
    scene.launcher.write_text(text.replace("seconds=8", "seconds=1"), encoding="utf-8")
    scene.play("time.sleep(30)")
    assert quiet(scene.run("hook", "copilot-session-start"))
    assert "copilot-session-start ended with " in scene.logged()


def test_without_interop_an_exe_is_never_run_as_shell_commands(scene: Scene) -> None:
    pwned = scene.root / "pwned"
    scene.program.write_bytes(b"MZ\x90\0\x03\0\n" + f"touch '{pwned}'\n".encode() + bytes(300))
    for words in (("hook", "stop"), ("hook", "copilot-session-start"), ("mcp",)):
        assert quiet(scene.run(*words)) or words == ("mcp",)
    assert not pwned.exists()
    assert len(scene.logged().splitlines()) == 3


def test_when_windows_side_is_gone_nothing_is_started(scene: Scene) -> None:
    scene.program.unlink()
    assert quiet(scene.run("hook", "stop"))
    assert "gone" in scene.logged()
    shutil.rmtree(scene.drive)
    for words in (("hook", "stop"), ("mcp",)):
        assert quiet(scene.run(*words))
    beside = scene.launcher.with_name("imprint-wsl.log").read_text(encoding="utf-8")
    assert beside.count("is not mounted") == 2


def test_a_log_that_cannot_be_written_stops_nobody(scene: Scene) -> None:
    shutil.rmtree(scene.drive)
    scene.launcher.with_name("imprint-wsl.log").mkdir()
    assert quiet(scene.run("hook", "stop"))


def test_the_log_is_kept_to_three_files_of_a_megabyte(scene: Scene) -> None:
    scene.play("sys.exit(1)")
    scene.log.parent.mkdir()
    for _ in range(4):
        scene.log.write_bytes(b"y" * 1_048_577)
        assert quiet(scene.run("hook", "stop"))
        assert scene.log.stat().st_size < 200
    assert sorted(path.name for path in scene.log.parent.iterdir()) == [
        "wsl.log",
        "wsl.log.1",
        "wsl.log.2",
    ]


@pytest.mark.parametrize("words", [(), ("hook",), ("hook", "pre-tool-use"), ("mcp", "x"), ("x",)])
def test_other_commands_do_nothing(scene: Scene, words: tuple[str, ...]) -> None:
    assert quiet(scene.run(*words))
    assert scene.starts() == []


def test_a_working_directory_that_is_gone_is_no_obstacle(scene: Scene) -> None:
    gone = scene.root / "gone"
    gone.mkdir()
    line = 'cd "$0" && rmdir "$0" && exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", line, gone, *scene.interpreter, scene.launcher, "hook", "stop"],
        input=PAYLOAD,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == f"{ANSWER}\n".encode()


def test_the_server_speaks_over_the_launchers_own_pipes(scene: Scene) -> None:
    scene.play("for line in sys.stdin: print(line.upper(), end='', flush=True)")
    done = scene.run("mcp", stdin=b"one\ntwo\n")
    assert (done.returncode, done.stdout) == (0, b"ONE\nTWO\n")
    ((arguments, folder),) = scene.starts()
    assert arguments == ["-X", "utf8", "-P", "-m", "imprint", "mcp", "--store", "C:\\store"]
    assert folder == str(scene.drive)


def test_a_server_that_fails_is_one_line_in_the_log(scene: Scene) -> None:
    scene.play("sys.exit(126)")
    done = scene.run("mcp", stdin=b"")
    assert (done.returncode, done.stdout) == (0, b"")
    assert "mcp ended with 126" in scene.logged()


def test_ending_the_launcher_ends_the_server(scene: Scene) -> None:
    scene.play("print(os.getpid(), flush=True); time.sleep(60)")
    with subprocess.Popen(
        [*scene.interpreter, str(scene.launcher), "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        # The pipe's end comes when nobody holds it any more, the server included.
        assert process.stdout.read() == b""
        assert process.wait(timeout=20) == 0


# --- the text --------------------------------------------------------------------------------


def texts() -> list[bytes]:
    sides = (
        WindowsSide(f"C:\\Users\\{name}\\python.exe", f"C:\\{name}", f"D:\\{name}", "1")
        for name in ("ada", "O'Brien & Söhne", '$x `y` 100% "z" ! #')
    )
    return [
        launcher_text(side, name, (("/mnt/c", "C:"),)) for side in sides for name in ("U", "A b")
    ]


@pytest.mark.parametrize("text", texts())
def test_the_text_is_plain_posix_shell(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "imprint-wsl"
    path.write_bytes(text)
    for shell in SHELLS:
        words = [shell, "sh"] if shell == "busybox" else [shell]
        subprocess.run([*words, "-n", str(path)], check=True, timeout=20)
    assert text.startswith(b"#!/bin/sh\n")
    assert b"\r" not in text


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("text", texts())
def test_shellcheck_has_nothing_to_say(text: bytes) -> None:
    done = subprocess.run(
        ["shellcheck", "--shell=sh", "--severity=style", "-"],
        input=text,
        capture_output=True,
        check=False,
        timeout=60,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
    )
    assert (done.returncode, done.stdout) == (0, b"")


values = st.text(st.characters(exclude_characters="\n\r\0/", exclude_categories=("Cs",)))


@given(values, values)
def test_a_launcher_is_known_by_its_digest_and_tells_whose_it_is(name: str, store: str) -> None:
    side = WindowsSide("C:\\python.exe", "C:\\p", f"C:\\{store}", "1")
    text = launcher_text(side, name, (("/mnt/c", "C:"),))
    assert is_generated(text)
    assert facts_of(text) == LauncherFacts(name, f"C:\\{store}")
    edited = text.replace(b"exit 0", b"exit 1", 1)
    assert not is_generated(edited)
    assert facts_of(edited) == facts_of(text)


@pytest.mark.parametrize(
    "data", [b"", b"#!/bin/sh\necho mine\n", b"\xff\xfe", b"# imprint:sha256="]
)
def test_another_file_is_no_launcher(data: bytes) -> None:
    assert not is_generated(data)
    assert facts_of(data) is None


@pytest.mark.parametrize("python", ["D:\\p\\python.exe", "\\\\wsl.localhost\\U\\usr\\bin\\python3"])
def test_a_python_that_the_distribution_cannot_start_is_refused(python: str) -> None:
    side = WindowsSide(python, "C:\\p", "C:\\s", "1")
    with pytest.raises(NoDriveError):
        launcher_text(side, "U", (("/mnt/c", "C:"),))


def test_the_drive_is_the_deepest_mount_that_holds_the_program() -> None:
    side = WindowsSide("C:\\apps\\python.exe", "C:\\p", "C:\\s", "1")
    text = launcher_text(side, "U", (("/c", "C:"), ("/apps", "C:\\apps"))).decode()
    assert "\ndrive=/apps\npython=/apps/python.exe\n" in text


def test_a_path_with_a_line_break_is_refused() -> None:
    side = WindowsSide("C:\\a\nb\\python.exe", "C:\\p", "C:\\s", "1")
    with pytest.raises(RefusedError, match="line break"):
        launcher_text(side, "U", (("/mnt/c", "C:"),))
