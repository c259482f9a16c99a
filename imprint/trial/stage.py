"""The scratch world of a trial: a user's home, a Copilot home with the user's files, a project."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from imprint.base.errors import RefusedError
from imprint.base.paths import Environment, Layout
from imprint.sandbox.isolation import ScratchHome

# What a user had there before: no final newline, an indentation of its own, a foreign key.
_USERS_FILES = {
    "mcp-config.json": b'{\n   "mcpServers": {},\n   "note": "mine"\n}',
    "copilot-instructions.md": b"Answer briefly.\r\nNo emoji, please.",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """Folders of a trial; `environment` is the world that Imprint runs in."""

    root: Path
    environment: Environment

    @property
    def scratch(self) -> ScratchHome:
        """The home with Imprint in it."""
        return ScratchHome(self.root / "user")

    @property
    def control(self) -> ScratchHome:
        """The home that Imprint never sees."""
        return ScratchHome(self.root / "control")

    @property
    def project(self) -> Path:
        """The working directory of all sessions."""
        return self.root / "project"

    @property
    def layout(self) -> Layout:
        """The scratch Imprint home."""
        return self.environment.layout()


@contextlib.contextmanager
def stage(host: Environment, *, keep: bool) -> Iterator[Stage]:
    """Build it; remove it afterwards, unless it's to be kept."""
    try:
        root = Path(tempfile.mkdtemp(prefix="imprint-try-")).resolve()
    except OSError as error:
        raise RefusedError(
            f"no scratch home can be made: {error.strerror}",
            fix="set TMPDIR to a folder that you can write to",
        ) from error
    try:
        built = Stage(root, _environment(host, root))
        for scratch in (built.scratch, built.control):
            scratch.make()
            for name, data in _USERS_FILES.items():
                (scratch.copilot / name).write_bytes(data)
        built.project.mkdir()
        yield built
    finally:
        if not keep:
            shutil.rmtree(root, ignore_errors=True)


def _environment(host: Environment, root: Path) -> Environment:
    """The scratch home's world, on the host's platform and with the host's programs."""
    scratch = ScratchHome(root / "user")
    return Environment(
        variables={
            **scratch.variables(),
            "PATH": host.get("PATH"),
            "IMPRINT_HOME": str(root / "imprint"),
        },
        platform=host.platform,
        home=scratch.home,
        data_folder=root / "imprint",
        cache_folder=host.cache,
        state_folder=root / "state",
    )
