"""Under `--live` the registered server is started and asked; nothing it does can hang doctor."""

import json
import os
import select
import sys
import time
from pathlib import Path

import pytest

from imprint.base.checks import Status
from imprint.copilot.checks import live_mcp
from imprint.copilot.checks.ids import Id
from imprint.copilot.mcp_entry import TOOLS
from tests.copilot.checks.conftest import Patient
from tests.copilot.conftest import put, tree

_ANSWERING = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/x"}), flush=True)
        tools = [{"name": name} for name in %s]
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": tools}}),
              flush=True)
"""


def serving(patient: Patient, folder: Path, script: str) -> Patient:
    """Our entry, whose interpreter finds an `imprint` with this script as its `mcp`."""
    put(folder / "imprint" / "__init__.py", "")
    put(folder / "imprint" / "__main__.py", script)
    environment = {"IMPRINT_HOME": str(patient.environment.imprint_home)}
    patient.entry(env={**environment, "PYTHONPATH": str(folder)})
    return patient


def test_it_is_asked_only_when_told_to(healthy: Patient) -> None:
    assert Id.MCP_ANSWER not in {check.id for check in healthy.look()}


def test_the_real_server_answers_with_its_tools_and_writes_nothing(healthy: Patient) -> None:
    before = tree(healthy.environment.imprint_home)
    check = healthy.one(Id.MCP_ANSWER, live=True)
    assert check.status is Status.OK, check.detail
    assert all(tool in check.detail for tool in TOOLS)
    assert tree(healthy.environment.imprint_home) == before


def test_a_missing_tool_is_broken(healthy: Patient, tmp_path: Path) -> None:
    few = serving(healthy, tmp_path / "few", _ANSWERING % json.dumps(TOOLS[1:]))
    check = few.one(Id.MCP_ANSWER, live=True)
    assert check.status is Status.BROKEN
    assert TOOLS[0] in check.detail


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("raise SystemExit('cannot import mcp')", "cannot import mcp"),
        ("print('hello')", "malformed"),
        (
            'import sys; sys.stdin.readline(); print(\'{"id": 1, "error": {"code": 7}}\')',
            '"code": 7',
        ),
        ("import os; os.close(0); os.close(1)", "it ended"),
    ],
)
def test_a_server_that_fails_is_broken_with_its_last_words(
    healthy: Patient, tmp_path: Path, script: str, said: str
) -> None:
    check = serving(healthy, tmp_path / "failing", script).one(Id.MCP_ANSWER, live=True)
    assert check.status is Status.BROKEN
    assert said in check.detail
    assert "imprint setup" in check.fix


def test_a_silent_server_is_ended_with_all_that_it_started(
    healthy: Patient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_mcp, "SECONDS", 3.0)
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    script = f"import os, time; os.open({str(fifo)!r}, os.O_WRONLY); os.fork(); time.sleep(600)"
    try:
        began = time.monotonic()
        check = serving(healthy, tmp_path / "silent", script).one(Id.MCP_ANSWER, live=True)
        assert time.monotonic() - began < 10
        assert "silent" in check.detail
        # The end of the pipe: nobody who was started is alive.
        assert select.select([reader], [], [], 10)[0]
        assert os.read(reader, 1) == b""
    finally:
        os.close(reader)


def test_an_entry_of_others_is_not_started(patient: Patient, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = f"open({str(ran)!r}, 'w').close()"
    entry = {"type": "stdio", "command": sys.executable, "args": ["-c", script], "tools": ["*"]}
    patient.put("mcp-config.json", {"mcpServers": {"imprint": entry}})
    assert patient.found(Id.MCP_ANSWER, live=True) == ()
    assert not ran.exists()


def test_the_server_starts_while_copilot_says_its_version(healthy: Patient, tmp_path: Path) -> None:
    """Either waits for the other: one after the other, none would come to an end."""
    fifo = tmp_path / "meeting"
    os.mkfifo(fifo)
    # Asked for its version before, too; only where sessions are prepared has it such a folder.
    waits = f'[ "$1" = --version ] && [ -n "$COPILOT_CACHE_HOME" ] && cat {fifo}'
    says = "echo GitHub Copilot CLI 1.0.102."
    copilot = put(tmp_path / "bin" / "copilot", f"#!/bin/sh\n{waits}\n{says}\n")
    copilot.chmod(0o755)
    script = f"open({str(fifo)!r}, 'w').close()\n{_ANSWERING % json.dumps(TOOLS)}"
    patient = serving(healthy, tmp_path / "meeting-server", script)
    patient = patient.with_variables(PATH=f"{copilot.parent}:{os.defpath}")
    found = {check.id: check for check in patient.look(live=True)}
    assert found[Id.MCP_ANSWER].status is Status.OK, found[Id.MCP_ANSWER].detail
    assert "(1.0.102) was asked" in found[Id.LIVE_COPILOT].detail
