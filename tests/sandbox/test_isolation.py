"""What a sandboxed program can see and reach."""

import importlib
import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.sandbox import _launch
from imprint.sandbox._launch import Stdio, prepare
from imprint.sandbox._process import finish
from imprint.sandbox.errors import CopilotNotStarted, PortInUse
from imprint.sandbox.isolation import (
    IsolationKind,
    ScratchHome,
    minimal_path,
    model_environment,
    sealed_environment,
)
from imprint.sandbox.model import ScriptedModel, listen
from tests.sandbox.support import has_ended, script
from tests.support import NOBODY, as_nobody

REACH = """
import json, socket, sys

def reach(port):
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError as error:
        return type(error).__name__
    return "reached"

interfaces = [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]
print(json.dumps({"model": reach(int(sys.argv[1])), "host": reach(int(sys.argv[2])),
                  "interfaces": interfaces}))
"""


def reach(tmp_path: Path, *, isolate: bool) -> dict:
    """What a program reaches: the model that was prepared for it, a port of the host."""
    with listen() as outside:
        launcher = prepare(tmp_path, Stdio(), port=0, isolate=isolate)
        try:
            with ScriptedModel(listener=launcher.listener):
                ports = (str(launcher.listener.getsockname()[1]), str(outside.getsockname()[1]))
                process = launcher.start([sys.executable, "-IS", "-c", REACH, *ports], {})
                done = finish(process, time.monotonic() + 20)
        finally:
            launcher.close()
    assert done.exit_code == 0, done.stderr
    return {**json.loads(done.stdout), "isolation": launcher.isolation}


@pytest.mark.skipif(sys.platform != "linux", reason="this system has no network namespaces")
def test_in_a_namespace_the_model_is_reached_and_the_host_is_not(tmp_path):
    seen = reach(tmp_path, isolate=True)
    assert seen["isolation"].kind is IsolationKind.NETWORK_NAMESPACE, seen
    assert (seen["model"], seen["host"]) == ("reached", "ConnectionRefusedError")
    assert seen["interfaces"] == ["lo"]


def test_without_a_namespace_both_are_reached_and_the_result_says_why(tmp_path):
    seen = reach(tmp_path, isolate=False)
    assert seen["isolation"].kind is IsolationKind.NONE
    assert seen["isolation"].reason == "not asked for"
    assert (seen["model"], seen["host"]) == ("reached", "reached")


@pytest.mark.skipif(sys.platform != "linux", reason="this system has no network namespaces")
def test_a_user_without_rights_gets_a_namespace_or_the_reason_why_not():
    sealed = importlib.import_module("imprint.sandbox._sealed")

    def task() -> str:
        try:
            sealed.unshare_network()
            sealed.loopback_up()
        except OSError as error:
            return f"refused: {error.strerror}"
        with sealed.listen(0) as listener, socket.create_connection(listener.getsockname(), 5):
            return f"sealed as {os.geteuid()}"

    said = as_nobody(task)
    assert said.startswith(("refused: ", f"sealed as {NOBODY}")), said


def test_where_the_helper_fails_the_run_goes_on_without_and_says_so(tmp_path, monkeypatch):
    helper = tmp_path / "helper.py"
    helper.write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.setattr(_launch, "_SEALED", helper)
    seen = reach(tmp_path, isolate=True)
    assert seen["isolation"].kind is IsolationKind.NONE
    assert "helper" in seen["isolation"].reason
    assert seen["model"] == "reached"


def test_where_namespaces_are_forbidden_the_system_says_why(tmp_path, monkeypatch):
    helper = tmp_path / "helper.py"
    text = Path(_launch._SEALED).read_text(encoding="utf-8")
    forbidden = "def unshare_network():\n    raise OSError(1, 'unshare: Operation not permitted')"
    helper.write_text(
        text.replace("def listen(", f"{forbidden}\n\n\ndef listen("), encoding="utf-8"
    )
    monkeypatch.setattr(_launch, "_SEALED", helper)
    seen = reach(tmp_path, isolate=True)
    assert seen["isolation"].reason == "unshare: Operation not permitted"


