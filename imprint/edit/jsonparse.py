"""A parser for JSON with comments and trailing commas that remembers where everything is.

Without recursion: the depth of a user's file is not ours to limit. As JSON.parse reads it
otherwise: the last of several equal keys counts; control characters in strings, NaN, single
quotes and unquoted keys are errors.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Literal

from imprint.edit.errors import JsonSyntaxError
from imprint.edit.textfile import position

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"true|false|null")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
# Python refuses to convert longer ones; JSON.parse makes a float of anything over 2^53.
_LONGEST_INT = 4000
_FIX = "correct the file there, then run the command again"


@dataclass(frozen=True, slots=True)
class Node:
    """A value in the text: `text[start:end]`; `members` in order, duplicates included."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    value: object
    members: tuple["Member", ...] = ()

    def last(self, key: str) -> "Member | None":
        """The member that counts: the last one with this key."""
        return next((item for item in reversed(self.members) if item.key == key), None)


@dataclass(frozen=True, slots=True)
class Member:
    """`"key": value` in an object; `comma` is the offset of the comma behind it, or None."""

    key: str
    key_start: int
    key_end: int
    node: Node
    comma: int | None


@dataclass(slots=True)
class _Open:
    """A container whose end was not seen yet; `key` is that of the value being read."""

    start: int
    is_object: bool
    nodes: list[Node] = field(default_factory=list)
    keys: list[tuple[str, int, int]] = field(default_factory=list)
    commas: list[int | None] = field(default_factory=list)

    @property
    def closer(self) -> str:
        return "}" if self.is_object else "]"

    def close(self, end: int) -> Node:
        if not self.is_object:
            return Node("array", self.start, end, [node.value for node in self.nodes])
        members = tuple(
            Member(*key, node, comma)
            for key, node, comma in zip(self.keys, self.nodes, self.commas, strict=True)
        )
        value = {member.key: member.node.value for member in members}
        return Node("object", self.start, end, value, members)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.stack: list[_Open] = []

    def run(self) -> Node:
        node = self._begin_value()
        while node is None or self.stack:
            if node is not None:
                self.stack[-1].nodes.append(node)
                self._after_value(self.stack[-1])
            node = self._next(self.stack[-1])
        if self._peek():
            raise self._error("something follows after the end of the value")
        return node

    def _error(self, reason: str) -> JsonSyntaxError:
        return syntax_error(self.text, self.at, reason)

    def _peek(self) -> str:
        """The next character that is neither white space nor comment; "" at the end."""
        found = _TRIVIA.match(self.text, self.at)
        self.at = found.end() if found else self.at
        if self.text.startswith("/*", self.at):
            raise self._error("this comment has no end")
        return self.text[self.at : self.at + 1]

    def _begin_value(self) -> Node | None:
        """A scalar; or None when a container was opened."""
        char = self._peek()
        if char in ("{", "["):
            self.stack.append(_Open(self.at, char == "{"))
            self.at += 1
            return None
        start = self.at
        value = self._string() if char == '"' else self._number_or_word()
        return Node("scalar", start, self.at, value)

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self._error(
                "this string has no end, or holds a wrong escape or control character"
            )
        self.at = found.end()
        return str(json.loads(found.group()))

    def _number_or_word(self) -> object:
        if found := _WORD.match(self.text, self.at):
            self.at = found.end()
            return _WORDS[found.group()]
        if found := _NUMBER.match(self.text, self.at):
            self.at = found.end()
            digits = found.group()
            is_int = not found.group(1) and not found.group(2) and len(digits) <= _LONGEST_INT
            return int(digits) if is_int else float(digits)
        if self.at == len(self.text):
            raise self._error("a value is missing: the file ends here")
        raise self._error(f"a value is expected here, not {self.text[self.at]!r}")

    def _after_value(self, container: _Open) -> None:
        char = self._peek()
        if char == ",":
            container.commas.append(self.at)
            self.at += 1
        elif char == container.closer:
            container.commas.append(None)
        elif char:
            raise self._error(f"a comma or '{container.closer}' is expected here, not {char!r}")
        else:
            raise self._error(f"'{container.closer}' is missing: the file ends here")

    def _next(self, container: _Open) -> Node | None:
        """The container itself when it ends here; else the next value in it, as it begins."""
        char = self._peek()
        if char == container.closer:
            self.at += 1
            return self.stack.pop().close(self.at)
        if container.is_object:
            self._key(container, char)
        return self._begin_value()

    def _key(self, container: _Open, char: str) -> None:
        if char != '"':
            what = f"not {char!r}" if char else "but the file ends"
            raise self._error(f"a name in double quotes or '}}' is expected here, {what}")
        start = self.at
        container.keys.append((self._string(), start, self.at))
        if self._peek() != ":":
            raise self._error("a colon is expected here")
        self.at += 1


def syntax_error(text: str, offset: int, reason: str) -> JsonSyntaxError:
    """The error for a place in the text."""
    line, column = position(text, offset)
    return JsonSyntaxError(reason, line=line, column=column, fix=_FIX)


def parse(text: str) -> Node:
    """The root value of a document; JsonSyntaxError with the place of the first error."""
    return _Parser(text).run()
