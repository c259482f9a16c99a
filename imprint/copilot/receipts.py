"""Receipts of this installation: one file per Copilot home, keyed by the home's real path."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from imprint.base.paths import Layout
from imprint.copilot.contract import CopilotContract
from imprint.copilot.homes import CopilotHome, HomeSource, real_key
from imprint.edit.plan import FileChange
from imprint.edit.receipt import FileReceipt, Receipt, load, record

if TYPE_CHECKING:
    from imprint.copilot.parts import Part

_NAME = re.compile(r"[0-9a-f]{16}\.json")


def receipt_path(layout: Layout, home: Path) -> Path:
    """Where the receipt of a home lies, whichever of its names is used."""
    key = hashlib.sha256(real_key(home).encode("utf-8", "surrogateescape")).hexdigest()
    return layout.installed / f"{key[:16]}.json"


def load_receipt(layout: Layout, home: Path) -> Receipt | None:
    """The receipt of a home; None where there is none.

    Raises ReceiptDamaged and ReceiptTooNew, which say what to do.
    """
    return load(receipt_path(layout, home))


def recorded_contract(receipt: Receipt | None, system: str) -> CopilotContract:
    """How the files were written that the receipt tells of; the safe way where there is none."""
    if receipt is None:
        return CopilotContract.recorded({}, None, system)
    return CopilotContract.recorded(receipt.decisions, receipt.copilot_version, system)


def file_receipt(receipt: Receipt | None, home: CopilotHome, path: Path) -> FileReceipt | None:
    """What the receipt says of a file in the home, also where setup knew the home by another name.

    None where it says nothing.
    """
    if receipt is None:
        return None
    return receipt.file(Path(receipt.home) / path.relative_to(home.path))


def merge_receipt(
    draft: Receipt, home: CopilotHome, parts: Iterable["Part"], earlier: Receipt | None
) -> Receipt:
    """The receipt after a setup: the `draft` with its files, and with what earlier setups did.

    The earlier one itself where nothing but the time would be different.
    """
    # One home, one name: that of the first setup, whichever link it is reached by today.
    name = Path(earlier.home) if earlier else home.path
    files = tuple(
        msgspec.structs.replace(
            _record(part, file_receipt(earlier, home, part.path)),
            path=str(name / part.path.relative_to(home.path)),
        )
        for part in parts
    )
    receipt = msgspec.structs.replace(draft, home=str(name), files=files)
    if earlier is None:
        return receipt
    made = dict.fromkeys((*earlier.created_directories, *draft.created_directories))
    receipt = msgspec.structs.replace(
        receipt,
        created_directories=tuple(made),
        copilot_version=draft.copilot_version or earlier.copilot_version,
    )
    same = msgspec.structs.replace(receipt, written_at=earlier.written_at) == earlier
    return earlier if same else receipt


def _record(part: "Part", earlier: FileReceipt | None) -> FileReceipt:
    """What was replaced, against the file as it was without Imprint."""
    if earlier is not None and part.current == part.wanted:
        return earlier
    original, _ = part.original(earlier)
    return record(FileChange(part.path, part.current, part.wanted, ""), original)


def installed_homes(layout: Layout) -> tuple[CopilotHome, ...]:
    """Every home that this installation has a receipt for, in the order of their names.

    A receipt that cannot be read raises like `load_receipt`: skipping it would leave a home
    connected that nobody knows of.
    """
    try:
        names = sorted(path for path in layout.installed.iterdir() if _NAME.fullmatch(path.name))
    except FileNotFoundError:
        return ()
    homes = []
    for name in names:
        receipt = load(name)
        if receipt is not None:
            path = Path(receipt.home)
            homes.append(CopilotHome(path, HomeSource.RECEIPT, path.is_dir()))
    return tuple(homes)
