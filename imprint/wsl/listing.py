"""`imprint wsl list`: every distribution and client, and what is set up where."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from imprint.wsl.distributions import Distribution
from imprint.wsl.profile import Profile


class RowState(StrEnum):
    """How a distribution stands to this Imprint; `gone` is set up and not there any more."""

    SET_UP = "set-up"
    NOT_SET_UP = "not-set-up"
    GONE = "gone"


class Row(msgspec.Struct, frozen=True):
    """One distribution and client: `data.distributions[]`.

    `running` is Windows' own word for the distribution's state, in its language; `home` is the
    Copilot home as the distribution names it. Empty where nothing is known: listing starts
    no distribution.
    """

    distribution: str
    client: str
    state: RowState
    default: bool = False
    running: str = ""
    wsl_version: int = 0
    home: str = ""
    user: str = ""


def rows_of(distributions: Iterable[Distribution], profiles: Iterable[Profile]) -> tuple[Row, ...]:
    """The rows in Windows' order; what is gone comes last."""
    return tuple(_rows(tuple(distributions), tuple(profiles)))


def _rows(distributions: tuple[Distribution, ...], profiles: tuple[Profile, ...]) -> Iterator[Row]:
    for item in distributions:
        facts = (item.is_default, item.state, item.version)
        found = [one for one in profiles if one.distribution.lower() == item.name.lower()]
        for one in found:
            yield Row(item.name, one.client, RowState.SET_UP, *facts, one.home, one.user)
        if not found:
            yield Row(item.name, "copilot", RowState.NOT_SET_UP, *facts)
    names = {item.name.lower() for item in distributions}
    for one in profiles:
        if one.distribution.lower() not in names:
            yield Row(one.distribution, one.client, RowState.GONE, home=one.home, user=one.user)
