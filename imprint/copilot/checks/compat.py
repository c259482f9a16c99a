"""What the compat matrix made setup do: known of which release, on what basis, and still right?"""

from collections.abc import Iterator

from imprint.base.checks import Check, Status
from imprint.compat.decide import Code, Decision
from imprint.compat.evidence import Basis
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.drift import drifts
from imprint.copilot.report import DecisionData

_LIVE = "`imprint doctor --live`"

_NOT_OFFERED = {
    "write-hooks-file": "this Copilot reads no hooks from its home: nothing is learned by itself",
    "register-camel-events": "this Copilot knows none of the events: nothing is learned by itself",
    "set-command": "this Copilot runs no hook of a known kind: nothing is learned by itself",
    "answer-context": "this Copilot gives the model no hook's context when a session starts",
    "answer-camel-context": "this Copilot gives the model no hook's context when a session starts",
    "write-entry": "this Copilot starts no server from its home: the memory has no tools",
    "set-entry-type": "this Copilot takes no type of server: the memory has no tools",
    "offer-tools": "this Copilot offers the model no tools of a server from its home",
    "write-block": "this Copilot reads no instructions from its home",
}


def check_release(facts: Facts) -> Iterator[Check]:
    """Whether the Copilots that use the home are releases of which something is known."""
    named = ", ".join(map(str, facts.copilots)) or "no Copilot found that uses this home"
    decisions = facts.today.decisions
    unreadable = next((one for one in decisions if one.code is Code.UNREADABLE), None)
    if unreadable is not None:
        what = f"{named}: the compat matrix cannot be read, so everything is done the safe way"
        yield Check(Id.RELEASE, Status.UNKNOWN, what, "install Imprint again")
        return
    known = [one for one in decisions if one.is_known]
    counted = f"{named}: {len(known)} of {len(decisions)} decisions are known"
    unlisted = [one for one in decisions if one.code is Code.UNLISTED]
    if unlisted and not any(one.basis is Basis.LOCAL for one in known):
        yield Check(
            Id.RELEASE,
            Status.ATTENTION,
            f"{counted}; not a release that this Imprint knows: the rest is done the safe way",
            f"{_LIVE} asks it; or install a newer Imprint",
        )
        return
    yield Check(Id.RELEASE, Status.OK, counted)


def check_decisions(facts: Facts) -> Iterator[Check]:
    """Each decision with its basis; one that says that something cannot be had needs attention."""
    for decision in facts.today.decisions:
        yield _of(decision)


def check_drift(facts: Facts) -> Iterator[Check]:
    """Whether an upgrade of Copilot made something else right than what is installed."""
    if facts.receipt is None or facts.is_anothers:
        return
    found = drifts(facts.contract, facts.today)
    earlier, now = facts.receipt.copilot_version, facts.today.version
    upgrade = f" ({earlier} at setup, {now} now)" if earlier and now and earlier != now else ""
    for drift in found:
        what = f"Copilot was changed since setup{upgrade}: {drift}"
        yield Check(Id.DRIFT, Status.ATTENTION, what, f"`{facts.setup_command}`")
    if not found:
        what = f"what is installed is what this Copilot wants{upgrade}"
        yield Check(Id.DRIFT, Status.OK, what)


def _of(decision: Decision) -> Check:
    data = DecisionData.of(decision)
    told = f"{decision.decides}: {decision.action} ({data.grounds})"
    if not decision.is_known:
        # How to know better is said once, of the release.
        why = decision.what_to_do.partition("; ")[0]
        return Check(Id.DECISIONS, Status.OK, f"{told}; {why}")
    if decision.action == "none" and decision.decides in _NOT_OFFERED:
        what = f"{told}: {_NOT_OFFERED[decision.decides]}"
        return Check(Id.DECISIONS, Status.ATTENTION, what, "update Copilot")
    return Check(Id.DECISIONS, Status.OK, told)
