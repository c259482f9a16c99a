"""`imprint doctor` as a user types it."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from imprint.base.errors import ExitCode
from imprint.doctor import IDS
from tests.copilot.conftest import put

DOCS = Path(__file__).parents[2] / "docs" / "doctor.md"

# Under WSL and with `--live` there are more.
HERE = {name for name in IDS if not name.startswith(("live.", "wsl.")) and name != "mcp.answer"}

# Whatever people have in a Copilot home, all at once.
ODD = {
    "settings.json": '// mine\n{"disableAllHooks": true, "disabledMcpServers": ["imprint"],}',
    "config.json": '// managed\n{"hooks": {}}',
    "mcp.json": "{}",
    "hooks/empty.json": '{"version": 1}',
    "hooks/other.json": '{"version": 1, "hooks": {"SessionStart": [{"bash": "echo {}"}]}}',
    "logs/process-1.log": "1 MCP servers were blocked by policy: 'imprint'\n",
    "session-state/1/events.jsonl": '{"type": "session.start"}\n',
}


@dataclass
class User:
    """Somebody with a home, a Copilot, and an Imprint."""

    root: Path

    @property
    def copilot(self) -> Path:
        return self.root / "home" / ".copilot"

    @property
    def imprint_home(self) -> Path:
        return self.root / "imprint"

    def run(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        env = {
            "PATH": f"{self.root / 'bin'}:{os.defpath}",
            "HOME": str(self.root / "home"),
            "IMPRINT_HOME": str(self.imprint_home),
            "IMPRINT_CACHE": str(self.root / "cache"),
        }
        argv = [sys.executable, "-P", "-m", "imprint", *words]
        return subprocess.run(argv, capture_output=True, env=env, check=False)

    def checks(self, *words: str) -> tuple[int, dict[str, dict[str, str]]]:
        done = self.run("doctor", "--json", *words)
        answer = json.loads(done.stdout)
        assert answer["exit_code"] == done.returncode, done.stderr
        assert (answer["command"], answer["errors"]) == ("doctor", [])
        checks = answer["data"]["checks"]
        assert all(set(check) == {"id", "status", "detail", "fix"} for check in checks)
        return done.returncode, {check["id"]: check for check in checks}

    def tree(self) -> dict[str, tuple[bytes | None, int, int]]:
        """All of both homes: bytes, time of change and mode."""
        found = {}
        for home in (self.copilot, self.imprint_home):
            for path in (home, *sorted(home.rglob("*"))):
                facts = path.stat()
                data = path.read_bytes() if path.is_file() else None
                found[str(path)] = (data, facts.st_mtime_ns, facts.st_mode)
        return found


@pytest.fixture
def user(tmp_path: Path) -> User:
    user = User(tmp_path)
    user.copilot.mkdir(parents=True)
    program = put(tmp_path / "bin" / "copilot", "#!/bin/sh\necho 1.0.102\n")
    program.chmod(0o755)
    return user


@pytest.fixture
def connected(user: User) -> User:
    done = user.run("setup")
    assert done.returncode == ExitCode.OK, done.stderr
    return user


def test_a_healthy_home_exits_with_0(connected: User) -> None:
    code, checks = connected.checks()
    assert [check for check in checks.values() if check["status"] != "ok"] == []
    assert code == ExitCode.OK
    assert set(checks) == HERE


def test_a_copilot_that_cannot_be_asked_is_an_unknown_and_the_server_is_asked_all_the_same(
    connected: User,
) -> None:
    code, checks = connected.checks("--live")
    assert code == ExitCode.UNDETERMINED, checks
    odd = {name: check["status"] for name, check in checks.items() if check["status"] != "ok"}
    assert odd == {"live.copilot": "unknown"}
    assert "not a Copilot" in checks["live.copilot"]["detail"]
    assert set(checks) == HERE | {"live.copilot", "mcp.answer"}
    assert not (connected.imprint_home / "observed").exists()


def test_a_home_that_is_not_set_up_exits_with_1_and_says_what_to_type(user: User) -> None:
    done = user.run("doctor", "--target", "copilot")
    assert done.returncode == ExitCode.ATTENTION
    lines = done.stdout.decode().splitlines()
    assert any("-> `imprint setup`" in line for line in lines)
    assert lines[-1].startswith("0 broken, 0 unknown, ")


def test_what_is_broken_comes_first_and_exits_with_2(connected: User) -> None:
    (connected.copilot / "hooks" / "imprint.json").unlink()
    done = connected.run("doctor")
    assert done.returncode == ExitCode.REFUSED
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("broken     hooks.file")
    assert lines[1].strip() == "-> `imprint setup`"


def test_an_unknown_version_exits_with_3(connected: User, tmp_path: Path) -> None:
    put(tmp_path / "bin" / "copilot", "#!/bin/sh\nexit 1\n")
    code, checks = connected.checks()
    assert code == ExitCode.UNDETERMINED
    assert checks["copilot.version"]["status"] == "unknown"


@pytest.mark.parametrize("words", [(), ("--live",)])
@pytest.mark.parametrize("state", ["connected", "odd", "bare", "broken"])
def test_no_file_in_any_home_changes(user: User, state: str, words: tuple[str, ...]) -> None:
    if state == "bare":
        user.imprint_home.mkdir()
    else:
        assert user.run("setup").returncode == ExitCode.OK
        assert user.run("remember", "the walrus").returncode == ExitCode.OK
    if state == "odd":
        for name, text in ODD.items():
            put(user.copilot / name, text)
        # Waits for an importer, which a real SessionStart would start.
        put(user.imprint_home / "spool" / "1.json", "{}")
    if state == "broken":
        put(user.copilot / "mcp-config.json", "{")
        put(user.imprint_home / "memory.db", b"damaged" * 1000)
        put(user.imprint_home / "config.toml", "what = ")
    before = user.tree()
    done = user.run("doctor", *words)
    assert b"Traceback" not in done.stderr
    assert user.tree() == before


def test_each_oddity_is_named_and_none_hides_another(connected: User) -> None:
    for name, text in ODD.items():
        put(connected.copilot / name, text)
    code, checks = connected.checks()
    assert code == ExitCode.ATTENTION
    odd = {name for name, check in checks.items() if check["status"] == "attention"}
    assert odd == {
        "copilot.disabled",
        "copilot.names",
        "copilot.policy",
        "hooks.disabled",
        "hooks.elsewhere",
        "hooks.empty",
    }
    assert "other.json" in checks["hooks.others"]["detail"]
    assert all(checks[name]["fix"] for name in odd)


def test_setup_mends_what_it_can(connected: User) -> None:
    shutil.rmtree(connected.copilot)
    connected.copilot.mkdir()
    assert connected.checks()[0] == ExitCode.REFUSED
    assert connected.run("setup").returncode == ExitCode.OK
    assert connected.checks()[0] == ExitCode.OK


def test_without_any_home_it_still_answers(user: User) -> None:
    user.copilot.rmdir()
    code, checks = user.checks()
    assert code == ExitCode.ATTENTION
    assert checks["copilot.home"]["status"] == "attention"
    assert not user.copilot.exists()
    assert not user.imprint_home.exists()


def test_the_docs_explain_exactly_the_ids_that_there_are() -> None:
    headings = [
        line.removeprefix("### `").removesuffix("`")
        for line in DOCS.read_text(encoding="utf-8").splitlines()
        if line.startswith("### `")
    ]
    assert headings == list(IDS)


def test_what_costs_time_is_not_imported(connected: User) -> None:
    script = (
        "import sys; from imprint.cli import main; code = main(['doctor', '--json']);"
        "slow = {'mcp', 'imprint.sandbox', 'imprint.learn.reader', 'anyio', 'asyncio'};"
        "slow &= set(sys.modules);"
        "sys.exit(f'imported {slow}' if slow else code)"
    )
    env = {
        "PATH": f"{connected.root / 'bin'}:{os.defpath}",
        "HOME": str(connected.root / "home"),
        "IMPRINT_HOME": str(connected.imprint_home),
    }
    argv = [sys.executable, "-P", "-c", script]
    done = subprocess.run(argv, capture_output=True, env=env, check=False)
    assert done.returncode == ExitCode.OK, done.stderr
