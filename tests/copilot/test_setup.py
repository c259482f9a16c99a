"""Setup and disconnect on homes as people have them."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from imprint.base.paths import Environment
from imprint.copilot.homes import CopilotHome, HomeSource, find_home
from imprint.copilot.instructions import BEGIN, BODY, END
from imprint.copilot.mcp_entry import entry
from imprint.copilot.receipts import installed_homes, load_receipt, receipt_path
from imprint.copilot.report import Action
from imprint.copilot.setup import CopilotMissingError, WrongSystemError, plan_setup
from imprint.edit.errors import JsonShapeError, JsonSyntaxError, NotAFile, ReceiptDamaged
from imprint.edit.jsonc import loads, set_member, splice
from imprint.edit.textfile import decode
from tests.conftest import make_world
from tests.copilot.conftest import (
    NOW,
    Installer,
    contract,
    make_installer,
    make_runtime,
    put,
    tree,
)

FOREIGN = '{\n\t// mine\n\t"mcpServers": {\n\t\t"other": {"command": "x",},\n\t},\n}\n'


def servers(installer: Installer) -> dict[str, object]:
    return json.loads(installer.home.mcp_config.read_bytes())["mcpServers"]


def test_setup_writes_entry_block_hooks_and_receipt(installer: Installer) -> None:
    planned = installer.setup()
    assert [(change.action, Path(change.path).name) for change in planned.changes] == [
        (Action.CREATE, receipt_path(installer.environment.layout(), installer.folder).name),
        (Action.CREATE, "mcp-config.json"),
        (Action.CREATE, "copilot-instructions.md"),
        (Action.CREATE, "imprint.json"),
    ]
    assert servers(installer) == {"imprint": entry(installer.runtime, installer.contract)}
    text = installer.home.instructions.read_text(encoding="utf-8")
    assert text == f"{BEGIN}\n{BODY}{END}\n"
    assert set(tree(installer.folder)) == {
        "mcp-config.json",
        "copilot-instructions.md",
        "hooks",
        "hooks/imprint.json",
    }


def test_planning_changes_nothing(installer: Installer) -> None:
    before = tree(installer.environment.home.parent)
    installer.plan_setup()
    installer.plan_disconnect()
    assert tree(installer.environment.home.parent) == before


def test_a_second_setup_plans_nothing(installer: Installer) -> None:
    installer.setup()
    again = installer.plan_setup()
    assert again.plan.is_empty
    assert again.changes == ()


def test_what_setup_makes_is_its_owners_alone(installer: Installer) -> None:
    installer.setup()
    receipt = receipt_path(installer.environment.layout(), installer.folder)
    for path in (installer.home.mcp_config, installer.home.hooks_file, receipt):
        assert path.stat().st_mode & 0o777 == 0o600
    assert installer.environment.imprint_home.stat().st_mode & 0o777 == 0o700


def test_disconnect_leaves_an_empty_home_empty(installer: Installer) -> None:
    installer.setup()
    undone = installer.disconnect()
    assert undone.exact
    assert undone.notes == ()
    assert tree(installer.folder) == {}
    assert installed_homes(installer.environment.layout()) == ()
    assert installer.plan_disconnect().plan.is_empty


def test_a_home_that_setup_made_is_removed_with_its_parents(
    installer: Installer, tmp_path: Path
) -> None:
    home = CopilotHome(tmp_path / "a/b/copilot", HomeSource.GIVEN, exists=False)
    planned = plan_setup(
        installer.environment, home, installer.contract, runtime=installer.runtime, now=NOW
    )
    installer.apply(planned.plan)
    assert home.hooks_file.is_file()
    named = replace(installer.environment, variables={"COPILOT_HOME": str(home.path)})
    Installer(named, installer.runtime).disconnect()
    assert not (tmp_path / "a").exists()


def test_removal_takes_the_configuration_away_first_and_the_receipt_last(
    installer: Installer,
) -> None:
    installer.setup()
    names = [change.path.name for change in installer.plan_disconnect().plan.changes]
    assert names[:3] == ["mcp-config.json", "copilot-instructions.md", "imprint.json"]
    assert names[3].endswith(".json")
    assert len(names) == 4


def test_an_empty_configuration_is_filled_and_emptied_again(installer: Installer) -> None:
    put(installer.home.mcp_config, b"")
    installer.setup()
    assert "imprint" in servers(installer)
    installer.disconnect()
    assert tree(installer.folder) == {"mcp-config.json": b""}


def test_comments_and_other_servers_stay_byte_for_byte(installer: Installer) -> None:
    put(installer.home.mcp_config, FOREIGN)
    put(installer.home.instructions, "# Mine\r\nno final newline")
    put(installer.folder / "hooks/mine.json", '{"version": 1}')
    before = tree(installer.folder)
    installer.setup()
    text = installer.home.mcp_config.read_text(encoding="utf-8")
    assert "// mine" in text
    assert '"other": {"command": "x",}' in text
    assert installer.home.instructions.read_bytes().startswith(b"# Mine\r\nno final newline\r\n")
    assert installer.disconnect().exact
    assert tree(installer.folder) == before


def test_edits_of_other_parts_survive_disconnect(installer: Installer) -> None:
    put(installer.home.mcp_config, FOREIGN)
    put(installer.home.instructions, "before\n")
    installer.setup()
    config = installer.home.mcp_config
    config.write_text(
        config.read_text(encoding="utf-8").replace("// mine", "// changed by me"), encoding="utf-8"
    )
    instructions = installer.home.instructions
    instructions.write_text(
        "new first line\n" + instructions.read_text(encoding="utf-8") + "after\n", encoding="utf-8"
    )
    put(installer.folder / "hooks/mine.json", "{}")
    assert installer.plan_setup().plan.is_empty
    undone = installer.disconnect()
    assert not undone.exact
    assert config.read_text(encoding="utf-8") == FOREIGN.replace("// mine", "// changed by me")
    kept = instructions.read_text(encoding="utf-8")
    assert kept.split() == ["new", "first", "line", "before", "after"]
    assert set(tree(installer.folder / "hooks")) == {"mine.json"}


def test_a_server_added_to_the_file_that_setup_made_survives(installer: Installer) -> None:
    installer.setup()
    content = json.loads(installer.home.mcp_config.read_bytes())
    content["mcpServers"]["mine"] = {"command": "x"}
    put(installer.home.mcp_config, json.dumps(content))
    installer.disconnect()
    assert servers(installer) == {"mine": {"command": "x"}}


def test_copilots_own_rewrite_of_the_configuration_is_coped_with(installer: Installer) -> None:
    put(installer.home.mcp_config, FOREIGN)
    installer.setup()
    # `copilot mcp add` drops comments and lays the file out anew.
    content = {"mcpServers": {"other": {"command": "x"}, **servers_without_comments(installer)}}
    put(installer.home.mcp_config, json.dumps(content, indent=4))
    assert installer.plan_setup().plan.is_empty
    undone = installer.disconnect()
    assert servers(installer) == {"other": {"command": "x"}}
    assert any("mcp-config.json" in note for note in undone.notes)


def servers_without_comments(installer: Installer) -> dict[str, object]:
    return {"imprint": entry(installer.runtime, installer.contract)}


def test_a_narrowed_tool_list_is_reset(installer: Installer) -> None:
    installer.setup()
    config = installer.home.mcp_config
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace('"*"', '"recall"'), encoding="utf-8")
    assert [Path(change.path).name for change in installer.setup().changes] == ["mcp-config.json"]
    assert servers(installer) == servers_without_comments(installer)
    installer.disconnect()
    assert tree(installer.folder) == {}


@pytest.mark.parametrize("content", ["null", "[]", "42", '""', '{"mcpServers": []}'])
def test_a_configuration_of_another_shape_is_refused_with_its_place(
    installer: Installer, content: str
) -> None:
    put(installer.home.mcp_config, content)
    with pytest.raises(JsonShapeError, match=r"mcp-config\.json:1:") as caught:
        installer.plan_setup()
    assert caught.value.fix
    assert installer.home.mcp_config.read_text(encoding="utf-8") == content


def test_broken_json_is_refused_with_file_line_and_column(installer: Installer) -> None:
    put(installer.home.mcp_config, '{\n  "mcpServers": {,}\n}')
    for plan in (installer.plan_setup, installer.plan_disconnect):
        with pytest.raises(JsonSyntaxError, match=r"mcp-config\.json:2:\d+"):
            plan()


def test_a_folder_in_the_place_of_a_file_is_refused(installer: Installer) -> None:
    installer.home.instructions.mkdir()
    with pytest.raises(NotAFile):
        installer.plan_setup()


def test_an_edited_hooks_file_is_reported_and_kept_where_copilot_does_not_read_it(
    installer: Installer,
) -> None:
    installer.setup()
    generated = installer.home.hooks_file.read_bytes()
    edited = generated.replace(b"120", b"600")
    put(installer.home.hooks_file, edited)
    planned = installer.setup()
    kept = installer.home.hooks_file.with_name("imprint.json.edited-1")
    assert kept.read_bytes() == edited
    assert kept.suffix != ".json"
    assert any(str(kept) in note for note in planned.notes)
    assert installer.home.hooks_file.read_bytes() == generated
    put(installer.home.hooks_file, edited)
    installer.setup()
    assert set(tree(installer.folder / "hooks")) == {"imprint.json", "imprint.json.edited-1"}
    put(installer.home.hooks_file, edited + b"\n")
    installer.disconnect()
    assert set(tree(installer.folder / "hooks")) == {
        "imprint.json.edited-1",
        "imprint.json.edited-2",
    }


def test_what_the_user_wrote_into_the_block_stays_outside_of_it(installer: Installer) -> None:
    installer.setup()
    text = installer.home.instructions.read_text(encoding="utf-8")
    put(installer.home.instructions, text.replace(END, f"my own line\n{END}"))
    installer.setup()
    after = installer.home.instructions.read_text(encoding="utf-8")
    assert after.index(END) < after.index("my own line")
    installer.disconnect()
    assert installer.home.instructions.read_text(encoding="utf-8").strip() == "my own line"


def test_a_user_who_removed_the_entry_gets_it_back_from_setup_and_a_clean_disconnect(
    installer: Installer,
) -> None:
    installer.setup()
    put(installer.home.mcp_config, '{"mcpServers": {}}')
    installer.setup()
    assert "imprint" in servers(installer)
    installer.disconnect()
    assert tree(installer.folder) == {}


# --- other installations -------------------------------------------------------------------


def test_another_imprints_home_is_protected_until_force(
    installer: Installer, tmp_path: Path
) -> None:
    other = installer.other(tmp_path / "other venv")
    other.setup()
    before = tree(installer.folder)
    for planned in (installer.plan_setup(), installer.plan_disconnect()):
        assert planned.plan.is_empty
        assert planned.protected is not None
        assert str(other.runtime.python) in planned.protected
    taken = installer.setup(force=True)
    assert taken.protected is None
    assert servers(installer) == servers_without_comments(installer)
    assert not any("edited" in name for name in tree(installer.folder / "hooks"))
    assert tree(installer.folder).keys() == before.keys()
    installer.disconnect()
    assert servers(installer) == {}


def test_two_environments_that_share_a_store_protect_each_other(
    installer: Installer, tmp_path: Path
) -> None:
    other = installer.other(tmp_path / "other venv", installer.environment.imprint_home)
    other.setup()
    receipt = load_receipt(other.environment.layout(), other.folder)
    planned = installer.disconnect()
    assert planned.protected is not None
    assert load_receipt(other.environment.layout(), other.folder) == receipt
    installer.setup(force=True)
    installer.disconnect()
    assert tree(installer.folder) == {}


def test_a_receipt_of_a_home_that_another_took_over_is_dropped(
    installer: Installer, tmp_path: Path
) -> None:
    installer.setup()
    installer.other(tmp_path / "other venv").setup(force=True)
    before = tree(installer.folder)
    installer.disconnect()
    assert tree(installer.folder) == before
    assert installed_homes(installer.environment.layout()) == ()


def test_force_removes_another_imprints_part(installer: Installer, tmp_path: Path) -> None:
    put(installer.home.mcp_config, FOREIGN)
    put(installer.home.instructions, "mine\n")
    before = tree(installer.folder)
    installer.other(tmp_path / "other venv").setup()
    installer.disconnect(force=True)
    assert set(before) <= set(tree(installer.folder))
    assert "imprint" not in installer.home.mcp_config.read_text(encoding="utf-8")
    assert installer.home.instructions.read_bytes() == b"mine\n"


def test_a_server_of_somebody_else_with_our_name_is_not_overwritten(
    installer: Installer,
) -> None:
    theirs = '{"mcpServers": {"imprint": {"command": "npx", "args": ["print"]}}}'
    put(installer.home.mcp_config, theirs)
    planned = installer.setup()
    assert planned.protected is not None
    assert tree(installer.folder) == {"mcp-config.json": theirs.encode()}
    installer.setup(force=True)
    assert servers(installer) == servers_without_comments(installer)
    installer.disconnect()
    assert tree(installer.folder) == {"mcp-config.json": theirs.encode()}


def test_disconnect_leaves_a_foreign_server_of_our_name_and_takes_the_rest(
    installer: Installer,
) -> None:
    installer.setup()
    theirs = b'{"mcpServers": {"imprint": {"url": "https://example.org"}}}'
    put(installer.home.mcp_config, theirs)
    undone = installer.disconnect()
    assert tree(installer.folder) == {"mcp-config.json": theirs}
    assert any("left alone" in note for note in undone.notes)


def test_a_moved_virtual_environment_is_mended_and_still_undone_exactly(
    installer: Installer, tmp_path: Path
) -> None:
    put(installer.home.mcp_config, FOREIGN)
    before = tree(installer.folder)
    installer.setup()
    installer.runtime.python.unlink()
    moved = Installer(
        installer.environment, make_runtime(tmp_path / "new venv", installer.runtime.imprint_home)
    )
    planned = moved.setup()
    assert planned.protected is None
    assert str(moved.runtime.python) in moved.home.hooks_file.read_text(encoding="utf-8")
    assert not any("edited" in name for name in tree(moved.folder / "hooks"))
    assert moved.disconnect().exact
    assert tree(moved.folder) == before


def test_a_moved_virtual_environment_can_be_disconnected_at_once(
    installer: Installer, tmp_path: Path
) -> None:
    put(installer.home.instructions, "mine")
    installer.setup()
    installer.runtime.python.unlink()
    runtime = make_runtime(tmp_path / "new venv", installer.runtime.imprint_home)
    Installer(installer.environment, runtime).disconnect()
    assert tree(installer.folder) == {"copilot-instructions.md": b"mine"}


def test_an_older_version_is_replaced_and_still_undone_exactly(installer: Installer) -> None:
    put(installer.home.mcp_config, FOREIGN)
    put(installer.home.instructions, b"\xef\xbb\xbfmine\r\n")
    before = tree(installer.folder)
    old = contract(set_time_limit="timeout", set_entry_type="local")
    runtime = replace(installer.runtime, version="0.9.0")
    Installer(installer.environment, runtime, old).setup()
    planned = installer.setup()
    assert [Path(change.path).name for change in planned.changes][1:] == [
        "mcp-config.json",
        "imprint.json",
    ]
    assert planned.notes == ()
    receipt = load_receipt(installer.environment.layout(), installer.folder)
    assert receipt is not None
    assert receipt.imprint_version == "1.2.3"
    assert installer.plan_setup().plan.is_empty
    assert installer.disconnect().exact
    assert tree(installer.folder) == before


def test_without_its_receipt_only_what_is_provably_imprints_goes(installer: Installer) -> None:
    put(installer.home.mcp_config, FOREIGN)
    put(installer.home.instructions, "mine\n")
    before = tree(installer.folder)
    installer.setup()
    receipt_path(installer.environment.layout(), installer.folder).unlink()
    undone = installer.disconnect()
    assert not undone.exact
    after = tree(installer.folder)
    assert after["copilot-instructions.md"] == before["copilot-instructions.md"]
    assert after["mcp-config.json"] == before["mcp-config.json"]
    assert "hooks/imprint.json" not in after


def test_a_lost_receipt_is_written_anew_by_setup(installer: Installer) -> None:
    installer.setup()
    path = receipt_path(installer.environment.layout(), installer.folder)
    path.unlink()
    assert [change.path for change in installer.setup().changes] == [str(path)]
    assert installer.plan_setup().plan.is_empty
    assert installer.disconnect().plan.changes


def test_a_damaged_receipt_is_an_error_that_says_what_to_do(installer: Installer) -> None:
    installer.setup()
    put(receipt_path(installer.environment.layout(), installer.folder), "{")
    for plan in (installer.plan_setup, installer.plan_disconnect):
        with pytest.raises(ReceiptDamaged) as caught:
            plan()
        assert "move" in caught.value.fix


def test_the_home_is_known_again_by_its_other_name(installer: Installer, tmp_path: Path) -> None:
    put(installer.home.mcp_config, FOREIGN)
    before = tree(installer.folder)
    installer.setup()
    link = tmp_path / "link"
    link.symlink_to(installer.folder)
    environment = replace(installer.environment, variables={"COPILOT_HOME": str(link)})
    linked = Installer(environment, installer.runtime)
    assert linked.plan_setup().plan.is_empty
    assert linked.disconnect().exact
    assert tree(installer.folder) == before


def test_every_home_with_a_receipt_is_listed_also_one_that_is_gone(
    installer: Installer, tmp_path: Path
) -> None:
    installer.setup()
    (tmp_path / "second").mkdir()
    environment = replace(
        installer.environment, variables={"COPILOT_HOME": str(tmp_path / "second")}
    )
    second = Installer(environment, installer.runtime)
    second.setup()
    layout = installer.environment.layout()
    assert {home.path for home in installed_homes(layout)} == {installer.folder, second.folder}
    for path in sorted(second.folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    second.folder.rmdir()
    gone = next(home for home in installed_homes(layout) if home.path == second.folder)
    assert not gone.exists
    second.disconnect()
    assert [home.path for home in installed_homes(layout)] == [installer.folder]


# --- where there is nothing to set up --------------------------------------------------------


def test_nothing_is_written_while_copilot_is_absent(world: Environment, tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path / "venv", world.imprint_home)
    installer = Installer(world, runtime)
    with pytest.raises(CopilotMissingError) as caught:
        installer.plan_setup()
    assert "--home" in caught.value.fix
    (world.home / ".config/Code/User").mkdir(parents=True)
    assert not installer.plan_setup().plan.is_empty


def test_windows_home_is_not_set_up_from_wsl(
    installer: Installer, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = replace(installer.environment, variables={"WSL_DISTRO_NAME": "Ubuntu"})
    home = CopilotHome(Path("/mnt/c/Users/me/.copilot"), HomeSource.GIVEN, exists=False)
    with pytest.raises(WrongSystemError, match="Windows"):
        plan_setup(environment, home, installer.contract, runtime=installer.runtime, now=NOW)


def test_a_home_whose_hooks_early_releases_do_not_find_is_named(
    installer: Installer, tmp_path: Path
) -> None:
    home = CopilotHome(tmp_path / "[work]/copilot", HomeSource.GIVEN, exists=False)
    planned = plan_setup(
        installer.environment, home, installer.contract, runtime=installer.runtime, now=NOW
    )
    assert any("[ ]" in note for note in planned.notes)
    assert installer.plan_setup().notes == ()


def test_the_data_of_both_commands_encodes_to_the_envelopes_form(installer: Installer) -> None:
    data = json.loads(msgspec.json.encode(installer.setup().data()))
    assert set(data) == {"home", "changes", "decisions", "notes", "protected"}
    assert {"claim": "hooks.timeout.key", "decides": "set-time-limit"}.items() <= (
        data["decisions"][2].items()
    )
    assert data["changes"][1] | {"path": ""} == {
        "path": "",
        "action": "create",
        "why": "Copilot starts Imprint's MCP server",
    }
    assert json.loads(msgspec.json.encode(installer.disconnect().data()))["protected"] is None


# --- any starting tree -----------------------------------------------------------------------

JSON_TEXTS = st.sampled_from(
    [
        b"",
        b"\n",
        b"{}",
        b"{ }\r\n",
        b'{"mcpServers":{}}',
        b'{"mcpServers": { } } // end',
        b'\xef\xbb\xbf{\r\n  "mcpServers": {\r\n    "a": {"command": "x"}\r\n  }\r\n}',
        FOREIGN.encode(),
        b'{"x": 1.50, "big": 123456789012345678901234567890, "mcpServers": {"\\u0061": {}}}',
        b'/* c */ {"mcpServers": {"a": {}, }, "mcpServers": {"b": {} /* last */ } }\n',
        b'{\n    "inputs": [],\n    "mcpServers": {\n\n    }\n}\n\n',
    ]
)
MARKDOWN = st.lists(
    st.sampled_from(
        ["a", "# h", "\n", "\r\n", "\r", " ", "\t", "<!--", "-->", "é", "日", "\ufeff"]
    ),
    max_size=12,
).map(lambda pieces: "".join(pieces).encode())


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    config=st.none() | JSON_TEXTS,
    instructions=st.none() | MARKDOWN,
    hooks=st.sampled_from([None, {}, {"mine.json": b"{}"}]),
)
def test_setup_then_disconnect_gives_back_every_byte(
    tmp_path_factory: pytest.TempPathFactory,
    config: bytes | None,
    instructions: bytes | None,
    hooks: dict[str, bytes] | None,
) -> None:
    folder = tmp_path_factory.mktemp("any")
    installer = make_installer(make_world(folder / "world"), folder)
    home = find_home(installer.environment)
    if config is not None:
        put(home.mcp_config, config)
    if instructions is not None:
        put(home.instructions, instructions)
    if hooks is not None:
        home.hooks_folder.mkdir()
        for name, data in hooks.items():
            put(home.hooks_folder / name, data)
    before = tree(home.path)
    installer.setup()
    assert installer.plan_setup().plan.is_empty
    undone = installer.disconnect()
    assert undone.exact
    assert tree(home.path) == before
    assert installer.plan_disconnect().plan.is_empty


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(config=JSON_TEXTS, instructions=MARKDOWN, upgrade=st.booleans())
def test_what_the_user_changes_between_setup_and_disconnect_stays(
    tmp_path_factory: pytest.TempPathFactory, config: bytes, instructions: bytes, upgrade: bool
) -> None:
    folder = tmp_path_factory.mktemp("edited")
    installer = make_installer(make_world(folder / "world"), folder)
    home = find_home(installer.environment)
    put(home.mcp_config, config)
    put(home.instructions, instructions)
    before = decode(config).text
    installer.setup()

    file = decode(home.mcp_config.read_bytes())
    edit = set_member(file.text, ("mcpServers", "added"), {"command": "y"})
    put(home.mcp_config, file.with_text(splice(file.text, edit)).encode())
    put(home.instructions, b"first\n" + home.instructions.read_bytes() + b"\nlast")
    if upgrade:
        newer = contract(set_entry_type="local", set_time_limit="timeout")
        installer = Installer(installer.environment, installer.runtime, newer)
        installer.setup()
        assert installer.plan_setup().plan.is_empty
    installer.disconnect()

    wanted = loads(splice(before, set_member(before, ("mcpServers", "added"), {"command": "y"})))
    assert loads(decode(home.mcp_config.read_bytes()).text) == wanted
    kept = home.instructions.read_bytes()
    assert kept.startswith(b"first\n" + instructions.removesuffix(b"\n"))
    assert kept.endswith(b"\nlast")
    assert kept.split() == [b"first", *instructions.split(), b"last"] or b"\r" in instructions
    assert not home.hooks_file.exists()
