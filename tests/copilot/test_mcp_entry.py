"""Imprint's entry in the MCP configuration, and whose an entry is."""

from dataclasses import replace
from pathlib import Path

import pytest

from imprint.copilot.contract import CopilotContract
from imprint.copilot.mcp_entry import Owner, entry, ownership
from imprint.copilot.runtime import Runtime
from imprint.edit.jsonc import MISSING

CONTRACT = CopilotContract.for_version(None, "linux")


def test_the_entry_runs_this_interpreter_on_this_store(runtime: Runtime) -> None:
    assert entry(runtime, CONTRACT) == {
        "type": "stdio",
        "command": str(runtime.python),
        "args": ["-P", "-m", "imprint", "mcp"],
        "env": {"IMPRINT_HOME": str(runtime.imprint_home)},
        "tools": ["*"],
    }


def test_an_entry_of_this_installation_is_ours_whatever_else_it_says(runtime: Runtime) -> None:
    edited = {**entry(runtime, CONTRACT), "tools": [], "timeout": 5}
    assert ownership(edited, runtime).owner is Owner.OURS
    bare = {"command": str(runtime.python), "args": ["-m", "imprint", "mcp"]}
    assert ownership(bare, runtime).owner is Owner.OURS


def test_no_entry_is_nobodys(runtime: Runtime) -> None:
    assert ownership(MISSING, runtime).owner is Owner.NOBODY


def test_an_interpreter_that_exists_elsewhere_is_another_imprint(
    runtime: Runtime, tmp_path: Path
) -> None:
    other = tmp_path / "other-python"
    other.write_bytes(b"")
    found = ownership(entry(replace(runtime, python=other), CONTRACT), runtime, str(other))
    assert found.owner is Owner.ANOTHER
    assert str(other) in found.reason


def test_the_same_interpreter_with_another_store_is_another_imprint(
    runtime: Runtime, tmp_path: Path
) -> None:
    other = replace(runtime, imprint_home=tmp_path / "elsewhere")
    found = ownership(entry(other, CONTRACT), runtime)
    assert found.owner is Owner.ANOTHER
    assert str(tmp_path / "elsewhere") in found.reason


def test_an_interpreter_that_is_gone_is_ours_if_it_used_our_store(
    runtime: Runtime, tmp_path: Path
) -> None:
    gone = replace(runtime, python=tmp_path / "old venv/python")
    assert ownership(entry(gone, CONTRACT), runtime).owner is Owner.OURS_MOVED


def test_an_interpreter_that_is_gone_is_ours_if_our_receipt_names_it(
    runtime: Runtime, tmp_path: Path
) -> None:
    gone = replace(runtime, python=tmp_path / "gone/python", imprint_home=tmp_path / "moved")
    value = entry(gone, CONTRACT)
    assert ownership(value, runtime, str(gone.python)).owner is Owner.OURS_MOVED
    other = ownership(value, runtime)
    assert other.owner is Owner.ANOTHER
    assert "not found" in other.reason


@pytest.mark.parametrize(
    "value",
    [
        {"command": "/opt/tools/imprint", "args": ["mcp"]},
        {"command": "C:\\Programs\\Imprint.exe", "args": ["mcp", "--verbose"]},
        {"command": "/home/me/.copilot/imprint-wsl", "args": ["mcp"]},
        {"command": "/usr/bin/python3", "args": ["-I", "-m", "imprint", "mcp"]},
    ],
)
def test_earlier_ways_to_start_imprint_are_known(runtime: Runtime, value: object) -> None:
    assert ownership(value, runtime).owner is Owner.ANOTHER


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "imprint",
        {},
        {"command": 5},
        {"command": "npx", "args": ["imprint-server"]},
        {"command": "python", "args": ["-m", "imprintx", "mcp"]},
        {"command": "/opt/imprint", "args": ["print"]},
        {"url": "https://imprint.example"},
    ],
)
def test_whatever_else_has_our_name_is_not_an_imprint(runtime: Runtime, value: object) -> None:
    found = ownership(value, runtime)
    assert found.owner is Owner.FOREIGN
    assert found.protects
    assert not found.is_imprint
