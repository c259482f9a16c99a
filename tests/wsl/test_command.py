"""`imprint wsl` as a user types it, and the whole way from Copilot's hook to the memory."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.learn.support import Transcript
from tests.wsl.windows import Linux, Windows, tree


@dataclass(frozen=True, slots=True)
class Ran:
    """A command's end."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        envelope = json.loads(self.out)
        assert envelope["exit_code"] == self.code
        data = envelope["data"]
        assert isinstance(data, dict)
        return data


def variables(windows: Windows) -> dict[str, str]:
    """The environment of a terminal on that Windows."""
    root = windows.root
    folders = {
        f"XDG_{name}_HOME": str(root / name.lower()) for name in ("STATE", "CACHE", "CONFIG")
    }
    home = {"IMPRINT_HOME": str(windows.world.imprint_home)}
    return {**windows.world.variables, **folders, **home}


def imprint(windows: Windows, *words: str, **more: str) -> Ran:
    """Run the command on Windows."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "imprint", *words],
        capture_output=True,
        check=False,
        timeout=120,
        env={**variables(windows), **more},
        cwd=windows.root,
        stdin=subprocess.DEVNULL,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def hook(
    linux: Linux, event: str, payload: dict[str, object]
) -> subprocess.CompletedProcess[bytes]:
    """Run a registered hook as Copilot does."""
    hooks = json.loads((linux.copilot / "hooks/imprint.json").read_bytes())["hooks"]
    (handler,) = hooks[event]
    return subprocess.run(
        ["/bin/bash", "--norc", "--noprofile", "-c", handler["bash"]],
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=False,
        timeout=handler["timeoutSec"],
        cwd=linux.home,
        env={**variables(linux.windows), **linux.environment()},
    )


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether something comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def test_the_whole_way_from_a_hook_to_the_memory_and_back(ubuntu: Linux) -> None:
    windows = ubuntu.windows
    before = tree(ubuntu.copilot)
    done = imprint(windows, "wsl", "setup", "--json")
    assert done.code == 0, done.out + done.err
    assert {Path(change["path"]).name for change in done.data["changes"]} >= {
        "imprint-wsl",
        "mcp-config.json",
        "copilot-instructions.md",
        "imprint.json",
    }
    session = Transcript("abc").start("/home/ada/app")
    session.turn("Which port?", "Port 4711, as ever.").stop()
    path = ubuntu.put("session-state/abc/events.jsonl", session.bytes)
    payload: dict[str, object] = {"session_id": "abc", "transcript_path": str(path)}
    stop = hook(ubuntu, "Stop", {"hook_event_name": "Stop", "cwd": "/home/ada/app", **payload})
    assert (stop.returncode, stop.stdout, stop.stderr) == (0, b"{}\n", b"")
    spool, digests = windows.world.layout().spool, windows.world.layout().digests
    learned = wait_for(
        lambda: bool(list(digests.glob("*.json"))) and not list(spool.glob("*.json"))
    )
    assert learned, "the importer that the bridge started did not finish"
    recalled = imprint(windows, "recall", "port 4711", "--json").data["hits"]
    assert any("4711" in hit["text"] for hit in recalled)
    start = hook(ubuntu, "SessionStart", {"sessionId": "new", "cwd": "/home/ada/app/src"})
    assert "4711" in json.loads(start.stdout)["additionalContext"]
    path.unlink()
    path.parent.rmdir()
    path.parent.parent.rmdir()
    assert imprint(windows, "wsl", "remove").code == 0
    assert tree(ubuntu.copilot) == before


def test_the_mcp_server_answers_through_the_launcher(ubuntu: Linux) -> None:
    imprint(ubuntu.windows, "wsl", "setup", "--no-history")
    entry = json.loads((ubuntu.copilot / "mcp-config.json").read_bytes())["mcpServers"]["imprint"]
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-03-26",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    with subprocess.Popen(
        [entry["command"], *entry["args"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=ubuntu.environment(),
        cwd=ubuntu.home,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.wait(timeout=30) == 0
    assert answer["result"]["serverInfo"]["name"] == "imprint"


def test_learn_reads_the_distributions_that_are_set_up(ubuntu: Linux) -> None:
    windows = ubuntu.windows
    imprint(windows, "wsl", "setup", "--no-history")
    session = Transcript("s").start("/home/ada/app").turn("asked", "told").stop()
    ubuntu.put("session-state/s/events.jsonl", session.bytes)
    learned = imprint(windows, "learn", "--json").data
    assert (learned["sessions"]["learned"], learned["turns"]) == (1, 2)


def test_setup_learns_what_is_there_already(ubuntu: Linux) -> None:
    session = Transcript("s").start("/home/ada/app").turn("asked", "told").stop()
    ubuntu.put("session-state/s/events.jsonl", session.bytes)
    assert "learned 1 sessions" in imprint(ubuntu.windows, "wsl", "setup").out


def test_a_dry_run_shows_the_diff_and_changes_nothing(ubuntu: Linux) -> None:
    before = tree(ubuntu.copilot)
    done = imprint(ubuntu.windows, "wsl", "setup", "--dry-run")
    assert done.code == 0
    assert "+#!/bin/sh" in done.out
    assert tree(ubuntu.copilot) == before
    assert not ubuntu.windows.world.imprint_home.exists()


def test_list_has_a_row_per_distribution_and_client(windows: Windows) -> None:
    linux = windows.distribution("Ubuntu")
    windows.distribution("Debian", running=False)
    imprint(windows, "wsl", "setup", "--no-history")
    rows = imprint(windows, "wsl", "list", "--json").data["distributions"]
    assert [(row["distribution"], row["client"], row["state"]) for row in rows] == [
        ("Ubuntu", "copilot", "set-up"),
        ("Debian", "copilot", "not-set-up"),
    ]
    assert rows[0]["home"] == str(linux.copilot)
    assert (rows[0]["default"], rows[1]["running"]) == (True, "Stopped")
    windows.unregister("Ubuntu")
    text = imprint(windows, "wsl", "list").out
    assert "Ubuntu  copilot: gone; `imprint wsl remove --distribution Ubuntu` forgets it" in text
    removed = imprint(windows, "wsl", "remove", "--distribution", "ubuntu")
    assert removed.code == 0
    assert "is gone; its record was forgotten" in removed.out
    assert "gone" not in imprint(windows, "wsl", "list").out


def test_another_home_of_the_distribution_can_be_named(ubuntu: Linux) -> None:
    other = ubuntu.home / "other home"
    other.mkdir()
    assert imprint(ubuntu.windows, "wsl", "setup", "--home", str(other), "--no-history").code == 0
    assert (other / "imprint-wsl").exists()
    assert not ubuntu.launcher.exists()
    wrong = imprint(ubuntu.windows, "wsl", "remove", "--home", str(ubuntu.copilot))
    assert wrong.code == 64
    assert imprint(ubuntu.windows, "wsl", "remove", "--home", str(other)).code == 0
    assert tree(other) == {}
    assert imprint(ubuntu.windows, "wsl", "setup", "--home", "relative").code == 64


def test_interop_that_is_off_is_said_and_exit_code_1(ubuntu: Linux) -> None:
    python = ubuntu.windows.drive / "Program Files/it's/python.exe"
    python.write_bytes(b"MZ\x90\0" + bytes(64))
    done = imprint(ubuntu.windows, "wsl", "setup", "--no-history")
    assert done.code == 1
    assert "cannot start programs of Windows" in done.out


def test_a_distribution_without_bash_is_said_and_exit_code_1(windows: Windows) -> None:
    linux = windows.distribution("Alpine", bash=False)
    done = imprint(windows, "wsl", "setup", "--no-history")
    assert done.code == 1
    assert "no /bin/bash" in done.out
    assert not (linux.copilot / "hooks").exists()


@pytest.mark.parametrize("action", ["list", "setup", "remove"])
def test_where_there_is_no_wsl_the_error_says_what_to_do(windows: Windows, action: str) -> None:
    done = imprint(windows, "wsl", action, "--json", IMPRINT_WSL_EXE="/nowhere/wsl.exe")
    assert done.code == 2
    (error,) = json.loads(done.out)["errors"]
    assert error["code"] == "wsl-missing"
    assert error["fix"]


PATHS = [
    (["/mnt/c/Users"], "to-windows", "C:\\Users"),
    (["--mixed", "/mnt/c/Users"], "to-windows", "C:/Users"),
    (
        ["--distribution", "Ubuntu", "/home/a b"],
        "to-windows",
        "\\\\wsl.localhost\\Ubuntu\\home\\a b",
    ),
    (["--automount-root", "/", "C:\\Users"], "to-linux", "/c/Users"),
    (["--automount-root", "/windir", "/windir/c"], "to-windows", "C:\\"),
    (["--mountinfo", "mountinfo", "D:\\Data\\x"], "to-linux", "/mnt/data/x"),
    (["--mountinfo", "mountinfo", "/mnt/data/x"], "to-windows", "D:\\Data\\x"),
    (["--distribution", "Ubuntu", "//Wsl$/ubuntu/home"], "to-linux", "/home"),
]


@pytest.mark.parametrize(("words", "direction", "path"), PATHS)
def test_path_prints_the_translation(
    windows: Windows, words: list[str], direction: str, path: str
) -> None:
    windows.write(
        "mountinfo", "1 1 0:1 / /mnt/data rw - 9p drvfs rw,aname=drvfs;path=D:\\134Data;uid=0\n"
    )
    assert imprint(windows, "wsl", "path", *words).out == f"{path}\n"
    told = imprint(windows, "wsl", "path", *words, "--json")
    assert told.data == {"direction": direction, "path": path}


@pytest.mark.parametrize(
    "words",
    [
        ["relative"],
        ["C:x"],
        ["/home/ada"],
        ["D:\\x"],
        ["--distribution", "Ubuntu", "\\\\wsl.localhost\\Debian\\home"],
        ["--distribution", "Ubuntu", "/a/../.."],
        ["--mountinfo", "missing", "/mnt/c"],
    ],
)
def test_path_ends_with_2_where_there_is_no_counterpart(windows: Windows, words: list[str]) -> None:
    done = imprint(windows, "wsl", "path", *words, "--json")
    assert done.code == 2
    assert json.loads(done.out)["errors"]


def test_path_knows_the_mounts_of_a_distribution_that_is_set_up(ubuntu: Linux) -> None:
    imprint(ubuntu.windows, "wsl", "setup", "--no-history")
    done = imprint(ubuntu.windows, "wsl", "path", "--distribution", "Ubuntu", "C:\\x")
    assert done.out == f"{ubuntu.windows.drive}/x\n"


def test_doctor_looks_at_registered_distributions(windows: Windows) -> None:
    def checks(*words: str) -> dict[str, dict[str, str]]:
        found = imprint(windows, "doctor", "--json", *words).data["checks"]
        return {one["id"]: one for one in found if one["id"].startswith("wsl.")}

    assert checks() == {}
    linux = windows.distribution("Ubuntu")
    imprint(windows, "wsl", "setup", "--no-history")
    good = checks("--live")
    assert {name: one["status"] for name, one in good.items()} == {
        "wsl.records": "ok",
        "wsl.distributions": "ok",
        "wsl.files": "ok",
        "wsl.launcher": "ok",
    }
    linux.put("hooks/imprint.json", "{}")
    assert checks()["wsl.files"]["status"] == "attention"
    windows.change("Ubuntu", running=False)
    assert "wsl.files" not in checks(), "nothing is started only to look"
    windows.unregister("Ubuntu")
    windows.distribution("Debian")
    gone = checks()["wsl.distributions"]
    assert gone["status"] == "attention"
    assert gone["fix"] == "imprint wsl remove --distribution Ubuntu"
