"""The catalogue: every claim, by id."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType

from imprint.compat.claim import Claim, ClaimFile, Kind, Option
from imprint.compat.errors import DataInvalid, UnknownClaim
from imprint.compat.observation import Observations, Outcome, Row
from imprint.compat.values import Question

_DIGEST = re.compile("sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All claims in the order of the files; `titles` are those of the areas."""

    claims: Mapping[str, Claim]
    titles: Mapping[str, str]

    def __getitem__(self, claim: str) -> Claim:
        try:
            return self.claims[claim]
        except KeyError:
            raise UnknownClaim(f"there is no claim {claim!r}", fix=self._near(claim)) from None

    def _near(self, claim: str) -> str:
        """What may have been meant."""
        from difflib import get_close_matches

        close = get_close_matches(claim, self.claims, n=3)
        close += [name for name in self.claims if claim in name and name not in close][:3]
        near = f"did you mean {', '.join(close)}? " if claim and close else ""
        return f"{near}`imprint compat show` lists the claims"

    def matching(self, pattern: str) -> tuple[Claim, ...]:
        """The claims whose ids match, such as `hooks.payload.*`."""
        return tuple(claim for claim in self.claims.values() if fnmatchcase(claim.id, pattern))

    def question(self, text: str) -> Question:
        """What `id` or `id[Entry]` asks for; `UnknownClaim` where it is neither."""
        question = Question.parse(text)
        claim = self[question.claim if question else text]
        entry = question.entry if question else ""
        if entry and not claim.has_entry(entry):
            known = f"its entries: {', '.join(claim.keys)}" if claim.keys else "it is no table"
            raise UnknownClaim(f"{claim.id} has no entry {entry!r}", fix=known)
        return Question(claim.id, entry)


def catalogue(files: Iterable[ClaimFile]) -> Catalogue:
    """The catalogue of these files; `DataInvalid` where a claim contradicts itself or another."""
    claims: dict[str, Claim] = {}
    titles: dict[str, str] = {}
    for file in files:
        titles[file.area] = file.title
        for claim in file.claims:
            if claim.id in claims:
                raise DataInvalid(f"the claim {claim.id} is there twice")
            problems = tuple(_contradictions(claim))
            if problems:
                raise DataInvalid("; ".join(problems))
            claims[claim.id] = claim
    return Catalogue(MappingProxyType(claims), MappingProxyType(titles))


def objections(found: Catalogue, observations: Observations) -> tuple[str, ...]:
    """What in a run does not fit the catalogue: strange or repeated claims, impossible values."""
    said: list[str] = []
    seen: set[str] = set()
    for row in observations.rows:
        claim = found.claims.get(row.claim)
        if claim is None or row.claim in seen:
            said.append(f"{row.claim} is {'no claim' if claim is None else 'there twice'}")
            continue
        seen.add(row.claim)
        said.extend(_unfounded(row))
        values = (*row.attempts, *(() if row.value is None else (row.value,)))
        said.extend(problem for value in values for problem in claim.objections(value))
    return tuple(dict.fromkeys(said))


def _unfounded(row: Row) -> Iterable[str]:
    """An answer needs a value, controls and evidence; none needs a reason."""
    if row.outcome is not Outcome.OBSERVED:
        if not row.reason:
            yield f"{row.claim} is {row.outcome} for no reason"
        if row.value is not None:
            yield f"{row.claim} is {row.outcome} and has a value all the same"
        return
    if row.value is None or row.controls is None or not _DIGEST.fullmatch(row.evidence):
        yield f"{row.claim} is observed without value, controls or digest of the evidence"


def _contradictions(claim: Claim) -> Iterable[str]:
    named = Question.parse(claim.id)
    if named is None or named.entry:
        yield f"{claim.id!r} is no name for a claim"
    if claim.kind is Kind.ENUM and len(claim.values) < 2:
        yield f"{claim.id}: an enum needs two values at least"
    if not claim.tiers:
        yield f"{claim.id}: no tier can settle it"
    for name in (*claim.numbers, *claim.entry_values):
        if not claim.has_entry(name):
            yield f"{claim.id} has no entry {name!r}"
    for rule in claim.rules:
        if not rule.options:
            yield f"{claim.id}: {rule.decides} has no option"
        for option in rule.options:
            yield from _of_option(claim, option)
    for statement in claim.statements:
        yield from _of_answer(claim, statement.entry, statement.says)


def _of_option(claim: Claim, option: Option) -> Iterable[str]:
    for entry in option.entries or ("",):
        for value in option.values:
            yield from _of_answer(claim, entry, value)


def _of_answer(claim: Claim, entry: str, value: str) -> Iterable[str]:
    yield from claim.objections({entry: value} if entry else value)
