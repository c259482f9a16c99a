"""Claims: questions about a Copilot release, each with a closed kind of answer."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from imprint.compat.evidence import Evidence
from imprint.compat.values import Scalar, Value


class Kind(StrEnum):
    """The kind of a claim's value."""

    ENUM = "enum"
    TABLE = "table"
    LIST = "list"
    NUMBER = "number"
    PATTERN = "pattern"
    SNAPSHOT = "snapshot"


class Tier(StrEnum):
    """The least that must run for an answer."""

    STATIC = "S"
    LOADER = "L"
    MODEL = "M"
    TERMINAL = "T"
    SDK = "K"
    CONTAINER = "C"
    ACCOUNT = "A"

    @property
    def evidence(self) -> Evidence:
        """What an answer of this tier is worth."""
        match self:
            case Tier.STATIC:
                return Evidence.STATIC
            case Tier.LOADER:
                return Evidence.LOADER
            case Tier.ACCOUNT:
                return Evidence.ACCOUNT
            case _:
                return Evidence.LIVE_OFFLINE


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`action` is right where every one of `entries` (or the claim itself) has one of `values`."""

    action: str
    values: tuple[str, ...]
    entries: tuple[str, ...] = ()


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the adapter decides on a claim's answer.

    The first option that is known to hold wins. Where none does: `otherwise` if every one is
    known not to hold, else `unknown`, the safe action, for the reason `why_safe`. `systems` are
    those that the rule is for (`linux`, `darwin`, `win32`), none named: all.
    """

    decides: str
    options: tuple[Option, ...]
    otherwise: str
    unknown: str
    why_safe: str
    systems: tuple[str, ...] = ()


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a seed document says the answer is, to be put on trial."""

    source: str
    says: str
    entry: str = ""


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One question, asked of one release on one platform.

    `values` is the closed set of answers: of a table, those of an entry that `entry_values` does
    not name; none: any text. `keys` are a table's entries (none: not closed), `numbers` those of
    them that are numbers. `blocked` says why nothing here can answer it.
    """

    id: str
    sentence: str
    kind: Kind
    tiers: tuple[Tier, ...]
    values: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    entry_values: dict[str, tuple[str, ...]] = {}
    numbers: tuple[str, ...] = ()
    unit: str = ""
    sources: tuple[str, ...] = ()
    platform_independent: bool = False
    blocked: str = ""
    rules: tuple[Rule, ...] = ()
    statements: tuple[Statement, ...] = ()
    area: str = ""

    def rule(self, decides: str, system: str) -> Rule | None:
        """The rule for a decision on a system."""
        for rule in self.rules:
            if rule.decides == decides and (not rule.systems or system in rule.systems):
                return rule
        return None

    def objections(self, value: Value) -> tuple[str, ...]:
        """Why `value` can't be an answer to this claim; empty where it can."""
        match value:
            case dict():
                return self._of_table(value)
            case list():
                if self.kind is not Kind.LIST:
                    return (f"{self.id} is no list",)
                strange = set(value).difference(self.values) if self.values else ()
                return tuple(f"{self.id}: {name!r} is not in its set" for name in sorted(strange))
            case _:
                return self._of_scalar(value)

    def _of_table(self, value: dict[str, Scalar]) -> tuple[str, ...]:
        if self.kind is not Kind.TABLE:
            return (f"{self.id} is no table",)
        if not value:
            return (f"{self.id}: a table without entries answers nothing",)
        return tuple(said for name, entry in value.items() for said in self._of_entry(name, entry))

    def _of_entry(self, name: str, entry: Scalar) -> Iterable[str]:
        if not self.has_entry(name):
            yield f"{self.id} has no entry {name!r}"
        elif (name in self.numbers) is isinstance(entry, str):
            yield f"{self.id}[{name}]: {entry!r} is of the wrong type"
        elif isinstance(entry, str) and not self.allows(entry, name):
            yield f"{self.id}[{name}]: {entry!r} is not in its set"

    def _of_scalar(self, value: Scalar) -> tuple[str, ...]:
        if self.kind in {Kind.TABLE, Kind.LIST}:
            return (f"{self.id} is a {self.kind}, not {value!r}",)
        if (self.kind is Kind.NUMBER) is isinstance(value, str):
            return (f"{self.id}: {value!r} is of the wrong type",)
        if isinstance(value, str) and not self.allows(value):
            return (f"{self.id}: {value!r} is not in its set",)
        return ()

    def has_entry(self, name: str) -> bool:
        """Whether the claim is a table that may have such an entry."""
        return self.kind is Kind.TABLE and (not self.keys or name in self.keys)

    def allows(self, value: str, entry: str = "") -> bool:
        """Whether a name is in the closed set, that of an entry if given."""
        allowed = self.entry_values.get(entry, self.values)
        return not allowed or value in allowed


class ClaimFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One area of the catalogue."""

    area: str
    title: str
    claims: tuple[Claim, ...]
