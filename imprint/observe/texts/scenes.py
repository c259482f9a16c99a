"""Scenarios: every instructions file that a release might read, each with a word of its own."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from imprint.observe.putting import make_repository, put, put_bogus_hook, says
from imprint.observe.scenario import Scenario, Useless
from imprint.observe.scene import Scene
from imprint.observe.servers.forms import write_form

PROJECT_FILES = ("CLAUDE.md", "GEMINI.md", "AGENTS.md", ".github/copilot-instructions.md")

EXTRA_FILES: Mapping[str, str] = MappingProxyType(
    {
        "AGENTS.md": "AGENTS.md",
        ".github/copilot-instructions.md": ".github/copilot-instructions.md",
        ".github/instructions": ".github/instructions/extra.instructions.md",
    }
)
"""By its name in the claim, a file in a further directory."""

SCOPED: Mapping[str, str] = MappingProxyType(
    {
        "with_apply_to": "---\napplyTo: '**/*.py'\n---\n",
        "apply_to_all": "---\napplyTo: '**'\n---\n",
        "without_apply_to": "",
    }
)
"""How a file in the home's `instructions` begins."""

SIZES: Mapping[str, int] = MappingProxyType(
    {name: int(name) * 1000 for name in ("30", "100", "300", "1000")}
)
"""Bytes of a file, by the end of its scenario's name."""

LISTED_LINES = 20
"""A list of files may show how they begin; the word is behind that."""


def scoped_name(kind: str) -> str:
    """Of a file in the home's `instructions`."""
    return f"{kind.replace('_', '-')}.instructions.md"


def _extra(scene: Scene) -> Path:
    return scene.root / "extra"


def _arrange_all(scene: Scene) -> None:
    _write_home(scene)
    make_repository(scene.work)
    for name in PROJECT_FILES:
        put(scene.work / name, _text(scene, name) + "\n@imported.md\n")
    put(scene.work / "imported.md", _text(scene, "imported-by-project"))
    for key, name in EXTRA_FILES.items():
        head = SCOPED["apply_to_all"] if "/instructions/" in name else ""
        put(_extra(scene) / name, head + _text(scene, f"extra/{key}"))
    put(scene.root / "elsewhere" / "AGENTS.md", _text(scene, "elsewhere"))
    put_bogus_hook(scene)


def _write_home(scene: Scene) -> None:
    comment = f"<!-- {scene.word('comment')} -->\n"
    home = f"{_text(scene, 'home')}\n{comment}\n@imported.md\n"
    scene.write("copilot-instructions.md", home)
    scene.write("imported.md", _text(scene, "imported-by-home"))
    for kind, head in SCOPED.items():
        lines = "".join(f"Line {number} of many.\n\n" for number in range(LISTED_LINES))
        text = f"{head}# Of the probe\n\n{lines}{_text(scene, kind)}"
        scene.write(f"instructions/deep/{scoped_name(kind)}", text)


def _text(scene: Scene, key: str) -> str:
    return f"The word of this file is {scene.word(key)}.\n"


def _directories(scene: Scene) -> Mapping[str, str]:
    return {"COPILOT_CUSTOM_INSTRUCTIONS_DIRS": str(_extra(scene))}


def _with_form(arrange: Callable[[Scene], None], form: str) -> Callable[[Scene], None]:
    """A home with an `mcp-config.json` of some form besides."""

    def both(scene: Scene) -> None:
        arrange(scene)
        write_form(scene, form)

    return both


def size_scenario(size: str) -> str:
    """The scenario of a size."""
    return f"texts.size-{size}"


def sized_text(scene: Scene, size: int) -> str:
    """So many bytes of ordinary lines, a word at the begin and one at the end."""
    first, last = f"{scene.word('first')}\n\n", f"\n{scene.word('last')}\n"
    line = "Keep every function small and say why it is there.\n"
    room = size - len(first) - len(last)
    return f"{first}{(line * (room // len(line) + 1))[:room]}{last}"


def _sized(size: str) -> Scenario:
    def arrange(scene: Scene) -> None:
        scene.write("copilot-instructions.md", sized_text(scene, SIZES[size]))
        put_bogus_hook(scene)

    return Scenario(
        size_scenario(size),
        arrange,
        says,
        tolerates=frozenset({Useless.EXIT_CODE, Useless.MODEL_NOT_ASKED}),
    )


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("texts.all", _with_form(_arrange_all, "comment"), says, environment=_directories),
    Scenario(
        "texts.off",
        _with_form(_arrange_all, "trailing_comma"),
        says,
        arguments=lambda _: ("--no-custom-instructions",),
        environment=_directories,
    ),
    *(_sized(size) for size in SIZES),
)
