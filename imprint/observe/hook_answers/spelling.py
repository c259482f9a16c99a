"""What events are called in each spelling, and hooks files in it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from imprint.observe.scenarios import CAMEL_EVENTS, PASCAL_EVENTS
from imprint.observe.scene import BOGUS_EVENT, Entry, Scene

SPELLINGS = ("camel", "pascal")

_PASCAL = MappingProxyType(dict(zip(CAMEL_EVENTS, PASCAL_EVENTS, strict=True)))


def spelled(event: str, spelling: str) -> str:
    """An event, given by its camelCase name, as the spelling has it."""
    return _PASCAL[event] if spelling == "pascal" else event


def write_spelled(scene: Scene, spelling: str, hooks: Mapping[str, Sequence[Entry]]) -> None:
    """A hooks file with these events, by their camelCase names, and one that nobody knows."""
    named = {spelled(event, spelling): entries for event, entries in hooks.items()}
    scene.write_hooks(f"hooks/{spelling}.json", {**named, BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]})
