"""The static claim: which event names are in the schema that a release ships."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from imprint.observe.judged import Judged, SessionsByName, unjudged
from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scene import BOGUS_EVENT, Scene
from imprint.sandbox.release import Release
from imprint.sandbox.session import SessionResult, SessionSpec, run_command

_NAME = Path("schemas", "api.schema.json")


class _Definition(msgspec.Struct, frozen=True):
    enum: tuple[str, ...] = ()


class _Schema(msgspec.Struct, frozen=True):
    definitions: dict[str, Any] = {}
    session: Any = None


def _look(spec: SessionSpec) -> SessionResult:
    """Let the release say its version, which unpacks it, and read its schema."""
    result = run_command(replace(spec, arguments=("--version",)))
    text = next((path.read_text(encoding="utf-8") for path in _schemas(spec)), "")
    return replace(result, stdout=text)


def _schemas(spec: SessionSpec) -> Iterator[Path]:
    """Where it can be: in the package, else in what the executable has unpacked of itself."""
    release = spec.release
    for folder in (release.folder, release.folder / "package"):
        yield from _existing(folder / _NAME)
    for place in (release.unpacked, spec.scratch.copilot_cache):
        if place is not None:
            yield from _unpacked(place, release)


def _unpacked(place: Path, release: Release) -> Iterator[Path]:
    for folder in sorted(place.glob(f"pkg/*/{release.version}")):
        yield from _existing(folder / _NAME)


def _existing(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path


def _nothing(_: Scene) -> None:
    """No file of the home is read."""


PACKAGE = Scenario(
    "hook_files.package",
    _nothing,
    lambda _: (),
    drive=_look,
    tolerates=frozenset({Useless.MODEL_NOT_ASKED}),
)


def names(sessions: SessionsByName) -> Judged:
    """The enum `HookType` of the schema; one without it says nothing of hooks."""
    text = sessions[PACKAGE.name].result.stdout
    if not text:
        return unjudged("no-schema")
    try:
        schema = msgspec.json.decode(text, type=_Schema)
        hooks = msgspec.convert(schema.definitions.get("HookType", {}), _Definition).enum
    except msgspec.ValidationError:
        return unjudged("schema-not-understood")
    found = list(hooks) or ["no-substrate"]
    return Judged(
        found,
        {"names": json.dumps(found)},
        positive=schema.session is not None,
        negative=BOGUS_EVENT not in found,
    )
