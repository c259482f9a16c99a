"""The files that setup wrote, in a scratch home with a scratch memory: do they work there?

Copies: what names the memory names the scratch one instead. Nothing of the user's own servers,
hooks or instructions is taken along.
"""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from imprint.base.paths import Layout, make_private
from imprint.copilot import instructions
from imprint.copilot.commandline import posix_line, powershell_line, split_line
from imprint.copilot.mcp_entry import SERVER
from imprint.hook_entry import FORMAT_VERSION, GLOBAL_DIGEST, SPOOL_SUFFIX
from imprint.memory import Memory, StoreError
from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scene import Scene
from imprint.observe.sessions import Seen
from imprint.sandbox.script import CallTool, Say, Turn, tool_ending

NAME = "rehearsal"
LEARN_SECONDS = 5.0
"""How long an importer may take that a Stop hook started."""

_POLL_SECONDS = 0.02
_LINE_KEYS = ("bash", "powershell", "command")


@dataclass(frozen=True, slots=True)
class Installed:
    """What lies in the home: the entry, the parsed hooks file, and whether the block is there."""

    entry: Mapping[str, object]
    hooks: object
    block: bool


@dataclass(frozen=True, slots=True)
class Promise:
    """One thing that the files are for, and whether it was kept."""

    what: str
    kept: bool


def rehearsal(installed: Installed) -> Scenario:
    """One session with the files that are installed."""

    def arrange(scene: Scene) -> None:
        store = _store(scene)
        if installed.entry:
            entry = {**installed.entry, "env": {"IMPRINT_HOME": str(store)}}
            scene.write("mcp-config.json", json.dumps({"mcpServers": {SERVER: entry}}))
        if installed.block:
            scene.write("copilot-instructions.md", instructions.with_block(""))
        scene.write("hooks/imprint.json", json.dumps(_with_store(installed.hooks, str(store))))

    # A server that does not come is what is to be seen here, no mishap of the run.
    tolerated = frozenset({Useless.MODEL_NOT_ASKED, Useless.EXIT_CODE})
    return Scenario(NAME, arrange, _turns, tolerates=tolerated)


def promises(installed: Installed, seen: Seen) -> Iterator[Promise]:
    """What is to be seen of each file; waits for the importer, a few seconds at most.

    Nothing of a session that never asked the model.
    """
    words, requests = seen.words, seen.result.model_requests
    if not requests:
        return
    if installed.hooks:
        yield Promise("context", seen.reached_model(words.context))
    if installed.hooks and not any(one.missing_tools for one in requests):
        yield Promise("learn", _is_learned(seen.scene, words.answer))
    if installed.entry:
        answers = [text for one in requests for role, text in one.messages if role == "tool"]
        yield Promise("recall", any(words.second in text for text in answers))
    if installed.block:
        line = instructions.BODY.splitlines()[0]
        yield Promise("block", any(one.contains(line) for one in requests))


def _turns(scene: Scene) -> tuple[Turn, ...]:
    recall = CallTool(tool_ending("recall"), {"query": "walrus"})
    return recall, Say(f"Done: {scene.words.answer}")


def _layout(scene: Scene) -> Layout:
    return Layout(scene.root / "imprint")


def _store(scene: Scene) -> Path:
    """A memory that holds one note, and a digest that holds another word."""
    layout = _layout(scene)
    make_private(layout.root)
    with Memory.open(layout.store) as memory:
        memory.remember(f"The walrus is called {scene.words.second}.")
    make_private(layout.digests)
    digest = {"version": FORMAT_VERSION, "directory": "", "text": f"Told: {scene.words.context}"}
    (layout.digests / GLOBAL_DIGEST).write_bytes(msgspec.json.encode(digest))
    return layout.root


def _with_store(value: object, store: str) -> object:
    """The hooks file with every line of ours at another store; lines of others are left out."""
    if not isinstance(value, dict) or not isinstance(value.get("hooks"), dict):
        return {}
    hooks = {
        event: [_handler(one, store) for one in handlers if isinstance(one, dict)]
        for event, handlers in value["hooks"].items()
        if isinstance(handlers, list)
    }
    return {
        **value,
        "hooks": {event: [one for one in all_ if one] for event, all_ in hooks.items()},
    }


def _handler(handler: Mapping[str, object], store: str) -> dict[str, object]:
    key = next((name for name in _LINE_KEYS if isinstance(handler.get(name), str)), None)
    line = str(handler[key]) if key else ""
    words = split_line(line)
    if key is None or words is None or "--store" not in words:
        return {}
    quote = powershell_line if line.startswith("& ") else posix_line
    return {**handler, key: quote((*words[:-1], store))}


def _is_learned(scene: Scene, word: str) -> bool:
    """Whether the Stop hook's importer put the last answer into the scratch memory."""
    layout = _layout(scene)
    deadline = time.monotonic() + LEARN_SECONDS
    while True:
        waits = layout.spool.is_dir() and any(layout.spool.glob(f"*{SPOOL_SUFFIX}"))
        if not waits and _holds(layout.store, word):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)


def _holds(store: Path, word: str) -> bool:
    try:
        with Memory.open(store, create=False) as memory:
            return bool(memory.search(word))
    except StoreError:
        return False  # being written
