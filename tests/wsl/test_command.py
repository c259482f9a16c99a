"""`imprint wsl` as a user types it, and the whole way from Copilot's hook to the memory."""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from imprint.base.checks import Check, CheckContext, Status
from imprint.base.errors import ExitCode, ImprintError, UsageError
from imprint.base.results import Result
from imprint.cli import cmd_wsl
from imprint.cli._context import Context
from imprint.doctor import run
from imprint.wsl import checks
from imprint.wsl.listing import RowState
from imprint.wsl.run_wsl import WslMissing
from imprint.wsl.seen import contract_of, seen_versions
from tests.learn.support import Transcript
from tests.wsl.windows import NOW, Linux, Windows, tree


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


def called(windows: Windows, *words: str) -> Result:
    """The same within this process, where only the result counts."""
    parser = argparse.ArgumentParser()
    cmd_wsl.configure(parser)
    context = Context(windows.world, lambda _: None, is_terminal=False)
    return cmd_wsl.run(parser.parse_args(words), context)


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
        os.sched_yield()
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
    messages = called(ubuntu.windows, "setup").messages
    assert any(line.startswith("learned 1 sessions (2 new turns)") for line in messages)


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
    called(windows, "setup", "--no-history")
    asked = len(windows.asked)
    rows = imprint(windows, "wsl", "list", "--json").data["distributions"]
    assert windows.asked[asked:] == [["--list", "--verbose"]], "no distribution is started"
    assert [(row["distribution"], row["client"], row["state"]) for row in rows] == [
        ("Ubuntu", "copilot", "set-up"),
        ("Debian", "copilot", "not-set-up"),
    ]
    assert rows[0]["home"] == str(linux.copilot)
    assert (rows[0]["default"], rows[1]["running"]) == (True, "Stopped")


def test_a_distribution_that_is_gone_is_listed_until_it_is_forgotten(windows: Windows) -> None:
    windows.distribution("Ubuntu")
    windows.distribution("Debian")
    called(windows, "setup", "--no-history")
    windows.unregister("Ubuntu")
    text = imprint(windows, "wsl", "list").out
    assert "Ubuntu  copilot: gone; `imprint wsl remove --distribution Ubuntu` forgets it" in text
    removed = called(windows, "remove", "--distribution", "ubuntu")
    assert removed.exit_code is ExitCode.OK
    assert "its record was forgotten" in removed.messages[0]
    listed = called(windows, "list").data
    assert isinstance(listed, cmd_wsl.Listed)
    assert [row.state for row in listed.distributions] == [RowState.NOT_SET_UP]


def test_another_home_of_the_distribution_can_be_named(ubuntu: Linux) -> None:
    windows, other = ubuntu.windows, ubuntu.home / "other home"
    other.mkdir()
    assert called(windows, "setup", "--home", str(other), "--no-history").exit_code == 0
    assert (other / "imprint-wsl").exists()
    assert not ubuntu.launcher.exists()
    with pytest.raises(UsageError, match="is not set up there"):
        called(windows, "remove", "--home", str(ubuntu.copilot))
    with pytest.raises(UsageError, match="no absolute path"):
        called(windows, "setup", "--home", "relative")
    called(windows, "remove", "--home", str(other))
    assert tree(other) == {}


def test_interop_that_is_off_is_said_and_exit_code_1(ubuntu: Linux) -> None:
    python = ubuntu.windows.drive / "Program Files/it's/python.exe"
    python.write_bytes(b"MZ\x90\0" + bytes(64))
    done = called(ubuntu.windows, "setup", "--no-history")
    assert done.exit_code is ExitCode.ATTENTION
    assert any("cannot start programs of Windows" in line for line in done.messages)


def test_a_distribution_without_bash_is_said_and_exit_code_1(windows: Windows) -> None:
    linux = windows.distribution("Alpine", bash=False)
    done = called(windows, "setup", "--no-history")
    assert done.exit_code is ExitCode.ATTENTION
    assert any("no /bin/bash" in line for line in done.messages)
    assert not (linux.copilot / "hooks").exists()


@pytest.mark.parametrize("action", ["list", "setup", "remove"])
def test_where_there_is_no_wsl_the_error_says_what_to_do(windows: Windows, action: str) -> None:
    (windows.root / "bin/wsl.exe").unlink()
    with pytest.raises(WslMissing, match="cannot be started") as caught:
        called(windows, action)
    assert "wsl --install" in caught.value.fix


PATHS = [
    (["/mnt/c/Users"], "to-windows", "C:\\Users"),
    (["--mixed", "/mnt/c/Users"], "to-windows", "C:/Users"),
    (["--distribution", "Ubuntu", "/home/a"], "to-windows", "\\\\wsl.localhost\\Ubuntu\\home\\a"),
    (["--automount-root", "/", "C:\\Users"], "to-linux", "/c/Users"),
    (["--automount-root", "/windir", "/windir/c"], "to-windows", "C:\\"),
    (["--mountinfo", "{root}/mountinfo", "D:\\Data\\x"], "to-linux", "/mnt/data/x"),
    (["--mountinfo", "{root}/mountinfo", "/mnt/data/x"], "to-windows", "D:\\Data\\x"),
    (["--distribution", "Ubuntu", "//Wsl$/ubuntu/home"], "to-linux", "/home"),
]


