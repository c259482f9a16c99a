"""`mcpServers.imprint` in Copilot's `mcp-config.json`: what it says, and whose it is."""

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath, PureWindowsPath

import msgspec

from imprint.copilot.contract import CopilotContract
from imprint.copilot.runtime import Runtime
from imprint.edit.jsonc import MISSING

SERVER = "imprint"
KEY_PATH = ("mcpServers", SERVER)
TOOLS = ("recall", "remember", "forget", "sessions", "session")
"""What Imprint's server offers (a test compares it with the server)."""

VSCODE_KEY_PATH = ("servers", SERVER)

# -P: the server may start in a folder that has an `imprint/` of its own.
_ARGUMENTS = ("-P", "-m", "imprint", "mcp")

_LAUNCHERS = ("imprint", "imprint.exe", "imprint-wsl")


class Owner(StrEnum):
    """Whose entry it is, seen from the running installation."""

    NOBODY = "nobody"
    OURS = "ours"
    OURS_MOVED = "ours-moved"
    ANOTHER = "another-imprint"
    FOREIGN = "not-imprint"


@dataclass(frozen=True, slots=True)
class Ownership:
    """`owner` of an entry; `program` and `store` as it names them, empty where it does not."""

    owner: Owner
    program: str = ""
    store: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether this installation may replace or remove the entry."""
        return self.owner in {Owner.OURS, Owner.OURS_MOVED}

    @property
    def protects(self) -> bool:
        """Whether entry, instructions and hooks belong to somebody else."""
        return self.owner in {Owner.ANOTHER, Owner.FOREIGN}

    @property
    def is_imprint(self) -> bool:
        """Whether some Imprint wrote the entry."""
        return self.is_ours or self.owner == Owner.ANOTHER

    @property
    def reason(self) -> str:
        """What protects the home, in a sentence; empty where nothing does."""
        match self.owner:
            case Owner.ANOTHER:
                where = f", its store in {self.store}" if self.store else ""
                gone = "" if _is_there(self.program) else ", not found on this computer"
                return f"connected by another Imprint ({self.program}{gone}{where})"
            case Owner.FOREIGN:
                return "the entry named imprint is none that Imprint wrote"
            case _:
                return ""


class _Entry(msgspec.Struct):
    command: str
    args: list[str] = []
    env: dict[str, str] = {}


def entry(runtime: Runtime, contract: CopilotContract) -> dict[str, object]:
    """The value of `mcpServers.imprint` (ADR 0057)."""
    value: dict[str, object] = {
        "type": contract.entry_type,
        "command": str(runtime.python),
        "args": list(_ARGUMENTS),
        "env": {"IMPRINT_HOME": str(runtime.imprint_home)},
        "tools": tools_value(contract),
    }
    return {key: given for key, given in value.items() if given is not None}


def tools_value(contract: CopilotContract) -> list[str] | None:
    """The entry's `tools`; None: it has none."""
    match contract.tools:
        case "star":
            return ["*"]
        case "name-each":
            return list(TOOLS)
        case _:
            return None


def ownership(value: object, runtime: Runtime, earlier_python: str = "") -> Ownership:
    """Whose entry `value` is; MISSING is nobody's.

    `earlier_python` is the interpreter in the running installation's receipt for this home. An
    installation is an interpreter with a store. An entry whose interpreter is gone is ours when
    it names our store, or when our receipt says that we wrote it: the virtual environment moved.
    """
    if value is MISSING:
        return Ownership(Owner.NOBODY)
    try:
        found = msgspec.convert(value, _Entry)
    except msgspec.ValidationError:
        return Ownership(Owner.FOREIGN)
    if not _is_imprint(found):
        return Ownership(Owner.FOREIGN, found.command)
    store = found.env.get("IMPRINT_HOME", "")
    same_store = not store or _same_place(store, str(runtime.imprint_home))
    owner = Owner.ANOTHER
    if _same_place(found.command, str(runtime.python)):
        owner = Owner.OURS if same_store else Owner.ANOTHER
    elif not _is_there(found.command) and (
        (bool(store) and same_store)
        or (bool(earlier_python) and _same_place(found.command, earlier_python))
    ):
        owner = Owner.OURS_MOVED
    return Ownership(owner, found.command, store)


def _is_imprint(found: _Entry) -> bool:
    """`python ... -m imprint mcp`, `imprint mcp`, or the launcher of a WSL distribution."""
    arguments = found.args
    if "-m" in arguments:
        return arguments[arguments.index("-m") + 1 :][:2] == ["imprint", "mcp"]
    is_windows = "\\" in found.command
    name = (PureWindowsPath if is_windows else PurePosixPath)(found.command).name.lower()
    return name in _LAUNCHERS and arguments[:1] == ["mcp"]


def _same_place(one: str, other: str) -> bool:
    return os.path.normcase(os.path.normpath(one)) == os.path.normcase(os.path.normpath(other))


def _is_there(program: str) -> bool:
    try:
        return Path(program).exists()
    except OSError:
        return True
