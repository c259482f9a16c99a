"""What `learn` and `setup` share: reading the transcripts of Copilot homes into the memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from imprint.base.paths import Environment
from imprint.copilot.homes import CopilotHome, known_homes, unique
from imprint.copilot.receipts import installed_homes
from imprint.learn import (
    REASONS,
    LearnReport,
    SessionState,
    SkipReason,
    drain_spool,
    learn_homes,
    load_policy,
)
from imprint.learn.store import STATE_FOLDER
from imprint.memory import Memory
from imprint.wsl.learning import announcing


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """How many sessions had something new, had nothing new, were skipped and why."""

    learned: int
    unchanged: int
    skipped: dict[SkipReason, int]


@dataclass(frozen=True, slots=True)
class Learned:
    """`data` of learn; `turns` and `work` were added by this run.

    `damaged` counts lines that could not be read, by kind; `gaps` sessions whose recorded size
    is not what was read; `waiting` turns that Copilot has not written out yet.
    """

    sessions: SessionCounts
    turns: int
    work: int
    damaged: dict[str, int]
    gaps: int
    waiting: int

    @classmethod
    def of(cls, report: LearnReport) -> "Learned":
        """A report in the form that `--json` prints."""
        counts = SessionCounts(report.learned, report.unchanged, report.skipped)
        return cls(
            sessions=counts,
            turns=report.turns,
            work=report.work,
            damaged=report.damage.lines,
            gaps=len({key for key, _ in report.gaps}),
            waiting=report.waiting,
        )


def all_homes(environment: Environment) -> tuple[CopilotHome, ...]:
    """Every Copilot home that there is, also those that were set up under another variable."""
    homes = unique([*known_homes(environment), *installed_homes(environment.layout())])
    return tuple(home for home in homes if home.path.is_dir())


def state_of(home: CopilotHome) -> SessionState:
    """The sessions of a home."""
    return SessionState(home.path / STATE_FOLDER)


def collected(folder: Path) -> SessionState:
    """A folder of session folders, however deep."""
    return SessionState(folder, nested=True)


def learn_all(environment: Environment, states: Sequence[SessionState]) -> LearnReport:
    """What the Stop hooks announced, then what is new in these stores."""
    announced = drain_spool(environment, elsewhere=announcing(environment))
    layout = environment.layout()
    with Memory.open(layout.store) as memory:
        scanned = learn_homes(memory, states, policy=load_policy(environment), layout=layout)
    return LearnReport.together((announced, scanned))


def learned_lines(data: Learned) -> Iterable[str]:
    """Counts, then each reason for a skip in words."""
    sessions = data.sessions
    yield (
        f"learned {sessions.learned} sessions ({data.turns} new turns),"
        f" {sessions.unchanged} had nothing new"
    )
    for reason, number in sorted(sessions.skipped.items()):
        yield f"skipped {number}: {REASONS[reason]}"
    for kind, number in sorted(data.damaged.items()):
        yield f"passed over {number} damaged lines: {kind}"
    if data.gaps:
        yield f"{data.gaps} sessions are shorter or longer than Copilot recorded"
    if data.waiting:
        yield f"{data.waiting} turns are not written out by Copilot yet; the next run takes them up"
