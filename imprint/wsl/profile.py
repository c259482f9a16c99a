"""What this Imprint set up in distributions: one small file each in `IMPRINT_HOME/wsl`.

The bridge reads it at every hook, learning at every run; beside it lies the receipt by which
`imprint wsl remove` gives back the original bytes.
"""

import contextlib
import hashlib
import os
import re
from pathlib import Path

import msgspec

from imprint.base.errors import RefusedError
from imprint.base.paths import Layout
from imprint.wsl.paths import Mounts, to_windows
from imprint.wsl.probe import LAUNCHER, Probe
from imprint.wsl.windows import Share

SCHEMA = 1

_NAME = re.compile(r"[0-9a-f]{16}\.json")


class ProfileDamaged(RefusedError):
    """A profile that cannot be read."""

    code = "wsl-profile-damaged"


class Profile(msgspec.Struct, frozen=True):
    """One registered Copilot home.

    `home` is as Copilot in the distribution names it, `real` the same folder without symbolic
    links, `local` as Windows opens it; `mounts` are those of the distribution when it was set up,
    `hooks` says whether hooks could run there.
    """

    distribution: str
    user: str
    home: str
    real: str
    local: str
    mounts: Mounts
    hooks: bool = True
    client: str = "copilot"
    version: int = SCHEMA

    @classmethod
    def of(cls, distribution: str, probe: Probe, share: Share) -> "Profile":
        """The profile of what was found in a distribution, whose home exists."""
        local = share.local(to_windows(probe.real, distribution, probe.mounts))
        return cls(
            distribution,
            probe.user,
            probe.copilot,
            probe.real,
            str(local),
            probe.mounts,
            hooks=probe.bash,
        )

    @property
    def key(self) -> str:
        """One per distribution (in whatever case) and real folder."""
        text = f"{self.distribution.lower()}\0{self.real}"
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]

    @property
    def launcher(self) -> str:
        """The launcher, as Copilot starts it."""
        return f"{self.home.rstrip('/')}/{LAUNCHER}"

    @property
    def is_reachable(self) -> bool:
        """Whether the home is there; looking starts a distribution that does not run."""
        return os.path.isdir(self.local)  # noqa: PTH112 - never raises


def real_launcher(profile: Profile) -> str:
    """The launcher without symbolic links on the way to it."""
    return f"{profile.real.rstrip('/')}/{LAUNCHER}"


def folder_of(layout: Layout) -> Path:
    """Where the profiles lie."""
    return layout.wsl


def profile_path(layout: Layout, profile: Profile) -> Path:
    """The profile's own file."""
    return folder_of(layout) / f"{profile.key}.json"


def receipt_path(layout: Layout, profile: Profile) -> Path:
    """The receipt beside it."""
    return folder_of(layout) / f"{profile.key}.receipt.json"


def encode(profile: Profile) -> bytes:
    """The profile's file."""
    return msgspec.json.format(msgspec.json.encode(profile), indent=2) + b"\n"


def load_profiles(layout: Layout, *, tolerant: bool = False) -> tuple[Profile, ...]:
    """Every registered home, by distribution and home.

    ProfileDamaged names a file that is bad; `tolerant` passes it over, where one bad record must
    not stop everything else.
    """
    try:
        names = sorted(path for path in folder_of(layout).iterdir() if _NAME.fullmatch(path.name))
    except FileNotFoundError:
        return ()
    found = []
    for path in names:
        with contextlib.suppress(*((ProfileDamaged,) if tolerant else ())):
            found.append(_load(path))
    return tuple(sorted(found, key=lambda item: (item.distribution.lower(), item.home)))


def _load(path: Path) -> Profile:
    fix = f"run `imprint wsl setup` for that distribution again, or delete {path}"
    try:
        profile = msgspec.json.decode(path.read_bytes(), type=Profile)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProfileDamaged(f"{path} cannot be read: {error}", fix=fix) from error
    if profile.version > SCHEMA:
        raise ProfileDamaged(f"{path} was written by a newer Imprint", fix="upgrade Imprint")
    return profile
