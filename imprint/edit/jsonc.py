"""Edits of JSON with comments that touch one member and leave every other byte alone.

Every function takes the text and a path of keys from the root. Of several equal keys the last
one counts, as in JSON.parse. A text of nothing but white space counts as having no content.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from imprint.edit import jsonlayout
from imprint.edit.errors import JsonShapeError, JsonSyntaxError
from imprint.edit.jsonlayout import Replacement
from imprint.edit.jsonparse import Node, parse
from imprint.edit.textfile import position

__all__ = [
    "MISSING",
    "JsonShapeError",
    "JsonSyntaxError",
    "Missing",
    "Replacement",
    "find_member",
    "is_blank",
    "loads",
    "remove_member",
    "set_member",
    "splice",
]

_BLANK = " \t\r\n"


@final
@dataclass(frozen=True, slots=True)
class Missing:
    """There is no such member (which `null` would not be)."""


MISSING: Final = Missing()


def loads(text: str) -> object:
    """The document's value as Python objects; JsonSyntaxError where it is none.

    Integers keep all of their digits (up to 4000), other numbers are floats.
    """
    return parse(text).value


def is_blank(text: str) -> bool:
    """No content at all: zero bytes, or only white space."""
    return not text.strip(_BLANK)


def find_member(text: str, path: Sequence[str]) -> object | Missing:
    """The value at `path`, or MISSING; JsonShapeError when something above it is no object."""
    if is_blank(text):
        return MISSING
    chain = _containers(text, path)
    if len(chain) < len(path):
        return MISSING
    member = chain[-1].last(path[-1])
    return MISSING if member is None else member.node.value


def set_member(text: str, path: Sequence[str], value: object) -> tuple[Replacement, ...]:
    """What to replace so that `path` has this value; nothing when it has it already.

    `value` is what the json module can write. Objects that are missing on the way are made.
    A new member goes behind the last one of its object, laid out like its neighbours.
    """
    if is_blank(text):
        return (jsonlayout.whole_document(text, _nested(path, value)),)
    chain = _containers(text, path)
    depth = len(chain)
    member = chain[-1].last(path[depth - 1])
    if member is None:
        missing = _nested(path[depth:], value)
        return jsonlayout.insert(text, chain, path[depth - 1], missing)
    if _same(member.node.value, value):
        return ()
    return (jsonlayout.replace(text, chain, member, value),)


def remove_member(text: str, path: Sequence[str]) -> tuple[Replacement, ...]:
    """What to replace so that there is no `path`; nothing when there is none.

    All duplicates in the object that counts go, since the next one would come to life. Comments
    stay, whoever they were about. Right after a `set_member` that inserted, the original returns.
    """
    first = _remove_last(text, path)
    shorter = splice(text, first)
    result = shorter
    while again := _remove_last(result, path):
        result = splice(result, again)
    return first if result == shorter else (_difference(text, result),)


def splice(text: str, replacements: Sequence[Replacement]) -> str:
    """The text with replacements carried out; they are in order and don't overlap."""
    pieces: list[str] = []
    done = 0
    for item in replacements:
        pieces += (text[done : item.start], item.text)
        done = item.end
    return "".join((*pieces, text[done:]))


def _remove_last(text: str, path: Sequence[str]) -> tuple[Replacement, ...]:
    if is_blank(text):
        return ()
    chain = _containers(text, path)
    member = chain[-1].last(path[-1]) if len(chain) == len(path) else None
    return () if member is None else jsonlayout.remove(text, chain[-1], member)


def _difference(text: str, result: str) -> Replacement:
    """One replacement that makes `result`, from the first difference to the last."""
    shorter = min(len(text), len(result))
    head = next((i for i in range(shorter) if text[i] != result[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if text[-1 - i] != result[-1 - i]), rest)
    return Replacement(head, len(text) - tail, result[head : len(result) - tail])


def _containers(text: str, path: Sequence[str]) -> list[Node]:
    """The objects on the way, root first; shorter than `path` where the next one is missing."""
    if not path:
        raise ValueError("a path has at least one key")
    node = parse(text)
    chain = [_as_object(text, node, ())]
    for depth, key in enumerate(path[:-1], 1):
        member = chain[-1].last(key)
        if member is None:
            break
        chain.append(_as_object(text, member.node, path[:depth]))
    return chain


def _as_object(text: str, node: Node, path: Sequence[str]) -> Node:
    if node.kind == "object":
        return node
    where = f"'{'.'.join(path)}'" if path else "the file"
    found = text[node.start : node.end]
    short = found if len(found) <= 20 else found[:17] + "..."
    line, column = position(text, node.start)
    raise JsonShapeError(
        f"{where} must be an object in braces, but is {short}",
        line=line,
        column=column,
        fix="make it {} (or put right what it was meant to be), then run the command again",
    )


def _nested(path: Sequence[str], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _same(found: object, wanted: object) -> bool:
    """Equal as JSON: true is not 1. Recursion follows `wanted`, which is ours and shallow."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(_same(found[k], wanted[k]) for k in wanted)
    if isinstance(found, list) and isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    return found == wanted
