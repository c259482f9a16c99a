"""A Windows with distributions, played on Linux: one drive, a share, a `wsl.exe`, a Python.

Commands run in a distribution run on this very system, with that distribution's environment and
mounts and no other: the share leads from each distribution's name to this system's root.
"""

import datetime as dt
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.copilot.contract import CopilotContract
from imprint.wsl.install import install, uninstall
from imprint.wsl.probe import Probe, probe
from imprint.wsl.profile import Profile, load_profiles
from imprint.wsl.remove import WslRemoval, plan_wsl_remove
from imprint.wsl.run_wsl import WslExe
from imprint.wsl.setup import WslSetup, plan_wsl_setup
from imprint.wsl.windows import WindowsSide, share_of
from tests.capabilities import RUNS_SCRIPTS

NOW = dt.datetime(2026, 11, 1, 12, 0, tzinfo=dt.UTC)
CONTRACT = CopilotContract.for_version(None, "linux")

Tree = dict[str, tuple[bytes | None, int]]

# Answers what the real one is documented to answer to these calls, and fails at any other.
_WSL_EXE = r"""
import json, os, shlex, sys
folder = os.path.dirname(os.path.abspath(__file__))
with open(folder + "/asked.jsonl", "a", encoding="utf-8") as file:
    file.write(json.dumps(sys.argv[1:]) + "\n")
with open(folder + "/distributions.json", encoding="utf-8") as file:
    known = json.load(file)
def say(text):
    sys.stdout.buffer.write(text.replace("\n", "\r\n").encode("utf-16-le"))
words = sys.argv[1:]
if words == ["--list", "--verbose"] and known:
    say("  NAME" + " " * 20 + "STATE" + " " * 11 + "VERSION\n")
    for number, name in enumerate(known):
        state = "Running" if known[name]["running"] else "Stopped"
        say(f"{'* ' if not number else '  '}{name:<24}{state:<16}2\n")
elif words == ["--list", "--running", "--quiet"]:
    running = [name for name in known if known[name]["running"]]
    say("".join(name + "\n" for name in running))
    sys.exit(0 if running else 255)
elif words[:1] == ["-d"] and words[2:3] == ["--exec"] and words[1] in known:
    distribution, command = known[words[1]], words[3:]
    places = {
        "/proc/self/mountinfo": shlex.quote(folder + "/" + words[1] + ".mountinfo"),
        "/etc/wsl.conf": shlex.quote(folder + "/" + words[1] + ".conf"),
    }
    if not distribution["bash"]:
        places["[ -x /bin/bash ]"] = "[ -x /nowhere ]"
    if command[:2] == ["/bin/sh", "-c"]:
        for place, other in places.items():
            command[2] = command[2].replace(place, other)
    if distribution["chmod"] != 0 and "chmod" in command[2]:
        sys.exit(distribution["chmod"])
    environment = {"PATH": "/usr/bin:/bin", "WSL_DISTRO_NAME": words[1], **distribution["env"]}
    os.chdir("/")
    os.execvpe(command[0], command, environment)
else:
    say("There is no distribution with the supplied name.\n")
    sys.exit(255)
"""


def tree(folder: Path) -> Tree:
    """Every file below `folder` with its bytes (None for a folder) and permissions."""
    return {
        str(path.relative_to(folder)): (
            None if path.is_dir() else path.read_bytes(),
            path.stat().st_mode & 0o777,
        )
        for path in sorted(folder.rglob("*"))
    }


