"""A release that is asked in the stand-in of a WSL distribution: the claims of tier C."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from imprint.compat import Attempt, Claim, Outcome, Tier, row_of, shipped_catalogue
from imprint.sandbox.release import Release
from probes.asking import Asked, ReleaseRun

ISOLATION = "container"


class Distributions(Protocol):
    """What asks all claims of tier C of a release, once, in a distribution of its own."""

    def ask_in_distribution(self, release: Release) -> Mapping[str, Attempt]: ...


def platform_of(platform: str) -> str:
    """A distribution is a platform of its own: `linux-x64-wsl` on `linux-x64`."""
    return f"{platform}-wsl"


def claims_of_distributions() -> tuple[str, ...]:
    """The ids of the claims that only a distribution can answer."""
    return tuple(claim for claim in shipped_catalogue().claims if is_of_distributions(claim))


def is_of_distributions(claim: str) -> bool:
    """Whether a claim is of tier C."""
    return Tier.CONTAINER in shipped_catalogue()[claim].tiers


@dataclass(slots=True)
class DistributionRun:
    """One release; the first claim that is asked runs `attempts` distributions.

    `plain` is the run without one: it answers where the release can't be had.
    """

    distributions: Distributions
    plain: ReleaseRun
    attempts: int
    _given: list[Mapping[str, Attempt]] = field(default_factory=list)

    def ask(self, claim: Claim) -> Asked:
        """One row; `ImprintError` where a distribution can't be played."""
        release = self.plain.release
        if release is None:
            return self.plain.ask(claim)
        while len(self._given) < self.attempts:
            self._given.append(self.distributions.ask_in_distribution(release))
        attempts = [given[claim.id] for given in self._given]
        is_seen = any(one.outcome is Outcome.OBSERVED for one in attempts)
        run = self.plain.circumstances()
        return Asked(
            row_of(claim.id, claim.tiers[0].evidence, attempts),
            msgspec.structs.replace(
                run,
                platform=platform_of(run.platform),
                # Every session that counts told its version (containers.wsl_distro.claims).
                reported_version=release.version if is_seen else "",
                isolation=ISOLATION,
            ),
        )
