"""In a home full of the user's own files, a real Copilot goes on loading all of them."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from imprint.base.errors import ExitCode
from imprint.base.paths import Environment
from imprint.copilot.commandline import posix_line
from imprint.sandbox.isolation import ScratchHome
from imprint.sandbox.release import Release
from imprint.sandbox.script import CallTool, Say, tool_ending
from imprint.sandbox.session import SessionSpec, run_prompt
from imprint.trial.tree import snapshot
from tests.cli.conftest import User

SERVER = """\
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = {}
    if request["method"] == "initialize":
        version = request["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}},
                  "serverInfo": {"name": "mine", "version": "1"}}
    elif request["method"] == "tools/list":
        schema = {"type": "object", "properties": {}}
        result = {"tools": [{"name": "users_tool", "description": "d", "inputSchema": schema}]}
    elif request["method"] == "tools/call":
        result = {"content": [{"type": "text", "text": "the user's own answer"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""

TEXT = "Always answer in one sentence.\r\nNo final newline: \u00fc".encode()


def users_files(copilot: Path, tools: Path) -> Path:
    """A server, a hook and instructions of the user's; returns the mark that the hook leaves."""
    tools.mkdir()
    server = tools / "server.py"
    server.write_text(SERVER, encoding="utf-8")
    entry = {"type": "stdio", "command": sys.executable, "args": [str(server)], "tools": ["*"]}
    (copilot / "mcp-config.json").write_bytes(
        # Four blanks, Windows line ends, a key that nobody knows, no newline at the end.
        json.dumps({"mcpServers": {"mine": entry}, "x-mine": 1}, indent=4)
        .replace("\n", "\r\n")
        .encode()
    )
    (copilot / "copilot-instructions.md").write_bytes(TEXT)
    mark = tools / "hook-ran"
    line = posix_line((sys.executable, "-c", f"open({str(mark)!r}, 'a').write('x'); print('{{}}')"))
    hooks = {"version": 1, "hooks": {"SessionStart": [{"type": "command", "bash": line}]}}
    (copilot / "hooks").mkdir()
    (copilot / "hooks" / "mine.json").write_text(json.dumps(hooks), encoding="utf-8")
    return mark


@pytest.mark.copilot
@pytest.mark.parametrize("name", ["newest", "early"])
def test_the_users_server_hook_and_instructions_still_load_and_come_back_byte_for_byte(
    name: str, tmp_path: Path, fetch: Callable[[str], Release], host: Environment
) -> None:
    scratch = ScratchHome(tmp_path / "scratch").make()
    mark = users_files(scratch.copilot, tmp_path / "tools")
    before = snapshot(scratch.copilot)
    user = User(tmp_path / "u")
    user.home.mkdir(parents=True)
    at_home = ("--home", str(scratch.copilot))
    assert user.run("setup", *at_home).code == ExitCode.OK
    touched = set(snapshot(scratch.copilot)) | set(before)
    checks = user.run("doctor", *at_home, "--json").data["checks"]
    assert [check for check in checks if check["status"] == "broken"] == []
    named = {check["id"]: check["detail"] for check in checks if check["status"] == "attention"}
    assert "mine.json" in named["hooks.others"], "another hook gives context at SessionStart"
    workdir = tmp_path / "work"
    workdir.mkdir()
    result = run_prompt(
        SessionSpec(
            release=fetch(name),
            prompt="Use my own tool.",
            turns=(CallTool(tool_ending("users_tool"), {}), Say("Used.")),
            scratch=scratch,
            workdir=workdir,
            host=host,
        )
    )
    assert result.exit_code == 0, result.stderr
    requests = result.model_requests
    assert any(request.contains("the user's own answer", "tool") for request in requests)
    assert any(tool.endswith("recall") for tool in requests[0].tools)
    assert requests[0].contains("Always answer in one sentence.", "system")
    assert requests[0].contains("# Imprint: memory", "system")
    assert mark.read_text(encoding="utf-8") == "x"
    assert user.run("disconnect", *at_home).code == ExitCode.OK
    after = snapshot(scratch.copilot)
    assert {path: after.get(path) for path in touched} == {
        path: before.get(path) for path in touched
    }
