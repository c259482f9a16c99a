"""The store of what was learned: SQLite, search, digest, redaction. Knows no Copilot.

Names are imported when they are asked for (`imprint.base.lazy`).
"""

from typing import TYPE_CHECKING

from imprint.base.lazy import names_of

if TYPE_CHECKING:
    from imprint.memory.errors import (
        BadTransfer,
        StoreDamaged,
        StoreError,
        StoreFull,
        StoreLocked,
        StoreMissing,
        StoreReadOnly,
        StoreTooNew,
        UnknownItem,
    )
    from imprint.memory.importing import SessionImport
    from imprint.memory.records import (
        ALL_KINDS,
        TALK_KINDS,
        WORK_KINDS,
        Forgotten,
        Hit,
        Kind,
        Note,
        Role,
        SessionDetail,
        SessionMeta,
        SessionRow,
        Transferred,
        Turn,
        WorkKind,
        WorkRecord,
    )
    from imprint.memory.store import Memory

__all__ = [
    "ALL_KINDS",
    "TALK_KINDS",
    "WORK_KINDS",
    "BadTransfer",
    "Forgotten",
    "Hit",
    "Kind",
    "Memory",
    "Note",
    "Role",
    "SessionDetail",
    "SessionImport",
    "SessionMeta",
    "SessionRow",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreLocked",
    "StoreMissing",
    "StoreReadOnly",
    "StoreTooNew",
    "Transferred",
    "Turn",
    "UnknownItem",
    "WorkKind",
    "WorkRecord",
]

_MODULES = {
    "errors": (
        "BadTransfer",
        "StoreDamaged",
        "StoreError",
        "StoreFull",
        "StoreLocked",
        "StoreMissing",
        "StoreReadOnly",
        "StoreTooNew",
        "UnknownItem",
    ),
    "importing": ("SessionImport",),
    "records": (
        "ALL_KINDS",
        "TALK_KINDS",
        "WORK_KINDS",
        "Forgotten",
        "Hit",
        "Kind",
        "Note",
        "Role",
        "SessionDetail",
        "SessionMeta",
        "SessionRow",
        "Transferred",
        "Turn",
        "WorkKind",
        "WorkRecord",
    ),
    "store": ("Memory",),
}

__getattr__ = names_of(__name__, _MODULES)
