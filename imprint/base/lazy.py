"""A room's public names, imported when they are asked for.

A command should not wait for what it does not use: doctor reads a few small files and needs
neither the importer nor the search of the rooms whose checks it runs.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence


def names_of(room: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The `__getattr__` of a package `room` whose `modules` hold these public names."""
    places = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{room}.{places[name]}"), name)

    return find
