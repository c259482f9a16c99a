"""What older Imprints left in VS Code's user folders: an entry in `mcp.json`, a prompts file.

Both were registered there before the Copilot home was (ADR 0057); kept, they would double
Imprint. Only what is provably Imprint's goes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from imprint.base.errors import RefusedError
from imprint.base.paths import Environment, is_folder
from imprint.copilot import instructions, mcp_entry
from imprint.copilot.runtime import Runtime
from imprint.copilot.vscode_places import user_folders, with_profiles
from imprint.edit.errors import ContentError, naming
from imprint.edit.jsonc import find_member, remove_member, splice
from imprint.edit.plan import FileChange, read
from imprint.edit.textfile import decode

PROMPTS_FILE = Path("prompts") / "imprint.instructions.md"


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What to take out, and what was left alone and why."""

    changes: tuple[FileChange, ...]
    notes: tuple[str, ...]


def find_leftovers(environment: Environment, runtime: Runtime, *, force: bool = False) -> Leftovers:
    """Look through every product's user folder and its named profiles.

    A file that cannot be read or parsed is somebody else's worry: noted, never an error. With
    `force` an entry of another Imprint goes too.
    """
    changes: list[FileChange] = []
    notes: list[str] = []
    for folder in _folders(environment):
        for look in (partial(_old_entry, folder, runtime, force), partial(_old_prompts, folder)):
            try:
                found = look()
            except RefusedError as error:
                notes.append(f"not looked at: {error.message}")
                continue
            if isinstance(found, FileChange):
                changes.append(found)
            elif found:
                notes.append(found)
    return Leftovers(tuple(changes), tuple(notes))


def _folders(environment: Environment) -> Iterator[Path]:
    for _, folder in user_folders(environment):
        if is_folder(folder):
            yield from with_profiles(folder)


def _old_entry(folder: Path, runtime: Runtime, force: bool) -> FileChange | str | None:
    path = folder / "mcp.json"
    before = read(path)
    if before is None:
        return None
    with naming(path):
        file = decode(before)
        value = find_member(file.text, mcp_entry.VSCODE_KEY_PATH)
        owner = mcp_entry.ownership(value, runtime)
        if owner.protects and not (owner.is_imprint and force):
            return f"{path}: servers.imprint is left alone, {owner.reason}"
        if not owner.is_imprint:
            return None
        removal = remove_member(file.text, mcp_entry.VSCODE_KEY_PATH)
    after = file.with_text(splice(file.text, removal)).encode()
    return FileChange(path, before, after, "Imprint's old entry; VS Code reads the Copilot home")


def _old_prompts(folder: Path) -> FileChange | str | None:
    path = folder / PROMPTS_FILE
    before = read(path)
    if before is None:
        return None
    try:
        generated = instructions.is_generated(decode(before).text)
    except ContentError:
        generated = False
    if not generated:
        return f"{path} is left alone: it is not what Imprint wrote"
    return FileChange(path, before, None, "Imprint's old prompts file, which Copilot never applied")
