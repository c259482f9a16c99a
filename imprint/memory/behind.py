"""One thing done in a thread while its caller goes on."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for


class Behind:
    """Runs one piece of work at a time; the thread starts with the first.

    What the work uses belongs to it until `wait()` or `give_up()` came back.
    """

    def __init__(self) -> None:
        self._executor: ThreadPoolExecutor | None = None
        self._running: Future[None] | None = None

    def start(self, work: Callable[[], None]) -> None:
        """Begin, once what was begun before has ended; raises what that raised."""
        self.wait()
        if self._executor is None:
            self._executor = ThreadPoolExecutor(1, thread_name_prefix="imprint-memory")
        self._running = self._executor.submit(work)

    def wait(self) -> None:
        """Let what was begun come to its end; raises what it raised, once."""
        if (running := self._running) is not None:
            wait_for([running])  # whoever interrupts this has not waited, and can wait again
            self._running = None
            running.result()

    def give_up(self) -> None:
        """The same, for a caller who has failed already: whatever it raised does not matter."""
        if (running := self._running) is not None:
            wait_for([running])
            self._running = None

    def close(self) -> None:
        """End the thread."""
        self.give_up()
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None
