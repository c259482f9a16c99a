"""The gate: from an answer to what the adapter does. Pure; an unknown is never silently a yes."""

from collections.abc import Iterable, Sequence
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
    COPILOTS_DISAGREE = "copilots-disagree"


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


@dataclass(frozen=True, slots=True)
class Asked:
    """One Copilot that a decision must be right for; `local` is what was seen of its executable."""

    version: str | None
    local: Local | None = None


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
    return decide_for(claim, (Asked(version, local),), platform, matrix, decides=decides)


def decide_for(
    claim: Claim,
    copilots: Sequence[Asked],
    platform: str,
    matrix: Matrix | UnreadableMatrix,
    *,
    decides: str = "",
) -> Decision:
    """The decision that is right for every one of several Copilots, else the safe action.

    An option is right where it is known to hold for all. None at all is one of unknown version.
    """
    rule = _rule(claim, platform, decides)
    answers = [_answers(claim, rule, one, platform, matrix) for one in copilots or (Asked(None),)]
    tried = [
        _Tried(option, tuple(_of(option, each) for each in answers)) for option in rule.options
    ]
    for one in tried:
        if one.is_right_for_all:
            return _known(claim, rule, one.option.action, one.answers)
    if all(one.is_wrong_for_all for one in tried):
        return _known(claim, rule, rule.otherwise, _refuting(tried))
    if all(one.is_wrong_for_some and one.is_known_for_all for one in tried):
        return _divided(claim, rule, [answer for one in tried for answer in one.answers])
    everything = [answer for each in answers for answer in each.values()]
    return _unknown(claim, rule, [one for one in everything if not one.is_known])


@dataclass(frozen=True, slots=True)
class _Tried:
    """An option, and the answers that it needs, by Copilot."""

    option: Option
    used: tuple[tuple[Answer, ...], ...]

    @property
    def answers(self) -> tuple[Answer, ...]:
        return tuple(answer for each in self.used for answer in each)

    @property
    def is_right_for_all(self) -> bool:
        return all(_holds(self.option, each) is True for each in self.used)

    @property
    def is_wrong_for_all(self) -> bool:
        return all(_holds(self.option, each) is False for each in self.used)

    @property
    def is_wrong_for_some(self) -> bool:
        return any(_holds(self.option, each) is False for each in self.used)

    @property
    def is_known_for_all(self) -> bool:
        return all(_holds(self.option, each) is not None for each in self.used)


def _answers(
    claim: Claim, rule: Rule, asked: Asked, platform: str, matrix: Matrix | UnreadableMatrix
) -> dict[str, Answer]:
    """One Copilot's, by entry; the empty entry is the claim itself."""
    return {
        entry: answer(claim, entry, asked.version, platform, matrix, asked.local)
        for option in rule.options
        for entry in option.entries or ("",)
    }


def _rule(claim: Claim, platform: str, decides: str) -> Rule:
    system = "linux" if platform.startswith("linux") else platform.partition("-")[0]
    name = decides or (claim.rules[0].decides if claim.rules else "")
    rule = claim.rule(name, system)
    if rule is None:
        raise UnknownClaim(f"nothing like {name or 'a decision'!r} hangs on {claim.id}")
    return rule


def _of(option: Option, answers: dict[str, Answer]) -> tuple[Answer, ...]:
    return tuple(answers[entry] for entry in option.entries or ("",))


def _holds(option: Option, used: Iterable[Answer]) -> bool | None:
    """All of them: False as soon as one is known to be different, None while one is unknown."""
    holding: bool | None = True
    for one in used:
        if one.is_known and one.value not in option.values:
            return False
        if not one.is_known:
            holding = None
    return holding


def _refuting(tried: Iterable[_Tried]) -> list[Answer]:
    """The answers that rule every option out; what else is unknown does not matter."""
    return [
        answer
        for one in tried
        for answer in one.answers
        if answer.is_known and answer.value not in one.option.values
    ]


def _known(claim: Claim, rule: Rule, action: str, used: Iterable[Answer]) -> Decision:
    evidence = _once(used)
    basis = weakest(one.basis for one in evidence)
    return Decision(claim.id, rule.decides, action, Code.KNOWN, basis, evidence, _better(basis))


def _unknown(claim: Claim, rule: Rule, missing: list[Answer]) -> Decision:
    reason = missing[0].reason or Reason.NO_ROWS
    advice = f"{reason.meaning}, so the safe action is taken ({rule.why_safe}); {_ADVICE[reason]}"
    code = Code(reason.value)
    return Decision(claim.id, rule.decides, rule.unknown, code, Basis.NONE, _once(missing), advice)


def _divided(claim: Claim, rule: Rule, used: Iterable[Answer]) -> Decision:
    """Known of each, and no one option is right for all."""
    known = _once(one for one in used if one.is_known)
    advice = f"{DISAGREE}, so the safe action is taken ({rule.why_safe}); {_UPDATE}"
    code = Code.COPILOTS_DISAGREE
    return Decision(claim.id, rule.decides, rule.unknown, code, Basis.NONE, known, advice)


def _once(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    return tuple({(one.question, one.version): one for one in answers}.values())


_LIVE = "`imprint doctor --target copilot --live` asks the Copilot that is installed"

_UPDATE = "update the older one"

DISAGREE = "the Copilots that use this home need different things"
"""The meaning of `copilots-disagree`, as the end of a sentence."""

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
