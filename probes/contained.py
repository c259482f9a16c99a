"""A release that is asked in a container: the same rows, from behind thicker walls."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from imprint.compat import Claim
from imprint.sandbox.release import Release
from probes.asking import Asked, ReleaseRun


class Walls(Protocol):
    """What asks claims of a release in a container."""

    def ask(self, release: Release, claims: Sequence[str], attempts: int) -> tuple[Asked, ...]: ...


@dataclass(slots=True)
class ContainedRun:
    """One release; the first claim that is asked takes all of them into one container.

    `plain` is the run without a container: it answers where the release can't be had.
    """

    walls: Walls
    plain: ReleaseRun
    claims: tuple[str, ...]
    attempts: int
    _rows: dict[str, Asked] = field(default_factory=dict)

    def ask(self, claim: Claim) -> Asked:
        """One row; `ImprintError` where the container fails, for every claim."""
        if self.plain.release is None:
            return self.plain.ask(claim)
        if not self._rows:
            asked = self.walls.ask(self.plain.release, self.claims, self.attempts)
            self._rows.update((one.row.claim, one) for one in asked)
        return self._rows[claim.id]
