"""Files that several areas put into a scene."""

from pathlib import Path

from imprint.observe.scene import BOGUS_EVENT, Scene
from imprint.sandbox.script import Say, Turn


def put(path: Path, text: str) -> None:
    """A file, and the folders that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def put_bogus_hook(scene: Scene) -> None:
    """The hook that must never run."""
    scene.write_hooks("hooks/bogus.json", {BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]})


def make_repository(folder: Path) -> None:
    """A repository as far as a look at its files can tell; no git is needed."""
    for name in ("objects", "refs"):
        (folder / ".git" / name).mkdir(parents=True)
    put(folder / ".git" / "HEAD", "ref: refs/heads/main\n")


def says(scene: Scene) -> tuple[Turn, ...]:
    """The shortest conversation."""
    return (Say(f"Done: {scene.words.answer}"),)
