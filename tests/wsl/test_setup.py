"""Setup in a distribution writes four files, and remove gives back every byte."""

import json
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.errors import RefusedError
from imprint.copilot.commandline import UnquotableError
from imprint.copilot.contract import CopilotContract
from imprint.edit.errors import JsonSyntaxError, NotWritable
from imprint.wsl.hooks import hook_line
from imprint.wsl.launcher import NoDriveError, facts_of, is_generated
from imprint.wsl.profile import ProfileDamaged, folder_of, load_profiles
from imprint.wsl.remove import NotRegistered, plan_wsl_remove, registered
from imprint.wsl.run_wsl import WslFailed
from imprint.wsl.setup import (
    CopilotMissingError,
    LauncherEditedError,
    plan_wsl_setup,
)
from imprint.wsl.target import LinkedFileError
from imprint.wsl.windows import FolderShare, WindowsSide
from tests.wsl.windows import CONTRACT, NOW, Linux, Tree, Windows, tree

MCP = '{\n\t// mine\n\t"mcpServers": { "github": { "type": "http", "url": "https://x" }, },\n}\n'
WORDS = "# How I work\r\n\r\nShort answers.\r\n"


def records(windows: Windows) -> list[str]:
    """What Imprint itself keeps of distributions, locks and backups aside."""
    return sorted(path.name for path in folder_of(windows.world.layout()).glob("*.json"))


def test_the_four_files_are_written_and_nothing_else(ubuntu: Linux) -> None:
    ubuntu.setup()
    launcher = str(ubuntu.launcher)
    found = tree(ubuntu.copilot)
    assert {name: mode for name, (data, mode) in found.items() if data is not None} == {
        "imprint-wsl": 0o755,
        "mcp-config.json": 0o600,
        "copilot-instructions.md": 0o600,
        "hooks/imprint.json": 0o600,
    }
    entry = json.loads((ubuntu.copilot / "mcp-config.json").read_bytes())["mcpServers"]["imprint"]
    assert entry == {"type": "stdio", "command": launcher, "args": ["mcp"], "tools": ["*"]}
    hooks = json.loads((ubuntu.copilot / "hooks/imprint.json").read_bytes())["hooks"]
    quoted = shlex.quote(launcher)
    assert {event: handlers[0]["bash"] for event, handlers in hooks.items()} == {
        "SessionStart": f"{quoted} hook copilot-session-start",
        "Stop": f"{quoted} hook stop",
    }
    assert [handlers[0]["timeoutSec"] for handlers in hooks.values()] == [10, 120]
    assert is_generated(ubuntu.launcher.read_bytes())


def test_the_launcher_is_quoted_whether_it_needs_it_or_not() -> None:
    assert hook_line("/home/ada/.copilot/imprint-wsl", "stop") == (
        "'/home/ada/.copilot/imprint-wsl' hook stop"
    )
    assert shlex.split(hook_line("/o'hara's $x/imprint-wsl", "stop")) == [
        "/o'hara's $x/imprint-wsl",
        "hook",
        "stop",
    ]
    with pytest.raises(UnquotableError):
        hook_line("/a\nb/imprint-wsl", "stop")


def test_the_profile_says_what_the_bridge_and_learning_need(ubuntu: Linux) -> None:
    ubuntu.setup()
    profile = ubuntu.profile
    assert (profile.distribution, profile.client) == ("Ubuntu", "copilot")
    assert profile.home == profile.real == str(ubuntu.copilot)
    assert Path(profile.local).resolve() == ubuntu.copilot
    assert profile.mounts == ((str(ubuntu.windows.drive), "C:"),)
    assert facts_of(ubuntu.launcher.read_bytes()) is not None


def test_a_second_setup_plans_nothing(ubuntu: Linux) -> None:
    ubuntu.setup()
    before = tree(ubuntu.windows.root)
    again = ubuntu.plan()
    assert again.plan.is_empty
    assert again.modes == ()
    assert again.data().changes == ()
    assert tree(ubuntu.windows.root).keys() == before.keys()


def test_a_launcher_that_lost_its_permission_gets_it_again(ubuntu: Linux) -> None:
    ubuntu.setup()
    ubuntu.launcher.chmod(0o644)
    assert ubuntu.setup().plan.is_empty
    assert ubuntu.launcher.stat().st_mode & 0o777 == 0o755


def user_files(linux: Linux) -> Tree:
    linux.put("mcp-config.json", MCP, 0o640)
    linux.put("copilot-instructions.md", WORDS, 0o644)
    linux.put("hooks/other.json", '{"version": 1, "hooks": {}}')
    linux.put("config.json", "{}")
    return tree(linux.copilot)


