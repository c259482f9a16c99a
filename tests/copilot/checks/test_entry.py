"""`mcpServers.imprint` and everything that decides whether its server is started."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.checks import Status
from imprint.copilot.checks.entry import TOOLS
from imprint.copilot.checks.ids import Id
from tests.copilot.checks.conftest import Patient, statuses
from tests.copilot.conftest import make_runtime, put

OTHER = {"type": "stdio", "command": "/bin/cat", "args": [], "tools": ["*"]}


def test_the_tools_are_those_of_the_server() -> None:
    from imprint.mcp_server.tools import OFFERS

    assert set(TOOLS) == set(OFFERS)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", ":1:"),
        ("null", "the file"),
        ("[]", "the file"),
        ("42", "the file"),
        ('{"mcpServers": []}', "mcpServers"),
        ('{"mcpServers": null}', "mcpServers"),
        ("{}".encode("utf-16"), "UTF-16"),
    ],
)
def test_a_file_that_setup_refuses_is_broken_with_its_place(
    healthy: Patient, content: str | bytes, said: str
) -> None:
    path = healthy.put("mcp-config.json", content)
    check = healthy.one(Id.ENTRY)
    assert check.status is Status.BROKEN
    assert str(path) in check.detail
    assert said in check.detail
    assert check.fix


def test_a_folder_in_the_place_of_the_file_is_broken(patient: Patient) -> None:
    (patient.folder / "mcp-config.json").mkdir()
    assert patient.one(Id.ENTRY).status is Status.BROKEN


def test_comments_and_trailing_commas_are_read(healthy: Patient) -> None:
    path = healthy.folder / "mcp-config.json"
    text = path.read_text(encoding="utf-8").rstrip()
    healthy.put("mcp-config.json", f"// mine\n{text[:-1]}, // end\n}}\n")
    assert healthy.one(Id.ENTRY).status is Status.OK


def test_a_lost_entry_is_broken_where_setup_was_run(healthy: Patient) -> None:
    healthy.put("mcp-config.json", "{}")
    check = healthy.one(Id.ENTRY)
    assert check.status is Status.BROKEN
    assert "imprint setup" in check.fix


def test_an_empty_list_of_tools_is_broken_and_setup_resets_it(healthy: Patient) -> None:
    healthy.entry(tools=[])
    check = healthy.one(Id.ENTRY)
    assert check.status is Status.BROKEN
    assert "none of Imprint's tools" in check.detail
    assert "imprint setup" in check.fix
    assert healthy.setup().one(Id.ENTRY).status is Status.OK


def test_a_list_that_lacks_a_tool_names_it(healthy: Patient) -> None:
    healthy.entry(tools=["recall", "remember", "sessions", "session"])
    check = healthy.one(Id.ENTRY)
    assert check.status is Status.ATTENTION
    assert "forget" in check.detail


def test_what_differs_from_setup_is_named(healthy: Patient) -> None:
    healthy.entry(type="local", extra=True)
    check = healthy.one(Id.ENTRY)
    assert check.status is Status.ATTENTION
    assert "extra, type" in check.detail


def test_a_program_that_is_gone_is_broken(patient: Patient, tmp_path: Path) -> None:
    moved = make_runtime(tmp_path / "old venv", patient.environment.imprint_home)
    patient.setup(moved)
    moved.python.unlink()
    check = patient.one(Id.ENTRY)
    assert check.status is Status.BROKEN
    assert str(moved.python) in check.detail
    assert "imprint setup" in check.fix


def test_another_imprints_entry_is_named_and_its_files_are_left_to_it(
    healthy: Patient, tmp_path: Path
) -> None:
    other = make_runtime(tmp_path / "other", tmp_path / "other store")
    other.python.chmod(0o755)
    healthy.setup(other, force=True)
    check = healthy.one(Id.ENTRY)
    assert check.status is Status.ATTENTION
    assert str(other.python) in check.detail
    assert "--force" in check.fix
    assert statuses(healthy.found(Id.HOOKS_FILE)) == [Status.OK]
    assert healthy.found(Id.HOOKS_ANSWER) == ()


def test_an_entry_of_that_name_which_no_imprint_wrote_is_named(patient: Patient) -> None:
    patient.put("mcp-config.json", {"mcpServers": {"imprint": OTHER}})
    check = patient.one(Id.ENTRY)
    assert check.status is Status.ATTENTION
    assert "none that Imprint wrote" in check.detail


@pytest.mark.parametrize("name", ["mcp.json", "mcp_config.json"])
def test_a_file_that_copilot_never_reads_is_named(healthy: Patient, name: str) -> None:
    healthy.put(name, {"mcpServers": {}})
    check = healthy.one(Id.NAMES)
    assert check.status is Status.ATTENTION
    assert "never reads" in check.detail
    assert name in check.detail


def test_servers_instead_of_mcp_servers_is_named(patient: Patient) -> None:
    patient.put("mcp-config.json", {"servers": {"imprint": OTHER}})
    check = patient.one(Id.NAMES)
    assert check.status is Status.ATTENTION
    assert "`mcpServers` only" in check.detail


def test_imprint_under_a_second_name_is_found(healthy: Patient) -> None:
    path = healthy.folder / "mcp-config.json"
    ours = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]["imprint"]
    healthy.servers(memory=ours)
    check = healthy.one(Id.SERVERS)
    assert check.status is Status.ATTENTION
    assert "memory" in check.detail


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"type": "stdio", "args": [], "tools": ["*"]}, "no `command`"),
        ({"type": "stdio", "command": "/bin/cat", "tools": ["*"]}, "no list of `args`"),
        ({"type": "http", "tools": ["*"]}, "no `url`"),
        ({"type": "odd", "command": "/bin/cat", "args": [], "tools": ["*"]}, "unknown type"),
        (None, "no object"),
    ],
)
def test_an_entry_that_silences_ours_is_named_unless_the_release_takes_no_harm(
    healthy: Patient, tmp_path: Path, entry: object, said: str
) -> None:
    healthy.servers(foreign=entry)
    check = healthy.one(Id.SERVERS)
    assert check.status is Status.OK
    older = healthy.with_copilot(tmp_path / "older", "1.0.40")
    check = older.one(Id.SERVERS)
    assert check.status is Status.ATTENTION
    assert "foreign" in check.detail
    assert said in check.detail


def test_an_editor_whose_copilot_is_unknown_is_no_reason_to_be_calm(healthy: Patient) -> None:
    (healthy.environment.home / ".config/Code/User").mkdir(parents=True)
    healthy.servers(foreign=None)
    assert healthy.one(Id.SERVERS).status is Status.ATTENTION


@pytest.mark.parametrize(("version", "status"), [("1.0.20", "attention"), ("1.0.40", "ok")])
def test_an_odd_name_is_named(healthy: Patient, tmp_path: Path, version: str, status: str) -> None:
    healthy.servers(**{"my server!": OTHER})
    check = healthy.with_copilot(tmp_path / "older", version).one(Id.SERVERS)
    assert check.status == status
    assert "my server!" in check.detail


@pytest.mark.parametrize(("version", "status"), [("1.0.9", "attention"), ("1.0.10", "ok")])
def test_an_entry_without_tools_is_named(
    healthy: Patient, tmp_path: Path, version: str, status: str
) -> None:
    healthy.servers(foreign={key: value for key, value in OTHER.items() if key != "tools"})
    check = healthy.with_copilot(tmp_path / "older", version).one(Id.SERVERS)
    assert check.status == status
    assert "foreign" in check.detail
    assert "no `tools`" in check.detail


def test_a_complete_entry_of_others_is_not_worth_a_word(healthy: Patient) -> None:
    healthy.servers(local=OTHER, web={"type": "http", "url": "http://127.0.0.1/", "tools": ["*"]})
    assert "no other entry" in healthy.one(Id.SERVERS).detail


@pytest.mark.parametrize("name", ["settings.json", "config.json"])
@pytest.mark.parametrize("key", ["disabledMcpServers", "disabled_mcp_servers"])
def test_a_list_of_disabled_servers_that_names_ours_is_the_reason(
    healthy: Patient, name: str, key: str
) -> None:
    path = healthy.put(name, f'// settings\n{{"{key}": ["other", "imprint"],}}')
    check = healthy.one(Id.DISABLED)
    assert check.status is Status.ATTENTION
    assert str(path) in check.detail
    assert "if you want" in check.fix


def test_a_disabled_entry_is_the_reason(healthy: Patient) -> None:
    healthy.entry(disabled=True)
    assert healthy.one(Id.DISABLED).status is Status.ATTENTION


@pytest.mark.parametrize(
    "line",
    [
        "2 MCP servers were blocked by policy: 'imprint', 'x'",
        "! Third-party MCP servers are disabled by your organization's Copilot policy.",
        "[WARNING] Failed: 404. Non-default MCP servers will be blocked until it is fetched.",
    ],
)
def test_a_policy_in_copilots_log_is_not_our_configuration(healthy: Patient, line: str) -> None:
    healthy.put("logs/process-1.log", f"2026-11-01 [INFO] started\n{line}\nmore\n")
    check = healthy.one(Id.POLICY)
    assert check.status is Status.ATTENTION
    assert "not our configuration" in check.detail
    assert line in check.detail
    assert "hooks" in check.fix


def test_lines_about_policies_that_forbid_nothing_are_passed_over(healthy: Patient) -> None:
    healthy.put(
        "logs/process-1.log",
        "[INFO] [managedSettings] device MDM: no policy present on this device\n" * 100,
    )
    assert healthy.one(Id.POLICY).status is Status.OK


def test_what_an_older_imprint_left_in_vscode_is_found(healthy: Patient) -> None:
    runtime = healthy.runtime
    old = {"command": str(runtime.python), "args": ["-P", "-m", "imprint", "mcp"]}
    path = healthy.environment.home / ".config/Code/User/mcp.json"
    put(path, json.dumps({"servers": {"imprint": old}}))
    check = healthy.one(Id.LEFTOVERS)
    assert check.status is Status.ATTENTION
    assert str(path) in check.detail


def test_an_older_imprints_setup_is_named(healthy: Patient) -> None:
    healthy.setup(replace(healthy.runtime, version="0.0.1"))
    check = healthy.one(Id.RECEIPT)
    assert check.status is Status.ATTENTION
    assert "0.0.1" in check.detail


def test_a_lost_or_damaged_record_is_said(healthy: Patient) -> None:
    (receipt,) = healthy.environment.layout().installed.glob("*.json")
    receipt.write_text("{", encoding="utf-8")
    check = healthy.one(Id.RECEIPT)
    assert check.status is Status.BROKEN
    assert "move" in check.fix
    receipt.unlink()
    check = healthy.one(Id.RECEIPT)
    assert check.status is Status.ATTENTION
    assert "lost" in check.detail


def test_an_interrupted_setup_is_broken(healthy: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("imprint.copilot.checks.receipt.is_interrupted", lambda *a, **k: True)
    assert statuses(healthy.found(Id.RECEIPT)) == [Status.BROKEN, Status.OK]
