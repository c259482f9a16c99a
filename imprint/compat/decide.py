"""The gate: from an answer to what the adapter does. Pure; an unknown is never silently a yes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from imprint.compat.answers import Answer, Local, answer
from imprint.compat.claim import Claim, Option, Rule
from imprint.compat.errors import UnknownClaim
from imprint.compat.evidence import Basis, Reason, weakest
from imprint.compat.matrix import Matrix, UnreadableMatrix


class Code(StrEnum):
    """How a decision came about; all but the first are refusals to conclude."""

    KNOWN = "known"
    NO_ROWS = "no-rows"
    BEFORE_THE_FIRST = "before-the-first"
    IN_DOUBT = "in-doubt"
    MIXED = "mixed"
    INCONCLUSIVE = "inconclusive"
    BLOCKED = "blocked"
    UNLISTED = "unlisted-version"
    NO_VERSION = "no-version"
    PLATFORMS_DISAGREE = "platforms-disagree"
    UNREADABLE = "unreadable-matrix"


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do: `action` out of the rule for `decides`, and how that came about.

    `evidence` are the answers that were used, or those that are missing; `what_to_do` says how
    to get a better basis, empty where the answer was observed.
    """

    claim: str
    decides: str
    action: str
    code: Code
    basis: Basis
    evidence: tuple[Answer, ...]
    what_to_do: str = ""

    @property
    def is_known(self) -> bool:
        """Whether it rests on an answer, and is not the safe action for none."""
        return self.code is Code.KNOWN


def decide(
    claim: Claim,
    version: str | None,
    platform: str,
    matrix: Matrix | UnreadableMatrix,
    local: Local | None = None,
    *,
    decides: str = "",
) -> Decision:
    """The decision that hangs on `claim` for one release on a platform such as `linux-x64`.

    `decides` names which, where several hang on it. `UnknownClaim` where none does.
    """
    rule = _rule(claim, platform, decides)
    answers = {
        entry: answer(claim, entry, version, platform, matrix, local) for entry in _entries(rule)
    }
    for option in rule.options:
        used = [answers[entry] for entry in option.entries or ("",)]
        if _holds(option, used) is True:
            return _known(claim, rule, option.action, used)
    everything = tuple(answers.values())
    if all(_holds(option, _of(option, answers)) is False for option in rule.options):
        return _known(claim, rule, rule.otherwise, _refuting(rule, answers))
    return _unknown(claim, rule, [one for one in everything if not one.is_known])


def _rule(claim: Claim, platform: str, decides: str) -> Rule:
    system = "linux" if platform.startswith("linux") else platform.partition("-")[0]
    name = decides or (claim.rules[0].decides if claim.rules else "")
    rule = claim.rule(name, system)
    if rule is None:
        raise UnknownClaim(f"nothing like {name or 'a decision'!r} hangs on {claim.id}")
    return rule


def _entries(rule: Rule) -> tuple[str, ...]:
    """Each entry once, in the order of the options; the empty one is the claim itself."""
    return tuple(dict.fromkeys(entry for one in rule.options for entry in one.entries or ("",)))


def _of(option: Option, answers: Mapping[str, Answer]) -> list[Answer]:
    return [answers[entry] for entry in option.entries or ("",)]


def _holds(option: Option, used: Iterable[Answer]) -> bool | None:
    """All of them: False as soon as one is known to be different, None while one is unknown."""
    holding: bool | None = True
    for one in used:
        if one.is_known and one.value not in option.values:
            return False
        if not one.is_known:
            holding = None
    return holding


def _refuting(rule: Rule, answers: Mapping[str, Answer]) -> list[Answer]:
    """The answers that rule every option out; what else is unknown does not matter."""
    return [
        one
        for option in rule.options
        for one in _of(option, answers)
        if one.is_known and one.value not in option.values
    ]


def _known(claim: Claim, rule: Rule, action: str, used: Iterable[Answer]) -> Decision:
    evidence = tuple({one.question: one for one in used}.values())
    basis = weakest(one.basis for one in evidence)
    return Decision(claim.id, rule.decides, action, Code.KNOWN, basis, evidence, _better(basis))


def _unknown(claim: Claim, rule: Rule, missing: list[Answer]) -> Decision:
    reason = missing[0].reason or Reason.NO_ROWS
    advice = f"{reason.meaning}, so the safe action is taken ({rule.why_safe}); {_ADVICE[reason]}"
    code = Code(reason.value)
    return Decision(claim.id, rule.decides, rule.unknown, code, Basis.NONE, tuple(missing), advice)


_LIVE = "`imprint doctor --target copilot --live` asks the Copilot that is installed"

_ADVICE = {
    Reason.NO_ROWS: _LIVE,
    Reason.BEFORE_THE_FIRST: f"{_LIVE}; a newer Copilot may be known",
    Reason.IN_DOUBT: _LIVE,
    Reason.MIXED: _LIVE,
    Reason.INCONCLUSIVE: _LIVE,
    Reason.BLOCKED: _LIVE,
    Reason.UNLISTED: f"{_LIVE}; a newer Imprint may list this release",
    Reason.NO_VERSION: "put `copilot` on PATH, so that it can be asked for its version",
    Reason.PLATFORMS_DISAGREE: _LIVE,
    Reason.UNREADABLE: "install Imprint again",
}


def _better(basis: Basis) -> str:
    match basis:
        case Basis.LOCAL | Basis.OBSERVED:
            return ""
        case Basis.BRACKETED:
            return f"inferred from an older and a newer release; {_LIVE}"
        case Basis.PROJECTED:
            return f"projected from an older release; {_LIVE}"
        case Basis.OTHER_PLATFORM:
            return f"inferred from another platform; {_LIVE}"
        case Basis.NONE:
            return _LIVE