def test_what_is_the_users_stays_and_comes_back_byte_for_byte(ubuntu: Linux) -> None:
    before = user_files(ubuntu)
    ubuntu.setup()
    after = tree(ubuntu.copilot)
    assert after["hooks/other.json"] == before["hooks/other.json"]
    assert after["mcp-config.json"][1] == 0o640
    assert b"// mine" in (after["mcp-config.json"][0] or b"")
    assert (after["copilot-instructions.md"][0] or b"").startswith(WORDS.encode())
    assert ubuntu.remove().exact
    assert tree(ubuntu.copilot) == before
    assert records(ubuntu.windows) == []


def test_remove_leaves_nothing_where_there_was_nothing(ubuntu: Linux) -> None:
    ubuntu.setup()
    ubuntu.put("imprint-wsl.log", "what the launcher could not say to Windows\n")
    ubuntu.remove()
    assert tree(ubuntu.copilot) == {}


def test_edits_made_since_setup_are_kept_by_remove(ubuntu: Linux) -> None:
    ubuntu.put("copilot-instructions.md", WORDS)
    ubuntu.setup()
    path = ubuntu.copilot / "copilot-instructions.md"
    path.write_bytes(path.read_bytes() + b"New words.\n")
    removed = ubuntu.remove()
    assert path.read_bytes() == WORDS.encode() + b"New words.\n"
    assert not removed.exact
    assert not ubuntu.launcher.exists()


def test_permissions_are_set_inside_because_windows_cannot(ubuntu: Linux) -> None:
    user_files(ubuntu)
    modes = {Path(name).name: mode for name, mode in ubuntu.plan().modes}
    assert modes == {
        "imprint-wsl": 0o755,
        "mcp-config.json": 0o640,
        "copilot-instructions.md": 0o644,
        "imprint.json": 0o600,
    }
    ubuntu.setup()
    back = {Path(name).name: mode for name, mode in ubuntu.plan_remove().modes}
    assert back == {"mcp-config.json": 0o640, "copilot-instructions.md": 0o644}


def test_where_permissions_cannot_be_set_everything_is_taken_back(ubuntu: Linux) -> None:
    before = user_files(ubuntu)
    ubuntu.windows.change("Ubuntu", chmod=1)
    with pytest.raises(WslFailed, match="permissions cannot be set"):
        ubuntu.setup()
    assert tree(ubuntu.copilot) == before
    assert records(ubuntu.windows) == []


def test_an_upgrade_replaces_what_an_older_imprint_wrote(ubuntu: Linux) -> None:
    before = user_files(ubuntu)
    ubuntu.setup()
    world = ubuntu.windows.world
    other = {**world.variables, "IMPRINT_WSL_PYTHON": "C:\\new\\python.exe"}
    ubuntu.windows.world = replace(world, variables=other)
    planned = ubuntu.setup()
    assert {change.path.name for change in planned.plan.changes if "home" in str(change.path)} == {
        "imprint-wsl"
    }
    assert b"/new/python.exe" in ubuntu.launcher.read_bytes()
    assert ubuntu.remove().exact
    assert tree(ubuntu.copilot) == before


# --- what is in the way ----------------------------------------------------------------------


def test_without_a_copilot_home_nothing_is_written(ubuntu: Linux) -> None:
    ubuntu.copilot.rmdir()
    with pytest.raises(CopilotMissingError, match=r"no folder .*\.copilot"):
        ubuntu.plan()


def test_a_home_on_a_read_only_mount_is_refused(ubuntu: Linux) -> None:
    found = replace(ubuntu.probe(), writable=False)
    with pytest.raises(NotWritable, match="cannot write"):
        plan_wsl_setup(
            ubuntu.windows.world,
            "Ubuntu",
            found,
            CONTRACT,
            side=ubuntu.windows.side,
            share=FolderShare(ubuntu.windows.root / "share"),
            now=NOW,
        )


def test_a_file_behind_a_link_is_refused(ubuntu: Linux) -> None:
    elsewhere = ubuntu.home / "dotfiles.json"
    elsewhere.write_text(MCP, encoding="utf-8")
    (ubuntu.copilot / "mcp-config.json").symlink_to(elsewhere)
    with pytest.raises(LinkedFileError, match=r"mcp-config\.json"):
        ubuntu.plan()
    assert elsewhere.read_text(encoding="utf-8") == MCP


def test_a_file_that_became_a_link_since_is_not_followed_by_remove(ubuntu: Linux) -> None:
    ubuntu.setup()
    config = ubuntu.copilot / "mcp-config.json"
    elsewhere = config.rename(ubuntu.home / "dotfiles.json")
    config.symlink_to(elsewhere)
    before = tree(ubuntu.copilot)
    with pytest.raises(LinkedFileError, match=r"mcp-config\.json"):
        ubuntu.remove()
    assert tree(ubuntu.copilot) == before
    assert records(ubuntu.windows) != []


