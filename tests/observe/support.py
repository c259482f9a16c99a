"""A Copilot of our own that has hooks, whole or broken in one way."""

import sys
from pathlib import Path

from imprint.sandbox.release import Kind, Release

VERSION = "1.0.102"


def fake_copilot(folder: Path, *knobs: str, version: str = VERSION) -> Path:
    """The program `copilot` in a folder, which is made."""
    source, hosts = (
        Path(__file__).with_name(name).read_text(encoding="utf-8")
        for name in ("fake_copilot.py", "fake_hosts.py")
    )
    body, last, nothing = source.rpartition("\nmain()\n")
    assert last
    assert not nothing
    start = "if not other_way(Session, converse, KNOBS, VERSION):\n    main()\n"
    text = f"{body}\n{hosts}\n\n{start}".replace("@VERSION@", version).replace(
        "@KNOBS@", ",".join(knobs)
    )
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "copilot"
    program.write_text(f"#!{sys.executable} -IS\n{text}", encoding="utf-8")
    program.chmod(0o755)
    return program


def fake_release(folder: Path, *knobs: str) -> Release:
    """It as a release."""
    program = fake_copilot(folder, *knobs)
    return Release(VERSION, Kind.NATIVE, (str(program),), folder)
