"""On the controller, or alone: rows are taken out of reports."""

from dataclasses import asdict
from typing import Protocol

import msgspec
import pytest

from probes.asking import Asked, asked_claims
from probes.distribution import claims_of_distributions
from probes.stash import CHOICE, ROW
from probes.verdict import Verdict

CHOSEN = "imprint-choice"
"""Under this name workers get the controller's choice."""


class Gateway(Protocol):
    """What xdist calls the connection to a worker."""

    id: str


class WorkerNode(Protocol):
    """What xdist's hooks get."""

    gateway: Gateway
    config: pytest.Config
    workerinput: dict[str, object]


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
        node.workerinput[CHOSEN] = asdict(node.config.stash[CHOICE])

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
