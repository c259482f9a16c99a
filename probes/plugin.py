"""The pytest plugin: options, one test per claim and release, and what comes of the rows.

Hooks only: fixtures are in `fixtures`, choosing releases in `choosing`, asking in `asking`, the
way of rows through reports in `gathering`, their fate in `verdict`.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import syrupy

from imprint.base.errors import ImprintError
from imprint.base.paths import Environment
from imprint.compat import Claim, Tier, data_folder, load_matrix
from imprint.observe import this_platform
from probes.choosing import Choice, chosen_versions
from probes.distribution import is_of_distributions, platform_of
from probes.gathering import CHOSEN, Gatherer
from probes.stash import CHOICE, HOST, ROW, claim_of, sealed_of
from probes.verdict import Verdict

pytest_plugins = ["probes.fixtures"]


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
    config.stash[HOST] = Environment.current()
    if option.in_container or option.in_distribution:
        _demand_engine(config)
    if hasattr(config, "workerinput"):
        config.stash[CHOICE] = Choice(**config.workerinput[CHOSEN])
        return
    config.stash[CHOICE] = chosen_versions(option, config.stash[HOST])
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
        with sealed_of(config):
            pass
    except ImprintError as error:
        raise pytest.UsageError(f"{error.message}; {error.fix}") from error
    except ModuleNotFoundError as error:
        raise pytest.UsageError(f"{error}; pip install -e '.[probes]'") from error


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every probe once per release."""
    if "version" in metafunc.fixturenames:
        versions = metafunc.config.stash[CHOICE].versions
        metafunc.parametrize("version", versions, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the claims that were not asked for; one release after the other."""
    option = config.option
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        claim = claim_of(item)
        wanted = claim is None or (
            is_of_distributions(claim.id) == option.in_distribution
            and _is_wanted(claim, option.claim, option.tier)
        )
        (kept if wanted else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
    order = config.stash[CHOICE].versions
    items[:] = sorted(kept, key=lambda item: _place(item, order))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """A probe gives one observation of its claim: none, or several, is an error of the probe."""
    result = yield
    if claim_of(pyfuncitem) is not None:
        given = sum(name == ROW for name, _ in pyfuncitem.user_properties)
        if given != 1:
            pytest.fail(f"the probe gave {given} observations instead of one", pytrace=False)
    return result


def _is_wanted(claim: Claim, pattern: str | None, tier: str | None) -> bool:
    by_name = pattern is None or fnmatchcase(claim.id, pattern)
    return by_name and (tier is None or Tier(tier) in claim.tiers)


def _platform(config: pytest.Config) -> str:
    here = this_platform(config.stash[HOST])
    return platform_of(here) if config.option.in_distribution else here


def _place(item: pytest.Item, order: tuple[str, ...]) -> int:
    call = getattr(item, "callspec", None)
    version = call.params.get("version") if call else None
    return order.index(version) if version in order else -1