@pytest.mark.parametrize(("words", "direction", "path"), PATHS)
def test_path_tells_direction_and_translation(
    windows: Windows, words: list[str], direction: str, path: str
) -> None:
    line = "1 1 0:1 / /mnt/data rw - 9p drvfs rw,aname=drvfs;path=D:\\134Data;uid=0\n"
    windows.write("mountinfo", line)
    result = called(windows, "path", *(word.format(root=windows.root) for word in words))
    assert result.data == cmd_wsl.Translated(direction, path)
    assert list(cmd_wsl.text(result)) == [path]


@pytest.mark.parametrize(
    "words",
    [
        ["relative"],
        ["C:x"],
        ["/home/ada"],
        ["D:\\x"],
        ["--distribution", "Ubuntu", "\\\\wsl.localhost\\Debian\\home"],
        ["--distribution", "Ubuntu", "/a/../.."],
        ["--mountinfo", "/nowhere/mountinfo", "/mnt/c"],
    ],
)
def test_a_path_without_counterpart_is_refused(windows: Windows, words: list[str]) -> None:
    with pytest.raises(ImprintError) as caught:
        called(windows, "path", *words)
    assert caught.value.exit_code == 2


def test_path_as_a_command(windows: Windows) -> None:
    assert imprint(windows, "wsl", "path", "/mnt/c/a b").out == "C:\\a b\n"
    told = imprint(windows, "wsl", "path", "/mnt/c/a b", "--json")
    assert told.data == {"direction": "to-windows", "path": "C:\\a b"}
    assert imprint(windows, "wsl", "path", "D:\\x").code == 2


def test_path_knows_the_mounts_of_a_distribution_that_is_set_up(ubuntu: Linux) -> None:
    ubuntu.setup()
    found = called(ubuntu.windows, "path", "--distribution", "Ubuntu", "C:\\x").data
    assert found == cmd_wsl.Translated("to-linux", f"{ubuntu.windows.drive}/x")


def test_doctor_looks_at_registered_distributions(windows: Windows) -> None:
    def check(*, live: bool = False) -> dict[str, Check]:
        context = CheckContext(windows.world, NOW, live=live)
        data = run(context, (checks.checkers,))
        return {one.id: one for one in data.checks}

    assert check() == {}
    linux = windows.distribution("Ubuntu")
    linux.setup()
    good = check(live=True)
    assert {name: one.status for name, one in good.items()} == {
        "wsl.records": Status.OK,
        "wsl.distributions": Status.OK,
        "wsl.files": Status.OK,
        "wsl.launcher": Status.OK,
    }
    (windows.drive / "Program Files/it's/python.exe").unlink()
    assert check(live=True)["wsl.launcher"].status is Status.BROKEN
    linux.put("hooks/imprint.json", "{}")
    assert check()["wsl.files"].status is Status.ATTENTION
    windows.change("Ubuntu", running=False)
    assert "wsl.files" not in check(), "nothing is started only to look"
    windows.unregister("Ubuntu")
    windows.distribution("Debian")
    gone = check()["wsl.distributions"]
    assert gone.status is Status.ATTENTION
    assert gone.fix == "imprint wsl remove --distribution Ubuntu"
    (windows.world.layout().root / "wsl/0123456789abcdef.json").write_text("x", encoding="utf-8")
    assert check()["wsl.records"].status is Status.BROKEN


def test_disconnect_all_takes_it_out_of_distributions_too(windows: Windows) -> None:
    one, gone = windows.distribution("Ubuntu"), windows.distribution("Debian")
    for linux in (one, gone):
        linux.setup()
    windows.unregister("Debian")
    done = imprint(windows, "disconnect", "--all", "--purge", "--json")
    assert done.code == 0, done.out + done.err
    assert tree(one.copilot) == {}
    assert gone.launcher.exists()
    assert not windows.world.imprint_home.exists()


def test_without_any_wsl_its_distributions_can_still_be_forgotten(ubuntu: Linux) -> None:
    ubuntu.setup()
    (ubuntu.windows.root / "bin/wsl.exe").unlink()
    called(ubuntu.windows, "remove", "--distribution", "Ubuntu")
    assert ubuntu.windows.profiles() == ()


def test_what_setup_writes_is_right_for_the_copilots_that_were_at_work(ubuntu: Linux) -> None:
    for name, version in (("old", "1.0.40"), ("new", "1.0.102"), ("odd", "")):
        session = Transcript(name).start("/app", copilotVersion=version)
        ubuntu.put(f"session-state/{name}/events.jsonl", session.bytes)
    ubuntu.put("session-state/bad/events.jsonl", b"nonsense")
    ubuntu.put("session-state/file", b"")
    assert set(seen_versions(ubuntu.copilot)) == {"1.0.40", "1.0.102"}
    assert seen_versions(ubuntu.home) == ()
    contract = contract_of(ubuntu.copilot)
    asked = {answer.version for one in contract.decisions for answer in one.evidence}
    assert asked == {"1.0.40", "1.0.102"}
