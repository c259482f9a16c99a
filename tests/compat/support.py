"""Claims, rows and runs as tests need them; nothing here was seen on a real Copilot."""

from collections.abc import Mapping, Sequence

from imprint.compat import Claim, Controls, Evidence, Kind, Observations, Outcome, Row, Run, Tier
from imprint.compat.claim import Option, Rule
from imprint.compat.evidence import Reason
from imprint.compat.inference import build_matrix
from imprint.compat.matrix import Matrix
from imprint.compat.values import Value
from imprint.compat.versions import Line

LINUX = "linux-x64"
WINDOWS = "win32-x64"
PROGRAM = "copilot-cli"
GOOD = Controls(positive=True, negative=True)

CLAIM = Claim(
    id="area.question",
    sentence="Is it so?",
    kind=Kind.ENUM,
    tiers=(Tier.MODEL,),
    values=("yes", "no", "maybe"),
    rules=(
        Rule(
            decides="do-it",
            options=(Option("do", ("yes",)), Option("try", ("maybe",))),
            otherwise="leave",
            unknown="be-careful",
            why_safe="nothing is lost",
        ),
    ),
)

TABLE = Claim(
    id="area.table",
    sentence="Which are so?",
    kind=Kind.TABLE,
    tiers=(Tier.MODEL,),
    values=("yes", "no"),
    keys=("a", "b", "c"),
    numbers=(),
    rules=(
        Rule(
            decides="choose",
            options=(Option("both", ("yes",), ("a", "b")), Option("third", ("yes",), ("c",))),
            otherwise="none",
            unknown="be-careful",
            why_safe="nothing is lost",
        ),
    ),
)


def row(value: Value | None, claim: str = CLAIM.id, **more: object) -> Row:
    """A row that was observed with good controls, unless told otherwise."""
    facts: dict[str, object] = {
        "outcome": Outcome.OBSERVED,
        "tier": Evidence.LIVE_OFFLINE,
        "controls": GOOD,
        "evidence": "sha256:" + "0" * 64,
        **more,
    }
    return Row(claim=claim, value=value, **facts)


def unjudged(reason: Reason, claim: str = CLAIM.id) -> Row:
    """A row of a release that was asked in vain."""
    match reason:
        case Reason.BLOCKED:
            return row(None, claim, outcome=Outcome.BLOCKED, reason="does not start")
        case Reason.MIXED:
            return row("yes", claim, attempts=("yes", "no"))
        case _:
            return row("yes", claim, controls=Controls(positive=False, negative=True))


def run(
    version: str,
    rows: Sequence[Row],
    platform: str = LINUX,
    *,
    executable: str = "sha256:aa",
    **more: str,
) -> Observations:
    """The file of one run."""
    facts = {
        "program": PROGRAM,
        "reported_version": version,
        "executable_before": executable,
        "executable_after": executable,
        "probe_revision": "1",
        "isolation": "network-namespace",
        "started_at": "2026-01-01T00:00:00Z",
        "ended_at": "2026-01-01T00:01:00Z",
        **more,
    }
    return Observations(1, Run(version=version, platform=platform, **facts), tuple(rows))


def matrix(line: Line, values: Mapping[str, Value | Reason], platform: str = LINUX) -> Matrix:
    """The matrix of one claim's answers by version; a reason stands for a release without one."""
    return build_matrix(PROGRAM, line, runs(values, platform))


def runs(values: Mapping[str, Value | Reason], platform: str = LINUX) -> list[Observations]:
    """One run per version."""
    return [
        run(version, [unjudged(value) if isinstance(value, Reason) else row(value)], platform)
        for version, value in values.items()
    ]
