"""Runs as a driver: types into Copilot's terminal UI, as a person at a keyboard does.

It looks at the screen alone. Every dialog is answered with its first choice: yes.
"""

import re
import time
from collections.abc import Callable

import pexpect

from imprint.sandbox.drivers.order import Deadline, Exchange, Order, Report, StuckError, run
from imprint.sandbox.drivers.screen import COLUMNS, ROWS, Screen

_POINTER = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
_DIALOG = re.compile(rf"{_POINTER}\s*1\. ")
_TRUST = re.compile(r"trust the files|folder trust", re.IGNORECASE)
_INPUT = re.compile(rf"^\W*{_POINTER}(?!\s*\d\.)", re.MULTILINE)
_BUSY = re.compile(r"\besc\b[^\n]{0,12}\bcancel", re.IGNORECASE)

_LOOK_SECONDS = 0.05
_STILL_SECONDS = 0.7
"""A screen that shows no change for so long waits for its user: a busy one has a spinner."""

_AGAIN_SECONDS = 4.0
"""A key that is pressed before a dialog listens is lost; a person presses it again."""

_PATIENCE_SECONDS = 120.0
"""So long nothing but the spinner moves where a release will never answer without an account."""


class Terminal:
    """A Copilot on a pseudo terminal."""

    def __init__(self, order: Order) -> None:
        self._deadline = Deadline(order.seconds)
        self._screen = Screen()
        self._changed = self._went_on = time.monotonic()
        self._ended = False
        self.questions = 0
        self.trust_questions = 0
        program, *arguments = order.command
        self._child: pexpect.spawn[bytes] = pexpect.spawn(
            program, arguments, cwd=order.directory, dimensions=(ROWS, COLUMNS), timeout=None
        )

    @property
    def text(self) -> str:
        """What it shows."""
        return self._screen.text

    def say(self, exchange: Exchange) -> None:
        """Type a prompt, and wait for the end of the answer."""
        self.wait("the input line", self._is_idle)
        self._enter(exchange.prompt)
        self.wait("the answer", lambda: exchange.answer in self.text and self._is_idle())

    def leave(self) -> int:
        """`/exit`; the exit code."""
        self.wait("the input line", self._is_idle)
        self._enter("/exit")
        self.wait("the end", lambda: self._ended)
        return self.close()

    def close(self) -> int:
        """End it, if it has not ended; its exit code, negative for a signal."""
        self._child.close(force=True)
        if self._child.exitstatus is not None:
            return self._child.exitstatus
        return -(self._child.signalstatus or 0)

    def wait(self, what: str, holds: Callable[[], bool]) -> None:
        """Look at the screen until something holds, answering dialogs; else `StuckError`."""
        while not holds():
            if self._ended or not self._deadline.left or self._is_frozen:
                raise StuckError(what)
            self._look()
            self._answer_dialog()

    def _enter(self, line: str) -> None:
        self._child.send(line)
        self.wait(f"{line!r} to be shown", lambda: self._input.startswith(line))
        self._child.send("\r")

    def _answer_dialog(self) -> None:
        """The first choice, once the dialog is drawn to its end; again where no one listened."""
        asked = _choices(self.text)
        if not self._is_still or not asked:
            return
        if _TRUST.search(self.text):
            self.trust_questions += 1
        else:
            self.questions += 1
        while _choices(self.text) == asked:
            self._child.send("\r")
            again = Deadline(min(_AGAIN_SECONDS, self._deadline.left))
            while _choices(self.text) == asked and again.left and not self._ended:
                self._look()
            if self._ended or not self._deadline.left:
                raise StuckError("a dialog to close")

    @property
    def _input(self) -> str:
        """What stands in the input line; the last one that looks like it."""
        lines = [line for line in self.text.splitlines() if _INPUT.match(line)]
        return lines[-1].partition(_POINTER)[2].strip() if lines else ""

    def _is_idle(self) -> bool:
        text = self.text
        return self._is_still and bool(_INPUT.search(text)) and not _BUSY.search(text)

    @property
    def _is_frozen(self) -> bool:
        return time.monotonic() - self._went_on >= _PATIENCE_SECONDS

    @property
    def _is_still(self) -> bool:
        return time.monotonic() - self._changed >= _STILL_SECONDS

    def _look(self) -> None:
        try:
            data = self._child.read_nonblocking(65536, _LOOK_SECONDS)
        except pexpect.TIMEOUT:
            return
        except pexpect.EOF:
            self._ended = True
            return
        before = self.text
        self._screen.feed(data)
        if self.text != before:
            self._changed = time.monotonic()
        if _without_spinner(self.text) != _without_spinner(before):
            self._went_on = time.monotonic()


def _without_spinner(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not _BUSY.search(line))


def _choices(text: str) -> str:
    """The dialog that the screen shows, if it shows one: the lines in its frame, if it has one."""
    if not _DIALOG.search(text):
        return ""
    return "\n".join(line for line in text.splitlines() if line.lstrip().startswith("│")) or text


def drive(order: Order) -> Report:
    """The whole conversation."""
    terminal = Terminal(order)
    stuck = ""
    try:
        for exchange in order.talk:
            terminal.say(exchange)
        exit_code = terminal.leave()
    except StuckError as error:
        stuck = str(error)
        exit_code = terminal.close()
    return Report(
        exit_code=exit_code,
        stuck=stuck,
        questions=terminal.questions,
        trust_questions=terminal.trust_questions,
        screen=terminal.text,
    )


if __name__ == "__main__":
    run(drive)
