"""The pytest plugin: options, one test per claim and release, and what comes of the rows.

Hooks only: choosing releases is in `choosing`, asking in `asking`, the rows' fate in `verdict`.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
import pytest
import syrupy
from syrupy.assertion import SnapshotAssertion

from imprint.base.errors import ImprintError
from imprint.base.paths import Environment
from imprint.compat import Claim, Outcome, Tier, data_folder, load_matrix, shipped_catalogue
from imprint.observe import this_platform
from probes.asking import Asked, ReleaseRun, asked_claims
from probes.choosing import Choice, chosen_versions, open_release
from probes.contained import ContainedRun
from probes.distribution import (
    DistributionRun,
    claims_of_distributions,
    is_of_distributions,
    platform_of,
)
from probes.snapshots import extension_of, snapshot_file, snapshot_root
from probes.verdict import Verdict

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from containers.sealed import Sealed

ROW = "imprint-row"
_CHOSEN = "imprint-choice"

_HOST = pytest.StashKey[Environment]()
_CHOICE = pytest.StashKey[Choice]()


class Gateway(Protocol):
    """What xdist calls the connection to a worker."""

    id: str


class WorkerNode(Protocol):
    """What xdist's hooks get."""

    gateway: Gateway
    config: pytest.Config
    workerinput: dict[str, object]


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Which releases, which claims, and whether to record.

    Snapshots are the probes' alone, so that nothing else loads syrupy (see `addopts`).
    """
    if not pluginmanager.is_registered(syrupy):
        pluginmanager.register(syrupy, "imprint-snapshots")
    group = parser.getgroup("copilot", "probes of Copilot releases")
    group.addoption("--copilot", action="append", default=[], metavar="VERSION", help="this one")
    group.addoption("--copilot-range", metavar="A..B", help="every release from A to B")
    group.addoption("--copilot-installed", action="store_true", help="the one on PATH")
    group.addoption("--record", action="store_true", help="write what is seen into the data folder")
    group.addoption("--as-recorded", action="store_true", help="new or missing is red too")
    group.addoption("--rows", type=Path, metavar="FILE", help="write what is seen there, as JSON")
    group.addoption("--compat-data", type=Path, help="the data folder (default: the checkout's)")
    group.addoption("--in-container", action="store_true", help="ask in a container (see docs)")
    group.addoption(
        "--in-distribution",
        action="store_true",
        help="ask the claims of WSL, in the stand-in of a distribution (see docs)",
    )
    group.addoption("--base-image", default="", help="what the image of containers is made from")
    group.addoption("--attempts", type=int, help="ask each claim so often (--record: 2, else 1)")
    group.addoption("--tier", choices=[tier.value for tier in Tier], help="claims of this tier")
    group.addoption("--claim", metavar="GLOB", help="claims whose id matches")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """With several workers a release stays on one of them, so that its sessions are shared.

    A worker that dies is not replaced: nothing of its release counts, and xdist can wait for
    ever when the last test takes its worker with it.
    """
    option = config.option
    if getattr(option, "numprocesses", None):
        option.dist = "loadscope" if option.dist == "no" else option.dist
        option.maxworkerrestart = (
            "0" if option.maxworkerrestart is None else option.maxworkerrestart
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """In units of a release, unless another way of spreading was asked for."""
    if config.option.dist != "loadscope":
        return None
    from probes.spreading import ByRelease

    return ByRelease(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Look at the host before any test, and choose the releases once."""
    config.addinivalue_line("markers", "claim(id): the probe of this claim")
    option = config.option
    if option.record and (option.claim or option.tier):
        raise pytest.UsageError("--record writes a release's whole file: no --claim, no --tier")
    # What is recorded is written; what other runs have written is not theirs to miss or delete.
    option.update_snapshots = option.record
    option.no_cleanup = option.warn_unused_snapshots = True
    config.stash[_HOST] = Environment.current()
    if option.in_container or option.in_distribution:
        _demand_engine(config)
    if hasattr(config, "workerinput"):
        config.stash[_CHOICE] = Choice(**config.workerinput[_CHOSEN])
        return
    config.stash[_CHOICE] = chosen_versions(option, config.stash[_HOST])
    folder = option.compat_data or Path(str(data_folder()))
    verdict = Verdict(
        folder=folder,
        matrix=load_matrix(folder),
        platform=_platform(config),
        record=option.record,
        is_strict=option.as_recorded,
        rows=option.rows,
    )
    config.pluginmanager.register(Gatherer(verdict), "imprint-gatherer")


