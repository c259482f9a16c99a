"""A distribution's recorded paths, opened from Windows: the path context of learning."""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from imprint.wsl.paths import (
    Mounts,
    UntranslatableError,
    has_drive,
    is_windows_form,
    to_linux,
    to_windows,
)
from imprint.wsl.profile import Profile
from imprint.wsl.transcripts import session_of
from imprint.wsl.windows import Share

STATE_FOLDER = "session-state"
TRANSCRIPT = "events.jsonl"


@dataclass(frozen=True, slots=True)
class WslPaths:
    """Translates what Copilot in one distribution recorded (`imprint.base.pathcontext`)."""

    distribution: str
    mounts: Mounts
    share: Share

    @property
    def name(self) -> str:
        """Such as `wsl:Ubuntu`."""
        return f"wsl:{self.distribution}"

    def local(self, recorded: str) -> Path:
        """The path that Windows opens; UntranslatableError (a ValueError) if there is none.

        Windows forms are recorded too, by programs of Windows that were started inside.
        """
        if has_drive(recorded):
            to_linux(recorded, self.distribution, self.mounts)
            return self.share.local(recorded.replace("/", "\\"))
        if is_windows_form(recorded):
            recorded = to_linux(recorded, self.distribution, self.mounts)
        return self.share.local(to_windows(recorded, self.distribution, self.mounts))


@dataclass(frozen=True, slots=True)
class Distribution:
    """All registered homes of one distribution, as draining the spool needs them."""

    profiles: tuple[Profile, ...]
    share: Share

    @property
    def paths(self) -> WslPaths:
        """The path context that they share."""
        return paths_of(self.profiles[0], self.share)

    def transcript(self, recorded: str) -> Path:
        """The transcript that a Stop payload spoke of, as Windows opens it.

        UntranslatableError for one that is not in the `session-state` of a registered home, or that
        a symbolic link leads out of it.
        """
        for profile in self.profiles:
            session = session_of(recorded, profile.home, profile.real)
            if session:
                return _checked(self.paths, profile, session)
        raise UntranslatableError("the transcript lies in no registered session-state")


def paths_of(profile: Profile, share: Share) -> WslPaths:
    """The path context of a profile."""
    return WslPaths(profile.distribution, profile.mounts, share)


def by_distribution(profiles: Iterable[Profile], share: Share) -> dict[str, Distribution]:
    """The registered distributions under the names of their path contexts, in lower case."""
    grouped: dict[str, list[Profile]] = {}
    for profile in profiles:
        grouped.setdefault(f"wsl:{profile.distribution}".lower(), []).append(profile)
    return {name: Distribution(tuple(listed), share) for name, listed in grouped.items()}


def _checked(paths: WslPaths, profile: Profile, session: str) -> Path:
    state = f"{profile.real.rstrip('/')}/{STATE_FOLDER}"
    folder = paths.local(f"{state}/{session}")
    transcript = paths.local(f"{state}/{session}/{TRANSCRIPT}")
    for path in (folder, transcript):
        if _is_link(path):
            raise UntranslatableError("a symbolic link leads out of session-state")
    return transcript


def _is_link(path: Path) -> bool:
    """Whether Windows, or Linux, would be led elsewhere; what is not there yet leads nowhere."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    # Symbolic links of Linux come as reparse points of a kind that Python does not call a link.
    return stat.S_ISLNK(found.st_mode) or bool(getattr(found, "st_reparse_tag", 0))