@dataclass
class Windows:
    """The whole scene below `root`; `world` is what Imprint on Windows sees."""

    root: Path
    world: Environment

    @classmethod
    def make(cls, root: Path) -> "Windows":
        """A Windows without distributions."""
        if not RUNS_SCRIPTS:
            pytest.skip("capability: POSIX shells and scripts as programs")
        for folder in ("share", "bin", "c", "home"):
            (root / folder).mkdir(parents=True)
        variables = {
            "IMPRINT_WSL_EXE": str(root / "bin/wsl.exe"),
            "IMPRINT_WSL_SHARE": str(root / "share"),
            "IMPRINT_WSL_PYTHON": "C:\\Program Files\\it's\\python.exe",
            "PATH": "/usr/bin:/bin",
            "HOME": str(root / "home"),
        }
        windows = cls(root, Environment.scratch(root, variables))
        windows._program("bin/wsl.exe", f"#!{sys.executable} -I\n{_WSL_EXE}")
        windows._program(
            "c/Program Files/it's/python.exe", f'#!/bin/sh\nexec {sys.executable} "$@"\n'
        )
        windows._save({})
        return windows

    @property
    def drive(self) -> Path:
        """C:, which every distribution mounts here."""
        return self.root / "c"

    @property
    def side(self) -> WindowsSide:
        return WindowsSide.of(self.world)

    @property
    def run(self) -> WslExe:
        return WslExe.of(self.world)

    @property
    def asked(self) -> list[list[str]]:
        """Every call of wsl.exe."""
        path = self.root / "bin/asked.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def distribution(self, name: str = "Ubuntu", **facts: object) -> "Linux":
        """A distribution with a Copilot home."""
        home = self.root / f"{name} home/ada o'hara"
        (home / ".copilot").mkdir(parents=True)
        (self.root / "share" / name).symlink_to("/")
        known = self._load()
        known[name] = {"running": True, "bash": True, "chmod": 0, "env": {"HOME": str(home)}}
        known[name] |= facts
        self._save(known)
        line = f"77 61 0:56 / {str(self.drive).replace(' ', chr(92) + '040')} rw - 9p C:\\134 rw,"
        self.write(
            f"bin/{name}.mountinfo", f"61 1 8:2 / / rw - ext4 x rw\n{line}aname=drvfs;path=C:\\\n"
        )
        return Linux(self, name, home)

    def change(self, name: str, **facts: object) -> None:
        """Change what wsl.exe knows of a distribution."""
        known = self._load()
        known[name] |= facts
        self._save(known)

    def unregister(self, name: str) -> None:
        """`wsl --unregister`: the distribution is gone with all its files."""
        known = self._load()
        del known[name]
        self._save(known)
        (self.root / "share" / name).unlink()

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def profiles(self) -> tuple[Profile, ...]:
        return load_profiles(self.world.layout())

    def with_store(self, folder: Path) -> "Windows":
        """Another Imprint on the same Windows."""
        return replace(self, world=replace(self.world, data_folder=folder))

    def _program(self, name: str, text: str) -> None:
        self.write(name, text).chmod(0o755)

    def _load(self) -> dict[str, dict[str, object]]:
        text = (self.root / "bin/distributions.json").read_text(encoding="utf-8")
        known: dict[str, dict[str, object]] = json.loads(text)
        return known

    def _save(self, known: Mapping[str, object]) -> None:
        self.write("bin/distributions.json", json.dumps(known))


@dataclass
class Linux:
    """One distribution and its user's home."""

    windows: Windows
    name: str
    home: Path

    @property
    def copilot(self) -> Path:
        return self.home / ".copilot"

    @property
    def launcher(self) -> Path:
        return self.copilot / "imprint-wsl"

    @property
    def profile(self) -> Profile:
        (found,) = (one for one in self.windows.profiles() if one.distribution == self.name)
        return found

    def probe(self) -> Probe:
        return probe(self.windows.run, self.name)

    def plan(self, contract: CopilotContract = CONTRACT, *, force: bool = False) -> WslSetup:
        return plan_wsl_setup(
            self.windows.world,
            self.name,
            self.probe(),
            contract,
            side=self.windows.side,
            share=share_of(self.windows.world),
            now=NOW,
            force=force,
        )

    def setup(self, *, force: bool = False) -> WslSetup:
        planned = self.plan(force=force)
        install(self.windows.world, planned, self.windows.run)
        return planned

    def plan_remove(self, *, force: bool = False, is_there: bool = True) -> WslRemoval:
        found = self.probe() if is_there else None
        store = self.windows.side.store
        return plan_wsl_remove(self.windows.world, self.profile, found, store=store, force=force)

    def remove(self, *, force: bool = False, is_there: bool = True) -> WslRemoval:
        planned = self.plan_remove(force=force, is_there=is_there)
        uninstall(self.windows.world, planned, self.windows.run)
        return planned

    def put(self, name: str, content: str | bytes, mode: int = 0o600) -> Path:
        """A file of the user's in the Copilot home."""
        path = self.copilot / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return path

    def environment(self) -> dict[str, str]:
        """What the user's processes see, and what the played Windows sees through it."""
        seams = {
            key: value
            for key, value in self.windows.world.variables.items()
            if key.startswith("IMPRINT_")
        }
        return {"PATH": os.defpath, "HOME": str(self.home), "WSL_DISTRO_NAME": self.name, **seams}
