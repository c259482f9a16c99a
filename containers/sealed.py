"""Probes in a container: nothing but a release, this checkout, and a loopback."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import msgspec

from containers.engine import Engine, engine
from containers.errors import ContainerFailed
from containers.images import probe_image
from containers.provisions import CHECKOUT, PLACE, dependencies, lent, source
from containers.running import Limits, Order, run
from containers.wsl_distro.claims import ask
from containers.wsl_distro.world import world
from imprint.base.paths import Environment
from imprint.compat import Attempt
from imprint.sandbox.release import Release
from probes.asking import Asked
from probes.inside import InsideOrder

ISOLATION = "container"

PYTHON_SECONDS = 60
SECONDS_PER_CLAIM = 120


@dataclass
class Sealed:
    """Asks releases in containers of one engine; `base_image` may be empty."""

    engine: Engine
    host: Environment
    base_image: str = ""
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def image(self) -> str:
        """The id of the image."""
        return probe_image(self.engine, self.host.variables, self.base_image)

    @cached_property
    def python(self) -> str:
        """The image's Python, such as `3.11`."""
        text = "import sys; print('%d.%d' % sys.version_info[:2])"
        ended = run(self.engine, Order(self.image, ("python3", "-c", text)), PYTHON_SECONDS)
        if ended.exit_code != 0:
            raise ContainerFailed(f"the image has no Python: {_last(ended.stderr)}")
        return ended.stdout.decode("ascii").strip()

    def ask(self, release: Release, claims: Sequence[str], attempts: int = 1) -> tuple[Asked, ...]:
        """One row per claim, in their order; `ContainerFailed`, `EngineFailed`."""
        with tempfile.TemporaryDirectory(prefix="imprint-sealed-") as folder:
            order = self._order(release, claims, attempts, Path(folder))
            ended = run(self.engine, order, SECONDS_PER_CLAIM * len(claims) * attempts)
        lines = ended.stdout.splitlines()
        if ended.exit_code != 0 or len(lines) != len(claims):
            raise ContainerFailed(
                f"{release.version} gave {len(lines)} of {len(claims)} rows in its container"
                f" (exit code {ended.exit_code}): {_last(ended.stderr)}"
            )
        return tuple(_contained(msgspec.json.decode(line, type=Asked)) for line in lines)

    def ask_in_distribution(self, release: Release) -> Mapping[str, Attempt]:
        """One asking of the claims of tier C; `NoInterop` where this machine can't play it."""
        with world(self.engine, self.image, self.python, release, self.host) as both:
            return ask(both)

    def _order(self, release: Release, claims: Sequence[str], attempts: int, folder: Path) -> Order:
        there = lent(release)
        inside = InsideOrder(
            version=release.version,
            kind=release.kind,
            command=there.command,
            folder=there.folder,
            unpacked=there.unpacked,
            claims=tuple(claims),
            attempts=attempts,
        )
        deps = dependencies(self.host.cache / "containers", self.python, self.host.variables)
        return Order(
            image=self.image,
            command=("python3", "-m", "probes.inside", msgspec.json.encode(inside).decode("utf-8")),
            mounts={
                **there.mounts,
                source(CHECKOUT, folder): f"{PLACE}/source",
                deps: f"{PLACE}/deps",
            },
            environment={
                "PYTHONPATH": f"{PLACE}/source:{PLACE}/deps",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            limits=self.limits,
        )


@contextmanager
def sealed(host: Environment, base_image: str = "") -> Iterator[Sealed]:
    """Containers of the first engine that answers; `NoEngine`, `EngineTooOld`."""
    with engine(host.variables) as found:
        yield Sealed(found, host, base_image)


def _contained(asked: Asked) -> Asked:
    """The container is what cut it off; it has no right to make a namespace of its own."""
    return Asked(asked.row, msgspec.structs.replace(asked.run, isolation=ISOLATION))


def _last(output: bytes) -> str:
    return " ".join(output.decode("utf-8", errors="replace").strip().splitlines()[-3:])
