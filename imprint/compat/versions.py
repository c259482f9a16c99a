"""The order of releases: that of semver, in which 1.0.79-6 comes before 1.0.79."""

import functools
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import semver

from imprint.compat.errors import UnknownRelease


def order(version: str) -> semver.Version:
    """What to sort a version by; `ValueError` where it is none."""
    return semver.Version.parse(version)


def in_order(versions: Iterable[str]) -> tuple[str, ...]:
    """The versions, each once, oldest first."""
    return tuple(sorted(set(versions), key=order))


@dataclass(frozen=True, slots=True)
class Line:
    """Every listed release, oldest first: what lies between, before and after is asked of it."""

    versions: tuple[str, ...]
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Neighbours alone: sorting all of them compares five times as often.
        neighbours = pairwise(map(order, self.versions))
        if not all(older < newer for older, newer in neighbours):
            raise ValueError("releases must be in semver order, each once")
        places = {version: place for place, version in enumerate(self.versions)}
        object.__setattr__(self, "_places", places)

    def __contains__(self, version: object) -> bool:
        return version in self._places

    def place(self, version: str) -> int:
        """How many releases are older."""
        try:
            return self._places[version]
        except KeyError:
            raise UnknownRelease(
                f"no release {version} is listed", fix=self._near(version)
            ) from None

    def _near(self, version: str) -> str:
        """The listed releases around one that is not; the newest where it is no version."""
        try:
            place = bisect_left(self.versions, order(version), key=order)
        except (ValueError, TypeError):
            return f"give one such as {self.versions[-1]}" if self.versions else ""
        around = self.versions[max(0, place - 1) : place + 1]
        return f"the nearest listed: {', '.join(around)}" if around else ""

    def between(self, first: str, last: str) -> tuple[str, ...]:
        """The releases from `first` to `last`, both included."""
        return self.versions[self.place(first) : self.place(last) + 1]

    def before(self, version: str) -> str | None:
        """The release before, None for the first."""
        place = self.place(version)
        return self.versions[place - 1] if place else None

    def after(self, version: str) -> str | None:
        """The release after, None for the newest."""
        place = self.place(version)
        return self.versions[place + 1] if place + 1 < len(self.versions) else None


@functools.lru_cache(maxsize=8)
def line_of(versions: tuple[str, ...]) -> Line:
    """The line of these releases; `ValueError` where they are not in order."""
    return Line(versions)
