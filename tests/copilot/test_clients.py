"""Programs that use a Copilot home are found and named for what they are, and never run."""

from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.copilot import clients
from imprint.copilot.clients import ClientKind, clients_of, find_cli, find_clients, is_installed
from imprint.copilot.homes import find_home
from imprint.copilot.vscode_places import user_folders, with_profiles


def program(folder: Path, name: str = "copilot", text: str = "#!/bin/sh\ntouch ran\n") -> Path:
    """A program in `folder`; the mark it leaves when run would fail a test."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def on_path(
    world: Environment, *folders: Path, platform: str = "linux", **more: str
) -> Environment:
    separator = ";" if platform == "win32" else ":"
    variables = {"PATH": separator.join(map(str, folders)), **more}
    return replace(world, platform=platform, variables=variables)


def test_a_copilot_on_path_is_found_and_not_run(world: Environment, tmp_path: Path) -> None:
    path = program(tmp_path / "bin")
    environment = on_path(world, Path("relative"), tmp_path / "missing", tmp_path / "bin")
    found = find_cli(environment)
    assert found is not None
    assert (found.kind, found.path) == (ClientKind.CLI, path)
    assert not list(tmp_path.rglob("ran"))


def test_a_file_without_execute_permission_is_no_program(
    world: Environment, tmp_path: Path
) -> None:
    program(tmp_path / "bin").chmod(0o644)
    assert find_clients(on_path(world, tmp_path / "bin")) == ()


def test_one_program_on_path_twice_is_listed_once(world: Environment, tmp_path: Path) -> None:
    program(tmp_path / "bin")
    (tmp_path / "also").symlink_to(tmp_path / "bin")
    assert len(find_clients(on_path(world, tmp_path / "bin", tmp_path / "also"))) == 1


@pytest.mark.parametrize(
    ("folder", "text"),
    [
        ("User/globalStorage/github.copilot-chat/copilotCli", "#!/bin/sh\nread answer\n"),
        ("bin", '#!/bin/sh\nunset NODE_OPTIONS\n"/x/code" "/y/copilotCLIShim.js" "$@"\n'),
    ],
)
def test_vs_codes_script_is_named_and_the_real_program_behind_it_found(
    world: Environment, tmp_path: Path, folder: str, text: str
) -> None:
    shim = program(tmp_path / folder, text=text)
    real = program(tmp_path / "npm")
    environment = on_path(world, shim.parent, real.parent)
    assert [client.kind for client in find_clients(environment)] == [
        ClientKind.VSCODE_SHIM,
        ClientKind.CLI,
    ]
    cli = find_cli(environment)
    assert cli is not None
    assert cli.path == real


def test_a_binary_that_holds_the_words_of_the_script_is_no_script(
    world: Environment, tmp_path: Path
) -> None:
    path = program(tmp_path / "bin")
    path.write_bytes(b"\x7fELF\0\0 copilotCLIShim ")
    cli = find_cli(on_path(world, tmp_path / "bin"))
    assert cli is not None
    assert cli.kind == ClientKind.CLI


def test_a_windows_program_that_wsl_shows_is_named(
    world: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin")
    monkeypatch.setattr(
        clients.os.path, "realpath", lambda path: "/mnt/c/Users/me/AppData/npm/copilot"
    )
    environment = on_path(world, tmp_path / "bin", WSL_DISTRO_NAME="Ubuntu")
    assert [client.kind for client in find_clients(environment)] == [ClientKind.WINDOWS_SHIM]
    assert find_cli(environment) is None
    elsewhere = on_path(world, tmp_path / "bin")
    assert [client.kind for client in find_clients(elsewhere)] == [ClientKind.CLI]


def test_on_windows_programs_have_the_endings_of_pathext(
    world: Environment, tmp_path: Path
) -> None:
    path = program(tmp_path / "bin", "copilot.cmd")
    program(tmp_path / "bin", "copilot")
    environment = on_path(world, tmp_path / "bin", platform="win32", PATHEXT=".EXE;.CMD")
    assert [client.path for client in find_clients(environment)] == [path]


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {}, "home/.config"),
        ("linux", {"XDG_CONFIG_HOME": "{root}/xdg"}, "xdg"),
        ("darwin", {}, "home/Library/Application Support"),
        ("win32", {}, "home/AppData/Roaming"),
        ("win32", {"APPDATA": "{root}/roaming"}, "roaming"),
    ],
)
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Code", ClientKind.VSCODE),
        ("Code - Insiders", ClientKind.VSCODE_INSIDERS),
        ("VSCodium", ClientKind.VSCODIUM),
    ],
)
def test_editors_are_found_by_their_user_folder_on_every_platform(
    world: Environment, platform: str, variables: dict[str, str], place: str, name: str, kind: str
) -> None:
    root = world.home.parent
    filled = {key: value.format(root=root) for key, value in variables.items()}
    environment = replace(world, platform=platform, variables=filled)
    folder = root / place / name / "User"
    folder.mkdir(parents=True)
    found = find_clients(environment)
    assert [(client.kind, client.path) for client in found] == [(kind, folder)]
    assert is_installed(find_home(replace(environment, platform="linux")), found)


def test_named_profiles_come_after_the_default_one(tmp_path: Path) -> None:
    for name in ("b2", "a1"):
        (tmp_path / "profiles" / name).mkdir(parents=True)
    (tmp_path / "profiles" / "file").write_text("", encoding="utf-8")
    assert list(with_profiles(tmp_path)) == [
        tmp_path,
        tmp_path / "profiles/a1",
        tmp_path / "profiles/b2",
    ]


def test_a_portable_editor_is_looked_for(world: Environment, tmp_path: Path) -> None:
    environment = replace(world, variables={"VSCODE_PORTABLE": str(tmp_path)})
    assert tmp_path / "user-data/User" in [folder for _, folder in user_folders(environment)]


def test_nothing_found_means_not_installed(world: Environment) -> None:
    assert not is_installed(find_home(world), find_clients(world))


def test_an_editors_server_counts(world: Environment) -> None:
    (world.home / ".vscode-server").mkdir()
    assert [client.kind for client in find_clients(world)] == [ClientKind.VSCODE_SERVER]


def test_editors_use_the_default_home_even_where_the_shell_names_another(
    world: Environment, tmp_path: Path
) -> None:
    program(tmp_path / "bin")
    (world.home / ".config/Code/User").mkdir(parents=True)
    environment = on_path(world, tmp_path / "bin", COPILOT_HOME=str(tmp_path / "other"))
    found = find_clients(environment)
    shells = clients_of(environment, find_home(environment), found)
    default = clients_of(environment, find_home(on_path(world, tmp_path / "bin")), found)
    assert [client.kind for client in shells] == [ClientKind.CLI, ClientKind.VSCODE]
    assert [client.kind for client in default] == [ClientKind.VSCODE]