def test_a_home_behind_a_link_is_written_where_it_is(ubuntu: Linux) -> None:
    ubuntu.copilot.rmdir()
    real = ubuntu.home / "data"
    real.mkdir()
    ubuntu.copilot.symlink_to(real)
    ubuntu.setup()
    profile = ubuntu.profile
    assert (profile.home, profile.real) == (str(ubuntu.copilot), str(real))
    hooks = json.loads((real / "hooks/imprint.json").read_bytes())["hooks"]
    (words,) = [shlex.split(handler["bash"]) for handler in hooks["Stop"]]
    assert words[0] == str(ubuntu.launcher), "Copilot's own name of the home counts"
    ubuntu.remove()
    assert tree(real) == {}


@pytest.mark.parametrize("edit", [b"\nexport DEBUG=1\n", b""])
def test_an_edited_launcher_is_replaced_only_by_force_and_then_kept(
    ubuntu: Linux, edit: bytes
) -> None:
    ubuntu.setup()
    mine = ubuntu.launcher.read_bytes().replace(b"exit 0\n", b"exit 0\n" + edit, 1)
    mine = mine if edit else b"#!/bin/sh\necho mine\n"
    ubuntu.launcher.write_bytes(mine)
    before = tree(ubuntu.copilot)
    with pytest.raises(LauncherEditedError, match="not as Imprint wrote it"):
        ubuntu.plan()
    assert tree(ubuntu.copilot) == before
    planned = ubuntu.setup(force=True)
    assert is_generated(ubuntu.launcher.read_bytes())
    assert (ubuntu.copilot / "imprint-wsl.edited-1").read_bytes() == mine
    assert any("edited" in note for note in planned.notes)


def test_edited_hooks_are_kept_beside_the_new_ones(ubuntu: Linux) -> None:
    ubuntu.setup()
    path = ubuntu.copilot / "hooks/imprint.json"
    mine = path.read_bytes().replace(b"120", b"60")
    path.write_bytes(mine)
    ubuntu.setup()
    assert (ubuntu.copilot / "hooks/imprint.json.edited-1").read_bytes() == mine


ANOTHERS = [
    {"command": "/opt/venv/bin/python", "args": ["-P", "-m", "imprint", "mcp"]},
    {"command": "/home/bob/.copilot/imprint-wsl", "args": ["mcp"]},
    {"command": "/usr/bin/imprint-of-somebody"},
]


@pytest.mark.parametrize("entry", ANOTHERS)
def test_anothers_entry_protects_the_home(ubuntu: Linux, entry: dict[str, object]) -> None:
    ubuntu.put("mcp-config.json", json.dumps({"mcpServers": {"imprint": entry}}))
    before = tree(ubuntu.copilot)
    planned = ubuntu.plan()
    assert planned.protected
    assert planned.plan.is_empty
    assert ubuntu.setup(force=True).protected is None
    assert tree(ubuntu.copilot) != before


def test_another_imprint_on_windows_protects_its_launcher(ubuntu: Linux, tmp_path: Path) -> None:
    ubuntu.setup()
    before = tree(ubuntu.copilot)
    other = replace(ubuntu, windows=ubuntu.windows.with_store(tmp_path / "other store"))
    planned = other.plan()
    assert planned.protected
    assert str(ubuntu.windows.world.imprint_home) in planned.protected
    other.setup(force=True)
    removed = ubuntu.plan_remove()
    assert removed.protected
    assert [change.path.parent.name for change in removed.plan.changes] == ["wsl", "wsl"]
    assert tree(ubuntu.copilot).keys() == before.keys()


def test_a_file_that_is_no_json_is_named_with_its_place(ubuntu: Linux) -> None:
    ubuntu.put("mcp-config.json", '{\n  "mcpServers": nope\n}\n')
    with pytest.raises(JsonSyntaxError, match=r"mcp-config\.json:2:17"):
        ubuntu.plan()


def test_without_bash_no_hooks_are_written_and_that_is_said(ubuntu: Linux) -> None:
    ubuntu.windows.change("Ubuntu", bash=False)
    planned = ubuntu.setup()
    assert any("no /bin/bash" in note for note in planned.notes)
    assert not (ubuntu.copilot / "hooks").exists()
    assert (ubuntu.copilot / "mcp-config.json").exists()
    assert not ubuntu.profile.hooks
    ubuntu.windows.change("Ubuntu", bash=True)
    ubuntu.setup()
    assert (ubuntu.copilot / "hooks/imprint.json").exists()
    ubuntu.remove()
    assert tree(ubuntu.copilot) == {}


