"""Time and waiting, passed in so that tests need not wait."""

import time
from typing import Protocol


class Clock(Protocol):
    """Seconds, and a way to let them pass."""

    def now(self) -> float:
        """Wall clock, seconds since 1970; can jump."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back."""
        ...

    def wait(self, seconds: float) -> None:
        """Let others work."""
        ...


class SystemClock:
    """The machine's own."""

    def now(self) -> float:
        """Wall clock."""
        return time.time()

    def monotonic(self) -> float:
        """Steady clock."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)