@pytest.mark.parametrize("isolate", [True, False])
def test_a_program_that_cannot_be_started_is_named(tmp_path, isolate):
    launcher = prepare(tmp_path, Stdio(), port=0, isolate=isolate)
    with (
        launcher.listener,
        pytest.raises(CopilotNotStarted, match=r"/no/copilot can't be started: No such file"),
    ):
        launcher.start(["/no/copilot"], {})
    launcher.close()


def test_a_working_folder_that_is_gone_is_named(tmp_path):
    with pytest.raises(CopilotNotStarted, match=f"{tmp_path}/gone"):
        prepare(tmp_path / "gone", Stdio(), port=0, isolate=True)


def test_a_launcher_that_is_given_up_leaves_no_process(tmp_path):
    launcher = prepare(tmp_path, Stdio(), port=0, isolate=True)
    process = launcher._process
    launcher.listener.close()
    launcher.close()
    assert process.returncode is not None


def test_a_fixed_port_is_taken_in_the_namespace_whoever_has_it_outside(tmp_path):
    with listen() as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse):
            prepare(tmp_path, Stdio(), port=port, isolate=False)
        launcher = prepare(tmp_path, Stdio(), port=port, isolate=True)
        assert launcher.listener.getsockname()[1] == port
        launcher.listener.close()
        launcher.close()


def test_a_program_dies_with_the_process_that_runs_it(tmp_path):
    text = (
        "import sys, os\n"
        "from pathlib import Path\n"
        "from imprint.sandbox._launch import Stdio, prepare\n"
        "launcher = prepare(Path('/'), Stdio(stdout=1), port=0, isolate=True)\n"
        "process = launcher.start(['/bin/cat'], {})\n"
        "print(process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, check=False, timeout=30
    )
    assert has_ended(int(done.stdout))


def test_the_environment_is_cleared_and_every_folder_is_scratch(tmp_path):
    host = Environment.scratch(tmp_path, {"PATH": "/usr/bin:/bin", "GITHUB_TOKEN": "secret"})
    scratch = ScratchHome(tmp_path / "scratch").make()
    variables = sealed_environment(host, scratch, {"EXTRA": "1"})
    assert "GITHUB_TOKEN" not in variables
    assert variables["EXTRA"] == "1"
    assert (variables["COPILOT_OFFLINE"], variables["COPILOT_AUTO_UPDATE"]) == ("true", "false")
    folders = {name: value for name, value in variables.items() if value.startswith(str(tmp_path))}
    assert set(folders) >= {"HOME", "USERPROFILE", "COPILOT_HOME", "XDG_CACHE_HOME", "TMPDIR"}
    assert all(Path(value).is_relative_to(scratch.root) for value in folders.values())


def test_windows_keeps_the_variables_that_its_programs_cannot_do_without(tmp_path):
    host = Environment.scratch(tmp_path, {"PATH": "", "SystemRoot": "C:\\Windows", "SECRET": "x"})
    scratch = ScratchHome(tmp_path / "scratch")
    assert "SystemRoot" not in sealed_environment(host, scratch, {})
    windows = sealed_environment(replace(host, platform="win32"), scratch, {})
    assert windows["SystemRoot"] == "C:\\Windows"
    assert "SECRET" not in windows


def test_the_path_holds_the_folders_of_what_copilot_starts_in_the_users_order(tmp_path):
    for folder in ("one", "two", "three"):
        (tmp_path / folder).mkdir()
    script(tmp_path / "three" / "git", "")
    script(tmp_path / "one" / "sh", "")
    script(tmp_path / "two" / "other", "")
    path = ":".join(str(tmp_path / folder) for folder in ("three", "two", "one"))
    host = Environment.scratch(tmp_path, {"PATH": path})
    assert minimal_path(host) == f"{tmp_path}/three:{tmp_path}/one"


def test_the_model_is_named_without_any_key():
    variables = model_environment("http://127.0.0.1:1/v1", "gpt-4.1")
    assert variables["COPILOT_PROVIDER_BASE_URL"] == "http://127.0.0.1:1/v1"
    assert not [name for name in variables if "KEY" in name or "TOKEN" in name]
