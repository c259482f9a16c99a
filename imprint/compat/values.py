"""What an answer can be: one value, or a table of values that are asked for one by one."""

import re
from dataclasses import dataclass

Scalar = str | int | float
"""Of one entry of a table."""

Value = str | int | float | list[str] | dict[str, str | int | float]
"""A name out of a closed set, a number, a list of names, a pattern or digest, or a table."""

_QUESTION = re.compile(r"([a-z0-9_.]+)(?:\[([^\[\]]+)\])?")


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """A claim, or one entry of a claim whose value is a table: written `id` or `id[Entry]`."""

    claim: str
    entry: str = ""

    def __str__(self) -> str:
        return f"{self.claim}[{self.entry}]" if self.entry else self.claim

    @classmethod
    def parse(cls, text: str) -> "Question | None":
        """The question that `text` spells; None where it spells none."""
        match = _QUESTION.fullmatch(text)
        return cls(match[1], match[2] or "") if match else None


def entries(claim: str, value: Value) -> dict[Question, Value]:
    """A value as answers to questions that have one answer each: a table's entries, one by one."""
    if isinstance(value, dict):
        return {Question(claim, name): entry for name, entry in value.items()}
    return {Question(claim): value}
