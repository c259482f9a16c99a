"""The fixtures of probes: the run of a release, its answers, its snapshots."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from imprint.compat import Outcome
from probes.asking import Asked, ReleaseRun
from probes.choosing import open_release
from probes.contained import ContainedRun
from probes.distribution import DistributionRun
from probes.snapshots import extension_of, snapshot_file, snapshot_root
from probes.stash import CHOICE, HOST, ROW, asks_of, claim_of, sealed_of

if TYPE_CHECKING:
    from containers.sealed import Sealed


@pytest.fixture(scope="session")
def walls(request: pytest.FixtureRequest) -> "Iterator[Sealed | None]":
    """What asks in containers, where that is asked for; closed at the end."""
    option = request.config.option
    if not (option.in_container or option.in_distribution):
        yield None
        return
    with sealed_of(request.config) as found:
        yield found


@pytest.fixture(scope="session")
def release_run(
    version: str,
    walls: "Sealed | None",
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> ReleaseRun | ContainedRun | DistributionRun:
    """The run of one release: its sessions serve all of its claims."""
    config = request.config
    attempts = config.option.attempts or (2 if config.option.record else 1)
    host = config.stash[HOST]
    plain = ReleaseRun.begin(
        version,
        lambda: open_release(version, config.stash[CHOICE], host),
        host,
        [tmp_path_factory.mktemp(f"copilot-{version}") for _ in range(attempts)],
    )
    if config.option.in_distribution and walls is not None:
        return DistributionRun(walls, plain, attempts)
    asked = [claim_of(item) for item in request.session.items if asks_of(item, version)]
    claims = tuple(claim.id for claim in asked if claim is not None)
    if walls is None:
        plain.expect(claims)
        return plain
    return ContainedRun(walls, plain, claims, attempts)


@pytest.fixture
def answers(
    request: pytest.FixtureRequest, release_run: ReleaseRun | ContainedRun | DistributionRun
) -> Callable[[], Asked]:
    """Ask the probe's claim of its release; the row goes where rows are gathered."""
    claim = claim_of(request.node)
    if claim is None:
        raise pytest.UsageError(f"{request.node.nodeid} has no claim")

    def ask() -> Asked:
        asked = release_run.ask(claim)
        text = msgspec.json.encode(asked).decode("utf-8")
        request.node.user_properties.append((ROW, text))
        return asked

    return ask


@pytest.fixture
def holds(
    request: pytest.FixtureRequest,
    version: str,
    release_run: ReleaseRun | ContainedRun | DistributionRun,
    snapshot: SnapshotAssertion,
) -> Callable[[Asked], Asked]:
    """Fail where the shape that a row's value is the digest of isn't the release's snapshot.

    `--record` writes it. What has no snapshot yet, or no answer, contradicts nothing.
    """
    root = snapshot_root(request.config)

    def check(asked: Asked) -> Asked:
        is_known = snapshot_file(root, version, request.node).exists()
        is_wanted = is_known or request.config.option.record
        if not isinstance(release_run, ReleaseRun):
            return asked  # the shape stayed inside; its digest is the row's value
        if is_wanted and asked.row.outcome is Outcome.OBSERVED:
            shape = release_run.shape(asked.row.claim)
            assert shape == snapshot.use_extension(extension_of(root, version))
        return asked

    return check
