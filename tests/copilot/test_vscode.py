"""What older Imprints left in VS Code goes, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from imprint.copilot.instructions import BODY
from imprint.copilot.vscode import find_leftovers
from tests.copilot.conftest import Installer, make_runtime, put, tree

OTHERS = '{\n  // mine\n  "servers": {\n    "a": {"command": "x"}%s\n  },\n  "inputs": [],\n}\n'


def old_entry(python: Path) -> str:
    command = str(python).replace("\\", "\\\\")
    return f',\n    "imprint": {{"command": "{command}", "args": ["-m", "imprint", "mcp"]}}'


@pytest.fixture
def user(installer: Installer) -> Path:
    """VS Code's user folder."""
    folder = installer.environment.home / ".config/Code/User"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("place", ["mcp.json", "profiles/work/mcp.json"])
def test_setup_takes_imprints_old_entry_out_and_leaves_every_other_byte(
    installer: Installer, user: Path, place: str
) -> None:
    path = put(user / place, OTHERS % old_entry(installer.runtime.python))
    installer.setup()
    assert path.read_text(encoding="utf-8") == OTHERS % ""
    assert installer.plan_setup().plan.is_empty
    installer.disconnect()
    assert path.read_text(encoding="utf-8") == OTHERS % ""


def test_disconnect_takes_the_old_entry_out_too(installer: Installer, user: Path) -> None:
    installer.setup()
    path = put(user / "mcp.json", OTHERS % old_entry(installer.runtime.python))
    installer.disconnect()
    assert path.read_text(encoding="utf-8") == OTHERS % ""


def test_an_entry_of_another_imprint_stays_until_force(
    installer: Installer, user: Path, tmp_path: Path
) -> None:
    other = make_runtime(tmp_path / "other", tmp_path / "store")
    text = OTHERS % old_entry(other.python)
    path = put(user / "mcp.json", text)
    notes = installer.setup().notes
    assert path.read_text(encoding="utf-8") == text
    assert any(str(path) in note for note in notes)
    installer.setup(force=True)
    assert path.read_text(encoding="utf-8") == OTHERS % ""


def test_a_foreign_server_of_our_name_stays_even_with_force(
    installer: Installer, user: Path
) -> None:
    path = put(user / "mcp.json", '{"servers": {"imprint": {"url": "https://example.org"}}}')
    before = path.read_bytes()
    installer.setup(force=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"{", b"null", b"\xff\xfe{\x00}\x00"])
def test_a_broken_file_of_vs_code_is_noted_and_stops_nothing(
    installer: Installer, user: Path, content: bytes
) -> None:
    path = put(user / "mcp.json", content)
    planned = installer.setup()
    assert any("not looked at" in note and str(path) in note for note in planned.notes)
    assert path.read_bytes() == content
    assert installer.home.hooks_file.exists()


def test_a_prompts_file_goes_only_while_it_is_exactly_the_generated_one(
    installer: Installer, user: Path
) -> None:
    path = put(user / "prompts/imprint.instructions.md", BODY + "my own words\n")
    notes = installer.setup().notes
    assert any(str(path) in note for note in notes)
    assert path.exists()
    put(path, BODY.replace("\n", "\r\n"))
    installer.setup()
    assert not path.exists()


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("darwin", "Library/Application Support/VSCodium/User"),
        ("win32", "AppData/Roaming/Code - Insiders/User"),
    ],
)
def test_the_places_of_other_platforms_are_looked_at(
    installer: Installer, platform: str, place: str
) -> None:
    environment = replace(installer.environment, platform=platform)
    path = put(environment.home / place / "mcp.json", OTHERS % old_entry(installer.runtime.python))
    found = find_leftovers(environment, installer.runtime)
    assert [change.path for change in found.changes] == [path]


def test_nothing_is_made_in_vs_codes_folders(installer: Installer, user: Path) -> None:
    installer.setup()
    assert tree(user) == {}
