"""What a driver is told, and what it says in the end."""

import sys
import time
from collections.abc import Callable

import msgspec


class Exchange(msgspec.Struct, frozen=True):
    """A prompt, and the text that the answer to it ends with."""

    prompt: str
    answer: str


class Order(msgspec.Struct, frozen=True):
    """Start `command` in `directory`, hold the conversation, end; all of it within `seconds`.

    `discover` asks an SDK server for what it finds in the Copilot home, beyond its default.
    """

    command: tuple[str, ...]
    directory: str
    talk: tuple[Exchange, ...]
    seconds: float
    base_url: str = ""
    model: str = ""
    discover: bool = False


class Report(msgspec.Struct, frozen=True):
    """What happened.

    `stuck` is what was waited for in vain (empty: it went to its end), `refused` what Copilot said
    when it would not serve at all. `chosen_id` is the session id that the driver asked for;
    `questions` how often it was asked for permission; `trust_questions` whether the folder is to
    be trusted. `screen` is the last thing that a terminal showed.
    """

    exit_code: int = 0
    stuck: str = ""
    refused: str = ""
    chosen_id: str = ""
    questions: int = 0
    trust_questions: int = 0
    screen: str = ""


class RefusedError(Exception):
    """Copilot answered with an error."""


class StuckError(Exception):
    """What was waited for did not come before the deadline, or Copilot has gone."""


class Deadline:
    """A point in time that does not move."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until then; never negative."""
        return max(0.0, self._end - time.monotonic())


def run(drive: Callable[[Order], Report]) -> None:
    """The `main` of a driver."""
    order = msgspec.json.decode(sys.argv[1], type=Order)
    sys.stdout.buffer.write(msgspec.json.encode(drive(order)))
