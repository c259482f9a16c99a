"""The three files in a Copilot home that carry something of Imprint's: as they are now, as setup
wants them, and without anything of Imprint's. Setup, disconnect and status all stand on this.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from imprint.copilot import hooks_file, instructions, mcp_entry
from imprint.copilot.contract import CopilotContract
from imprint.copilot.homes import CopilotHome
from imprint.copilot.mcp_entry import Ownership
from imprint.copilot.runtime import Runtime
from imprint.edit.errors import ContentError, naming
from imprint.edit.jsonc import find_member, is_blank, remove_member, set_member, splice
from imprint.edit.plan import read
from imprint.edit.receipt import FileReceipt, restore
from imprint.edit.textfile import decode


class PartState(StrEnum):
    """What is there of one part."""

    ABSENT = "absent"
    CURRENT = "current"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Part:
    """One file: `current` bytes, those that setup wants, and those `without` Imprint's part.

    None is a file that is not there. `edited` says that a file which is Imprint's as a whole holds
    something that no Imprint wrote.
    """

    name: str
    path: Path
    current: bytes | None
    wanted: bytes | None
    without: bytes | None
    is_clean: Callable[[bytes], bool]
    edited: bool = False

    @property
    def state(self) -> PartState:
        """What is there, in one word."""
        if self.current == self.wanted:
            return PartState.CURRENT
        return PartState.ABSENT if self.current == self.without else PartState.DIFFERS

    def original(self, receipt: FileReceipt | None) -> tuple[bytes | None, bool]:
        """The file without Imprint, and whether these are exactly the bytes before setup.

        By the receipt while what it says still fits; else by structure.
        """
        found = None if receipt is None else restore(self.current, receipt)
        if found is not None and (found.data is None or self.is_clean(found.data)):
            return found.data, found.exact
        made_by_setup = receipt is not None and not receipt.existed
        if made_by_setup and self.without is not None and _is_empty_shell(self.without):
            return None, False
        return self.without, False


@dataclass(frozen=True, slots=True)
class Parts:
    """All of a home, and whose it is."""

    owner: Ownership
    entry: Part
    block: Part
    hooks: Part

    def __iter__(self) -> Iterator[Part]:
        """In the order of removal: what starts programs goes first."""
        return iter((self.entry, self.block, self.hooks))


def read_parts(
    home: CopilotHome,
    runtime: Runtime,
    contract: CopilotContract,
    *,
    earlier_python: str = "",
) -> Parts:
    """Read a home's three files.

    `earlier_python` is the interpreter in the receipt. Raises ContentError with file, line and
    column for what cannot be edited, FileError for what is no ordinary file.
    """
    entry, owner = entry_part(
        home.mcp_config,
        mcp_entry.entry(runtime, contract) if contract.entry else None,
        lambda value: mcp_entry.ownership(value, runtime, earlier_python),
    )
    return Parts(
        owner=owner,
        entry=entry,
        block=block_part(home.instructions, is_read=contract.block),
        hooks=hooks_part(
            home.hooks_file,
            hooks_file.render(runtime, contract) if contract.hooks else None,
            is_generated=hooks_file.is_generated,
            is_imprint=hooks_file.mentions_imprint,
        ),
    )


def entry_part(
    path: Path, entry: dict[str, object] | None, ownership: Callable[[object], Ownership]
) -> tuple[Part, Ownership]:
    """`mcp-config.json` with `entry` (None: with none of Imprint's), and whose is there now."""
    current = read(path)
    with naming(path):
        file = decode(current or b"")
        value = find_member(file.text, mcp_entry.KEY_PATH)
        owner = ownership(value)
        removal = remove_member(file.text, mcp_entry.KEY_PATH) if owner.is_imprint else ()
        change = removal if entry is None else set_member(file.text, mcp_entry.KEY_PATH, entry)
        wanted = file.with_text(splice(file.text, change)).encode()
    without = file.with_text(splice(file.text, removal)).encode()

    def is_clean(data: bytes) -> bool:
        try:
            member = find_member(decode(data).text, mcp_entry.KEY_PATH)
        except ContentError:
            return False
        return not ownership(member).is_imprint

    part = Part(
        name="entry",
        path=path,
        current=current,
        wanted=None if current is None and entry is None else wanted,
        without=None if current is None else without,
        is_clean=is_clean,
    )
    return part, owner


def block_part(path: Path, *, is_read: bool = True) -> Part:
    """`copilot-instructions.md` with the managed block, where Copilot reads it."""
    current = read(path)
    with naming(path):
        file = decode(current or b"")
    text = instructions.without_block(file.text)
    without = None if current is None else file.with_text(text).encode()

    def is_clean(data: bytes) -> bool:
        try:
            return not instructions.has_block(decode(data).text)
        except ContentError:
            return False

    return Part(
        name="block",
        path=path,
        current=current,
        wanted=file.with_text(instructions.with_block(file.text)).encode() if is_read else without,
        without=without,
        is_clean=is_clean,
    )


def hooks_part(
    path: Path,
    wanted: bytes | None,
    *,
    is_generated: Callable[[bytes], bool],
    is_imprint: Callable[[bytes], bool],
) -> Part:
    """`hooks/imprint.json`; without `wanted` there is to be nothing of Imprint's in it.

    `is_generated` tells what some Imprint wrote to the byte, `is_imprint` what runs one.
    """
    current = read(path)
    generated = current is not None and is_generated(current)
    is_ours = current is None or generated or is_imprint(current)
    without = None if is_ours else current
    return Part(
        name="hooks",
        path=path,
        current=current,
        wanted=without if wanted is None else wanted,
        without=without,
        is_clean=lambda data: not is_imprint(data),
        edited=current is not None and not generated,
    )


def _is_empty_shell(data: bytes) -> bool:
    """Nothing but what setup needed to hold its own part."""
    try:
        text = decode(data).text
    except ContentError:
        return False
    return is_blank(text) or "".join(text.split()) in {"{}", '{"mcpServers":{}}'}
