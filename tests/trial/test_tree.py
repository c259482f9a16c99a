"""The last step of `imprint try` must notice whatever disconnect leaves behind."""

from pathlib import Path

import pytest

from imprint.trial.tree import not_given_back, pattern, snapshot

SESSION = "session-state/0e6f3c1a-5f0e-4c0e-9a55-3a8f3f1c0b11/events.jsonl"


def test_a_snapshot_holds_bytes_modes_links_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x\r\n")
    (tmp_path / "a").chmod(0o640)
    (tmp_path / "d").mkdir()
    (tmp_path / "l").symlink_to("a")
    found = snapshot(tmp_path)
    assert found == {"a": ("file 640", b"x\r\n"), "d": ("folder", b""), "l": ("link", b"a")}


@pytest.mark.parametrize(
    ("after", "wrong"),
    [
        ({}, ["mcp-config.json (gone)"]),
        ({"mcp-config.json": ("file 600", b"{ }")}, ["mcp-config.json (changed)"]),
        (
            {"mcp-config.json": ("file 600", b"{}"), "hooks": ("folder", b"")},
            ["hooks (left over)"],
        ),
        ({"mcp-config.json": ("file 600", b"{}"), SESSION: ("file 600", b"y")}, []),
    ],
)
def test_what_setup_touched_must_be_as_before_and_copilots_own_files_do_not_count(
    after: dict[str, tuple[str, bytes]], wrong: list[str]
) -> None:
    before = {"mcp-config.json": ("file 600", b"{}")}
    control = ["session-state", SESSION.replace("0e6f", "1111"), "hooks"]
    assert not_given_back(before, after, ["mcp-config.json", "hooks"], control) == wrong


def test_a_new_file_that_no_control_run_writes_is_left_over() -> None:
    after = {"settings.json": ("file 600", b"{}")}
    assert not_given_back({}, after, [], ["config.json"]) == ["settings.json (left over)"]


def test_ids_and_numbers_do_not_tell_two_runs_apart() -> None:
    assert pattern("logs/process-1733011200-42.log") == "logs/process-*-*.log"
    assert pattern(SESSION) == "session-state/*/events.jsonl"