def test_a_copilot_that_reads_other_keys_gets_them(ubuntu: Linux) -> None:
    wishes = {"set-command": "command", "set-time-limit": "timeout", "answer-context": "nested"}
    contract = CopilotContract.recorded(wishes, "1.0.20", "linux")
    install_plan = ubuntu.plan(contract)
    hooks = next(one for one in install_plan.plan.changes if one.path.name == "imprint.json")
    handler = json.loads(hooks.after or b"")["hooks"]["SessionStart"][0]
    assert handler["command"].endswith(" hook session-start")
    assert handler["timeout"] == 10


def test_a_python_on_a_drive_that_is_not_mounted_is_refused(ubuntu: Linux) -> None:
    world = ubuntu.windows.world
    variables = {**world.variables, "IMPRINT_WSL_PYTHON": "D:\\py\\python.exe"}
    ubuntu.windows.world = replace(world, variables=variables)
    with pytest.raises(NoDriveError, match="drive D: is not mounted"):
        ubuntu.plan()


# --- several, and gone -----------------------------------------------------------------------


def test_a_distribution_that_vanished_is_forgotten(ubuntu: Linux) -> None:
    ubuntu.setup()
    ubuntu.windows.unregister("Ubuntu")
    removed = ubuntu.remove(is_there=False)
    assert any("is gone" in note for note in removed.notes)
    assert records(ubuntu.windows) == []
    assert ubuntu.launcher.exists(), "this stand-in's files outlive it, and nobody touched them"


def test_a_home_that_vanished_is_forgotten(ubuntu: Linux) -> None:
    ubuntu.setup()
    subprocess.run(["rm", "-r", str(ubuntu.copilot)], check=True)
    assert any("is gone" in note for note in ubuntu.remove().notes)
    assert records(ubuntu.windows) == []


def test_two_distributions_with_the_same_user_are_two(windows: Windows, tmp_path: Path) -> None:
    linux = windows.distribution("Ubuntu")
    found = replace(linux.probe(), copilot="/home/ada/.copilot", real="/home/ada/.copilot")
    share = FolderShare(tmp_path / "roots")
    plans = []
    for name in ("Ubuntu", "Debian"):
        (tmp_path / "roots" / name / "home/ada/.copilot").mkdir(parents=True)
        plans.append(
            plan_wsl_setup(
                windows.world, name, found, CONTRACT, side=windows.side, share=share, now=NOW
            )
        )
    from imprint.wsl.install import _apply

    for planned in plans:
        _apply(windows.world, planned.plan, 10)
    one, other = windows.profiles()
    assert (one.distribution, other.distribution) == ("Debian", "Ubuntu")
    assert one.home == other.home
    assert one.key != other.key
    debian = share.folder / "Debian/home/ada/.copilot/imprint-wsl"
    facts = facts_of(debian.read_bytes())
    assert facts is not None
    assert facts.distribution == "Debian"
    removal = plan_wsl_remove(windows.world, one, found, store=windows.side.store)
    _apply(windows.world, removal.plan, 10)
    assert not debian.exists()
    assert (share.folder / "Ubuntu/home/ada/.copilot/imprint-wsl").exists()
    assert windows.profiles() == (other,)


def test_what_is_not_set_up_cannot_be_removed(ubuntu: Linux) -> None:
    layout = ubuntu.windows.world.layout()
    with pytest.raises(NotRegistered, match="set up: none"):
        registered(layout, None)
    ubuntu.setup()
    assert registered(layout, "UBUNTU") == registered(layout, None) == (ubuntu.profile,)
    with pytest.raises(NotRegistered, match="Debian is not set up; set up: Ubuntu"):
        registered(layout, "Debian")


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b'{"version": "x"}'])
def test_a_record_that_is_damaged_is_named_and_stops_nobody_else(
    ubuntu: Linux, data: bytes
) -> None:
    ubuntu.setup()
    layout = ubuntu.windows.world.layout()
    bad = folder_of(layout) / "0123456789abcdef.json"
    bad.write_bytes(data)
    with pytest.raises(ProfileDamaged, match="0123456789abcdef"):
        load_profiles(layout)
    assert load_profiles(layout, tolerant=True) == (ubuntu_profile(layout),)


def ubuntu_profile(layout: object) -> object:
    from imprint.base.paths import Layout

    assert isinstance(layout, Layout)
    (found,) = load_profiles(layout, tolerant=True)
    assert found.distribution == "Ubuntu"
    return found


def test_a_package_and_a_store_with_line_breaks_are_refused() -> None:
    from imprint.wsl.launcher import launcher_text

    side = WindowsSide("C:\\p.exe", "C:\\a\nb", "C:\\s", "1")
    with pytest.raises(RefusedError):
        launcher_text(side, "U", (("/c", "C:"),))