def _demand_engine(config: pytest.Config) -> None:
    """Before anything is asked, and in one line."""
    try:
        with _sealed(config):
            pass
    except ImprintError as error:
        raise pytest.UsageError(f"{error.message}; {error.fix}") from error
    except ModuleNotFoundError as error:
        raise pytest.UsageError(f"{error}; pip install -e '.[probes]'") from error


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every probe once per release."""
    if "version" in metafunc.fixturenames:
        versions = metafunc.config.stash[_CHOICE].versions
        metafunc.parametrize("version", versions, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the claims that were not asked for; one release after the other."""
    option = config.option
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        claim = _claim_of(item)
        wanted = claim is None or (
            is_of_distributions(claim.id) == option.in_distribution
            and _is_wanted(claim, option.claim, option.tier)
        )
        (kept if wanted else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
    order = config.stash[_CHOICE].versions
    items[:] = sorted(kept, key=lambda item: _place(item, order))


@pytest.fixture(scope="session")
def walls(request: pytest.FixtureRequest) -> "Iterator[Sealed | None]":
    """What asks in containers, where that is asked for; closed at the end."""
    option = request.config.option
    if not (option.in_container or option.in_distribution):
        yield None
        return
    with _sealed(request.config) as found:
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
    host = config.stash[_HOST]
    plain = ReleaseRun.begin(
        version,
        lambda: open_release(version, config.stash[_CHOICE], host),
        host,
        [tmp_path_factory.mktemp(f"copilot-{version}") for _ in range(attempts)],
    )
    if config.option.in_distribution and walls is not None:
        return DistributionRun(walls, plain, attempts)
    asked = [_claim_of(item) for item in request.session.items if _asks(item, version)]
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
    claim = _claim_of(request.node)
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


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """A probe gives one observation of its claim: none, or several, is an error of the probe."""
    result = yield
    if _claim_of(pyfuncitem) is not None:
        given = sum(name == ROW for name, _ in pyfuncitem.user_properties)
        if given != 1:
            pytest.fail(f"the probe gave {given} observations instead of one", pytrace=False)
    return result


class Gatherer:
    """On the controller, or alone: takes the rows out of reports, and says what came of them."""

    def __init__(self, verdict: Verdict) -> None:
        self._verdict = verdict

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Rows come with the call; a failure in any phase makes its release incomplete."""
        gateway = getattr(getattr(report, "node", None), "gateway", None)
        if report.when == "call":
            for name, text in report.user_properties:
                if name == ROW:
                    asked = msgspec.json.decode(str(text), type=Asked)
                    self._verdict.add(asked, str(getattr(gateway, "id", "")))
        if report.failed:
            self._verdict.fail(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: WorkerNode, error: object) -> None:
        """A worker that dies voids the releases that it was asked."""
        if error:
            self._verdict.lose(node.gateway.id)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerNode) -> None:
        """Workers take the controller's choice: the newest release must be the same for all."""
        node.workerinput[_CHOSEN] = asdict(node.config.stash[_CHOICE])

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """The one writer; and the exit code of answers that no longer hold."""
        is_over = exitstatus in {0, 1} or self._verdict.has_lost
        if is_over and not session.config.option.collectonly:
            is_wsl = session.config.option.in_distribution
            self._verdict.finish(claims_of_distributions() if is_wsl else asked_claims())
            if self._verdict.is_bad:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """What changed, what is new, what could not be judged."""
        if self._verdict.lines:
            terminalreporter.section("Copilot")
        for line in self._verdict.lines:
            terminalreporter.write_line(line)


def _claim_of(item: pytest.Item) -> Claim | None:
    mark = item.get_closest_marker("claim")
    return shipped_catalogue()[mark.args[0]] if mark else None


def _is_wanted(claim: Claim, pattern: str | None, tier: str | None) -> bool:
    by_name = pattern is None or fnmatchcase(claim.id, pattern)
    return by_name and (tier is None or Tier(tier) in claim.tiers)


def _platform(config: pytest.Config) -> str:
    here = this_platform(config.stash[_HOST])
    return platform_of(here) if config.option.in_distribution else here


def _sealed(config: pytest.Config) -> "AbstractContextManager[Sealed]":
    """An engine's containers; the SDK of engines is imported by those who want it."""
    from containers.sealed import sealed

    return sealed(config.stash[_HOST], config.option.base_image)


def _asks(item: pytest.Item, version: str) -> bool:
    call = getattr(item, "callspec", None)
    return call is not None and call.params.get("version") == version


def _place(item: pytest.Item, order: tuple[str, ...]) -> int:
    call = getattr(item, "callspec", None)
    version = call.params.get("version") if call else None
    return order.index(version) if version in order else -1
