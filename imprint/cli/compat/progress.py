"""How a long command says how far it is: a bar on a terminal, plain lines elsewhere."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

_CLEAR = "\r\x1b[K"
_BAR = 24


@dataclass(slots=True)
class Progress:
    """Of `total` steps; `clock` counts seconds.

    Lines go through `say`. The bar goes to `terminal`, if there is one, below the lines.
    """

    total: int
    say: Callable[[str], None]
    clock: Callable[[], float]
    terminal: TextIO | None = None
    _done: int = 0
    _failed: int = 0
    _running: list[str] = field(default_factory=list)
    _began: float = 0.0

    def __post_init__(self) -> None:
        self._began = self.clock()

    def start(self, name: str) -> None:
        """A step begins."""
        self._running.append(name)
        self._draw()

    def end(self, name: str, said: str, *, is_failure: bool) -> None:
        """A step is over; on a terminal only failures need a line."""
        if name in self._running:
            self._running.remove(name)
        self._done += 1
        self._failed += is_failure
        if self.terminal is None or is_failure:
            self._line(f"[{self._done}/{self.total}] {name}: {said}")
        self._draw()

    def close(self) -> None:
        """Take the bar away."""
        if self.terminal is not None:
            self.terminal.write(_CLEAR)
            self.terminal.flush()

    def bar(self) -> str:
        """The bar as text."""
        filled = _BAR * self._done // max(1, self.total)
        parts = [f"[{'#' * filled}{'.' * (_BAR - filled)}] {self._done}/{self.total}"]
        if self._failed:
            parts.append(f"{self._failed} failed")
        if self._done:
            left = (self.clock() - self._began) / self._done * (self.total - self._done)
            parts.append(f"about {duration(left)} left")
        parts.extend(self._running)
        return "  ".join(parts)

    def _line(self, text: str) -> None:
        self.close()
        self.say(text)

    def _draw(self) -> None:
        if self.terminal is not None:
            columns = shutil.get_terminal_size((100, 24)).columns
            self.terminal.write(f"{_CLEAR}{self.bar()[: columns - 1]}")
            self.terminal.flush()


def duration(seconds: float) -> str:
    """`40 s`, `12 min`, `3 h 20 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
