"""Command lines for the two shells that Copilot runs hooks in: a POSIX shell and PowerShell.

A line holds one program and its arguments, each quoted as data: no operators, no variables, no
wildcards. What a shell cannot be given unharmed is refused rather than written down.
"""

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath, PureWindowsPath

from imprint.base.errors import RefusedError

# PowerShell takes each of these for an apostrophe, at both ends of a string.
_POWERSHELL_QUOTES = "'\u2018\u2019\u201a\u201b"

_POWERSHELL_DOUBLED = str.maketrans({quote: quote * 2 for quote in _POWERSHELL_QUOTES})
_POWERSHELL_WORD = re.compile(
    f"'(?:[^{_POWERSHELL_QUOTES}]|([{_POWERSHELL_QUOTES}])\\1)*'(?![{_POWERSHELL_QUOTES}])"
)


class UnquotableError(RefusedError):
    """A path that no command line can carry safely."""

    code = "unquotable-path"


def posix_line(argv: Sequence[str]) -> str:
    """The line that a POSIX shell (`sh`, `bash`) reads back as exactly `argv`.

    Raises UnquotableError for a program without absolute path, line breaks and NUL, and text
    that UTF-8 (hence JSON) cannot hold.
    """
    _check(argv)
    if not PurePosixPath(argv[0]).is_absolute():
        raise _not_absolute(argv[0])
    return shlex.join(argv)


def powershell_line(argv: Sequence[str]) -> str:
    """The line that PowerShell reads back as exactly `argv`, by its call operator.

    Every word is a single-quoted string, in which only quotes have a meaning. Windows PowerShell
    passes neither empty arguments nor double quotes on, nor a backslash at the end of a word
    with spaces: these are refused as well.
    """
    _check(argv)
    program = PureWindowsPath(argv[0])
    if not program.is_absolute():
        raise _not_absolute(argv[0])
    for word in argv:
        _check_for_powershell(word)
    return "& " + " ".join(f"'{word.translate(_POWERSHELL_DOUBLED)}'" for word in argv)


def split_line(line: str) -> tuple[str, ...] | None:
    """The words of a line that this module wrote, for either shell; None for any other line."""
    if line.startswith("& "):
        found = _POWERSHELL_WORD.finditer(line)
        words = tuple(_undouble(match[0][1:-1]) for match in found)
        render: Callable[[Sequence[str]], str] = powershell_line
    else:
        try:
            words = tuple(shlex.split(line))
        except ValueError:
            return None
        render = posix_line
    try:
        return words if render(words) == line else None
    except UnquotableError:
        return None


def _undouble(text: str) -> str:
    for quote in _POWERSHELL_QUOTES:
        text = text.replace(quote * 2, quote)
    return text


def _check(argv: Sequence[str]) -> None:
    if not argv:
        raise UnquotableError("a command line needs a program")
    for word in argv:
        if any(character in word for character in "\n\r\0"):
            raise UnquotableError(
                f"{word!r} holds a line break or NUL, which no command line can carry",
                fix="install Imprint, and keep its home, in a folder with an ordinary name",
            )
        try:
            word.encode("utf-8")
        except UnicodeEncodeError as error:
            raise UnquotableError(
                f"{word!r} is not valid text, so it cannot be written into a JSON file",
                fix="install Imprint, and keep its home, in a folder whose name is valid UTF-8",
            ) from error


def _check_for_powershell(word: str) -> None:
    trailing = word.endswith("\\") and any(character.isspace() for character in word)
    if not word or '"' in word or trailing:
        raise UnquotableError(
            f"Windows PowerShell would not pass {word!r} on unchanged",
            fix="use a folder whose path has no double quote and is not a bare share name",
        )


def _not_absolute(program: str) -> UnquotableError:
    return UnquotableError(
        f"{program!r} is not an absolute path; a hook runs in whatever folder Copilot is in",
        fix="run Imprint through its installed command",
    )
