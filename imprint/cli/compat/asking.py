"""What `bisect` and `sweep` ask for: the checkout, its data, the machine, and who runs probes."""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator

from imprint.base.errors import UsageError
from imprint.base.machine import machine_name
from imprint.base.results import Result
from imprint.cli._context import Context
from imprint.cli.compat import bisect, sweep
from imprint.cli.compat.checkout import Checkout, find_checkout
from imprint.cli.compat.probing import PYTEST, Prober
from imprint.cli.compat.progress import Progress
from imprint.compat import Matrix, ReleaseList, load_catalogue, load_matrix, load_releases
from imprint.compat.derived import derived_files
from imprint.compat.errors import DataInvalid
from imprint.compat.report import report_files

_COMMAND = "compat"


def run_bisect(claim: str, text: str, context: Context, probes: tuple[str, ...] = PYTEST) -> Result:
    """`imprint compat bisect CLAIM A..B`; `probes` is the program that is run instead of pytest."""
    from imprint.observe import JUDGES

    checkout = find_checkout()
    catalogue, releases = load_catalogue(checkout.data), load_releases(checkout.data)
    question = bisect.asked_question(catalogue, claim, JUDGES)
    first, last = bisect.interval(releases, text)
    if first == last:
        raise UsageError("one release changes nothing", fix="give two, such as 1.0.70..1.0.80")
    matrix = load_matrix(checkout.data)
    if not isinstance(matrix, Matrix):
        raise DataInvalid(matrix.why, fix="python -m imprint.cli.maintain derived")
    platform = _platform(context)
    bisecting = bisect.Bisecting(
        question,
        platform,
        releases,
        bisect.recorded_answers(catalogue, matrix, question, platform),
        Prober(checkout.root, context.environment, bisect.RUN_SECONDS, probes),
        checkout.data,
        context.say,
    )
    with _terminated_like_interrupted():
        found = bisecting.between(first, last)
    return Result(_COMMAND, found, bisect.exit_code(found))


def run_sweep(
    text: str | None,
    jobs: int,
    context: Context,
    *,
    is_quiet: bool = False,
    probes: tuple[str, ...] = PYTEST,
) -> Result:
    """`imprint compat sweep [--range A..B] [--jobs N]`; the newest release is asked first."""
    from imprint.observe.revision import probe_revision
    from imprint.sandbox.releases import release_store

    checkout = find_checkout()
    releases = load_releases(checkout.data)
    platform = _platform(context)
    sweeping = sweep.Sweep(
        releases=_chosen(releases, text, platform),
        platform=platform,
        data=checkout.data,
        cache=context.environment.cache,
        cached=frozenset(release_store(context.environment).cached()),
        revision=probe_revision(),
        prober=Prober(checkout.root, context.environment, sweep.RELEASE_SECONDS, probes),
        derive=lambda: _derive(checkout),
        jobs=jobs,
    )
    terminal = sys.stderr if sys.stderr.isatty() and not is_quiet else None
    try:
        with _terminated_like_interrupted():
            swept = sweeping.run(
                lambda total: Progress(total, context.say, time.monotonic, terminal)
            )
    except KeyboardInterrupt:
        context.say("stopped: the same command goes on")
        raise
    said = (
        f"{len(swept.recorded)} recorded, {len(swept.skipped)} were recorded before, "
        f"{len(swept.failed)} failed"
    )
    return Result(_COMMAND, swept, swept.exit_code, (said,))


def _chosen(releases: ReleaseList, text: str | None, platform: str) -> tuple[str, ...]:
    """The releases of a range that can be had here, newest first."""
    versions = releases.line().versions
    if text is not None:
        versions = releases.line().between(*bisect.interval(releases, text))
    offered = bisect.offered(releases, platform)
    return tuple(version for version in reversed(versions) if version in offered)


def _derive(checkout: Checkout) -> None:
    for name, data in derived_files(checkout.data).items():
        (checkout.data / name).write_bytes(data)
    if checkout.reports.is_dir():
        for name, data in report_files(checkout.data).items():
            (checkout.reports / name).write_bytes(data)


def _platform(context: Context) -> str:
    return machine_name(context.environment.platform)


@contextlib.contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM ends what was started too, as Ctrl-C does; threads have no say in signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
