"""setup, status, disconnect: what a user sees and what is left in the files."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from imprint.base.errors import ExitCode
from imprint.cli import main
from imprint.trial.tree import snapshot
from tests.support import as_nobody, give_to_nobody, let_nobody_in

CONFIG = b'{\n\t// mine\n\t"mcpServers": {\n\t\t"other": {"command": "x", "args": [],},\n\t},\n}'
TEXT = "Be brief.\r\nNo emoji: \u00fc".encode()


def with_files(user) -> None:
    (user.copilot / "mcp-config.json").write_bytes(CONFIG)
    (user.copilot / "copilot-instructions.md").write_bytes(TEXT)


def test_setup_writes_three_files_and_disconnect_gives_back_every_byte(user) -> None:
    with_files(user)
    before = snapshot(user.copilot)
    done = user.run("setup", "--target", "copilot", "--json")
    assert done.code == ExitCode.OK, done
    paths = {Path(change["path"]).name for change in done.data["changes"]}
    assert {"mcp-config.json", "copilot-instructions.md", "imprint.json"} <= paths
    for decision in done.data["decisions"]:
        assert {"claim", "decides", "action", "code", "basis", "evidence"} <= set(decision)
        # There is no Copilot on PATH: nothing is known of it, and that is said.
        assert (decision["code"], decision["basis"]) == ("no-version", "none")
        assert decision["what_to_do"]
    assert user.run("status").code == ExitCode.OK
    gone = user.run("disconnect", "--target", "copilot")
    assert gone.code == ExitCode.OK
    assert snapshot(user.copilot) == before
    assert user.run("status").code == ExitCode.ATTENTION


def test_a_second_setup_plans_nothing_and_says_so(user) -> None:
    with_files(user)
    user.run("setup")
    before = snapshot(user.root)
    done = user.run("setup", "--json")
    assert done.code == ExitCode.OK
    assert done.data["changes"] == []
    again = user.run("setup")
    assert "nothing to do" in again.out
    after = snapshot(user.root)
    kept = {path: entry for path, entry in before.items() if "/log" not in path}
    assert {path: after[path] for path in kept if not path.startswith("state")} == {
        path: entry for path, entry in kept.items() if not path.startswith("state")
    }


@pytest.mark.parametrize("command", ["setup", "disconnect"])
def test_a_dry_run_shows_the_diff_and_changes_nothing(user, command: str) -> None:
    with_files(user)
    if command == "disconnect":
        user.run("setup")
    before = snapshot(user.root)
    done = user.run(command, "--dry-run")
    assert done.code == ExitCode.OK
    assert "+++ " in done.out
    assert "@@" in done.out
    assert '"other"' in done.out or '"imprint"' in done.out
    assert '"spans"' not in done.out, "the receipt is no file of the user's"
    assert snapshot(user.root) == before


def test_setup_tells_what_is_recorded_where_and_how_to_stop(user) -> None:
    done = user.run("setup")
    for told in ("memory.db", "imprint pause", "exclude", "imprint disconnect"):
        assert told in done.out


def test_setup_learns_what_is_there_unless_told_otherwise(user, said) -> None:
    said("s-1", "where is the config?", "in etc")
    assert "learned" not in user.run("setup", "--no-history").out
    assert user.run("recall", "config").out == user.run("recall", "config").out
    assert "nothing" in user.run("recall", "config").out
    user.run("disconnect")
    assert "learned 1 sessions (2 new turns)" in user.run("setup").out
    assert len(user.run("recall", "config", "--json").data["hits"]) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mcp-config.json", b'{"mcpServers": []}'),
        ("mcp-config.json", b"[]"),
        ("mcp-config.json", b'{"mcpServers": {'),
        ("mcp-config.json", '{"mcpServers": {}}'.encode("utf-16")),
        ("copilot-instructions.md", "hello".encode("utf-16")),
    ],
)
def test_what_cannot_be_parsed_is_refused_with_its_place_and_left_alone(
    user, name: str, content: bytes
) -> None:
    (user.copilot / name).write_bytes(content)
    before = snapshot(user.copilot)
    done = user.run("setup", "--json")
    assert done.code == ExitCode.REFUSED
    (error,) = done.envelope["errors"]
    assert name in error["message"]
    assert error["fix"]
    assert snapshot(user.copilot) == before


def test_a_copilot_home_that_is_a_file_is_one_line(user, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"mine")
    for words in (("setup",), ("disconnect",), ("status", "--home", str(file))):
        done = user.run(*words, extra={"COPILOT_HOME": str(file)})
        assert done.code == ExitCode.REFUSED, words
        assert str(file) in done.err
    assert file.read_bytes() == b"mine"


def in_process(user, *words: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The command's JSON, in this process."""
    for name in ("COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name)
    for name, value in user.variables().items():
        monkeypatch.setenv(name, value)
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", output)
    main([*words, "--json"])
    monkeypatch.undo()
    return output.buffer.getvalue().decode("utf-8")


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_a_home_without_write_permission_is_refused_and_left_alone(
    user, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_files(user)
    other = user.root / "other"
    other.mkdir()
    # Everything that the command imports has to be there before the rights are gone.
    in_process(user, "setup", "--home", str(other), monkeypatch=monkeypatch)
    give_to_nobody(user.root)
    let_nobody_in(user.root)
    user.copilot.chmod(0o555)
    before = snapshot(user.copilot)
    said = as_nobody(lambda: in_process(user, "setup", monkeypatch=monkeypatch))
    envelope = json.loads(said)
    assert envelope["exit_code"] == ExitCode.REFUSED
    (error,) = envelope["errors"]
    assert str(user.copilot) in error["message"]
    assert snapshot(user.copilot) == before


def test_an_editors_folder_that_may_not_be_looked_at_stops_nothing(
    user, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_process(user, "setup", monkeypatch=monkeypatch)
    in_process(user, "disconnect", monkeypatch=monkeypatch)
    (user.home / ".config").mkdir()
    give_to_nobody(user.root)
    let_nobody_in(user.root)
    (user.home / ".config").chmod(0)
    said = as_nobody(lambda: in_process(user, "setup", monkeypatch=monkeypatch))
    assert json.loads(said)["exit_code"] == ExitCode.OK, said


def test_the_registered_entry_and_hooks_start_this_very_installation(user) -> None:
    user.run("setup")
    entry = json.loads((user.copilot / "mcp-config.json").read_bytes())["mcpServers"]["imprint"]
    assert entry["type"] == "stdio"
    assert Path(entry["command"]).is_absolute()
    assert entry["args"] == ["-P", "-m", "imprint", "mcp"]
    assert entry["env"] == {"IMPRINT_HOME": str(user.imprint_home)}
    assert entry["tools"] == ["*"]
    hooks = json.loads((user.copilot / "hooks" / "imprint.json").read_bytes())
    assert hooks["version"] == 1
    assert set(hooks["hooks"]) == {"SessionStart", "Stop"}


def test_purge_deletes_the_memory_after_every_home_is_disconnected(user, said) -> None:
    said("s-1", "where is the config?", "in etc")
    with_files(user)
    before = snapshot(user.copilot)
    user.run("setup")
    assert user.run("disconnect", "--purge").code == ExitCode.USAGE
    done = user.run("disconnect", "--all", "--purge")
    assert done.code == ExitCode.OK, done
    assert "pip uninstall" in done.out
    assert not user.imprint_home.exists()
    assert snapshot(user.copilot) == before
