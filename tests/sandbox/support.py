"""A registry and a Copilot that are ours, so that most of the room is tested without either."""

import io
import os
import select
import sys
import tarfile
from dataclasses import dataclass, replace
from pathlib import Path

from imprint.base.paths import Environment
from imprint.sandbox._process import _processes
from imprint.sandbox.npm import Npm
from imprint.sandbox.releases import PACKAGE, ReleaseStore

HERE = Path(__file__).parent
NATIVE = f"{PACKAGE}-linux-x64"


def script(path: Path, text: str) -> Path:
    """An executable Python script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable} -IS\n{text}", encoding="utf-8")
    path.chmod(0o755)
    return path


def fake_copilot_source(version: str) -> str:
    """The text of a stand-in that calls itself `version`."""
    text = (HERE / "fake_copilot.py").read_text(encoding="utf-8")
    return text.replace("@VERSION@", version)


def tarball(members: dict[str, bytes], extra: tuple[tarfile.TarInfo, ...] = ()) -> bytes:
    """A tarball of executable files; `extra` are further members without content."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o755
            archive.addfile(info, io.BytesIO(data))
        for info in extra:
            archive.addfile(info)
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class Registry:
    """A fake registry: what it serves, and what it was asked."""

    folder: Path
    host: Environment

    def publish(self, package: str, version: str, data: bytes, integrity: str = "") -> None:
        """Serve a version's tarball; with another digest than it has, if `integrity` is given."""
        place = self.folder / package.replace("/", "+")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{version}.tgz").write_bytes(data)
        if integrity:
            (place / f"{version}.integrity").write_text(integrity, encoding="utf-8")

    def publish_native(self, version: str, *, says: str = "", padding: int = 0) -> None:
        """Serve a stand-in for a native release, padded to a size in bytes."""
        source = f"#!{sys.executable} -IS\n{fake_copilot_source(says or version)}"
        members = {"package/copilot": source.encode("utf-8")}
        if padding:
            members["package/padding"] = os.urandom(padding)
        self.publish(NATIVE, version, tarball(members))

    @property
    def calls(self) -> list[str]:
        """Every npm command so far."""
        path = self.folder / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def forget_calls(self) -> None:
        """Count from here on."""
        (self.folder / "calls").unlink(missing_ok=True)

    def with_variables(self, **variables: str) -> Environment:
        """The host with further variables in its environment."""
        return replace(self.host, variables={**self.host.variables, **variables})

    def store(self, cache: Path, limit: int = 3 * 1024**3, **variables: str) -> ReleaseStore:
        """A store on this registry that never pauses."""
        npm = Npm(self.with_variables(**variables), pause=lambda _: None)
        return ReleaseStore(cache, npm, limit)


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    return any(row.pid == pid and row.state != "Z" for row in _processes())


def has_ended(pid: int, seconds: float = 10.0) -> bool:
    """Whether a process that need not be a child ends within some seconds."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)
