"""How commands open the memory: a reader without a store reads an empty one."""

import contextlib
from collections.abc import Iterator

from imprint.base.paths import Environment
from imprint.memory import Memory, StoreMissing

NOTHING_YET = "nothing was learned yet: `imprint setup`, or `imprint learn` for what is there"


@contextlib.contextmanager
def reading(environment: Environment) -> Iterator[Memory | None]:
    """The store, or None where there is none yet."""
    try:
        memory = Memory.open(environment.layout().store, create=False)
    except StoreMissing:
        yield None
        return
    with memory:
        yield memory


def writing(environment: Environment) -> Memory:
    """The store, made where there is none; a context manager."""
    return Memory.open(environment.layout().store)
