"""A Copilot of our own that has hooks, whole or broken in one way."""

import sys
from pathlib import Path

from imprint.sandbox.release import Kind, Release

VERSION = "1.0.102"


def fake_copilot(folder: Path, *knobs: str, version: str = VERSION) -> Path:
    """The program `copilot` in a folder, which is made."""
    source = Path(__file__).with_name("fake_copilot.py").read_text(encoding="utf-8")
    text = source.replace("@VERSION@", version).replace("@KNOBS@", ",".join(knobs))
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "copilot"
    program.write_text(f"#!{sys.executable} -IS\n{text}", encoding="utf-8")
    program.chmod(0o755)
    return program


def fake_release(folder: Path, *knobs: str) -> Release:
    """It as a release."""
    program = fake_copilot(folder, *knobs)
    return Release(VERSION, Kind.NATIVE, (str(program),), folder)
