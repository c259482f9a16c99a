"""What a terminal shows, out of the bytes that a program writes to it."""

import re

import pyte

COLUMNS, ROWS = 120, 50

_PRIVATE = re.compile(rb"\x1b\[[<=>?][0-9;:]*[ -/]*[@-~]|\x1b[P_^].*?\x1b\\", re.DOTALL)
"""Questions about the keyboard, mouse modes and the like: pyte takes some of them for text, and
stumbles over others. None of them changes what is to be read."""

_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[P_^].{0,4096})?$", re.DOTALL)


class Screen:
    """A terminal's screen as text."""

    def __init__(self) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._rest = b""
        self._text = ""

    def feed(self, data: bytes) -> None:
        """More output, cut anywhere."""
        data = _PRIVATE.sub(b"", self._rest + data)
        unfinished = _UNFINISHED.search(data)
        end = unfinished.start() if unfinished else len(data)
        self._rest = data[end:]
        self._stream.feed(data[:end])
        lines = (line.rstrip() for line in self._screen.display)
        self._text = "\n".join(line for line in lines if line)

    @property
    def text(self) -> str:
        """Its lines, without the blanks behind them and without empty ones."""
        return self._text
