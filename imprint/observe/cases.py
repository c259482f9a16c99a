"""Hooks that answer one way or another, by what they are given or how often they ran."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from imprint.observe.scene import Entry, Scene


@dataclass(frozen=True, slots=True)
class Case:
    """What a hook does when stdin holds `needle`, or in its run number `run` (from 0).

    It waits `seconds`, answers on stdout, says `error` on stderr and exits with `code`.
    """

    name: str
    needle: str = ""
    run: int | None = None
    answer: str = "{}"
    error: str = ""
    code: int = 0
    seconds: float = 0


def write_cases(scene: Scene, label: str, cases: Iterable[Case]) -> str:
    """The answer that makes a recorder take the first case that fits, else answer `{}`."""
    path = scene.root / f"{label}.cases.json"
    path.write_text(json.dumps([asdict(case) for case in cases]), encoding="utf-8")
    return f"@{path}"


def case_hook(scene: Scene, label: str, cases: Iterable[Case]) -> Entry:
    """A recording hook that takes one of these cases."""
    return scene.hook(label, answer=write_cases(scene, label, cases))
