"""What Imprint has in a distribution's Copilot home: the launcher, and the three files that every
Copilot home gets, as they are now, as setup wants them, and without anything of Imprint's.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from imprint.base.errors import RefusedError
from imprint.copilot import hooks_file, mcp_entry
from imprint.copilot.contract import CopilotContract
from imprint.copilot.homes import CopilotHome, HomeSource
from imprint.copilot.mcp_entry import Owner, Ownership
from imprint.copilot.parts import Part, block_part, entry_part, hooks_part
from imprint.copilot.runtime import Runtime
from imprint.edit.plan import FileChange, read
from imprint.wsl import hooks, launcher
from imprint.wsl.probe import LAUNCHER, Probe
from imprint.wsl.profile import Profile, real_launcher

PRIVATE, PROGRAM = 0o600, 0o755


class LinkedFileError(RefusedError):
    """One of the files is a symbolic link, which Windows would not follow as Linux does."""

    code = "linked-file"


@dataclass(frozen=True, slots=True)
class Target:
    """A registered home, or one that is about to be; `home` is as Windows opens it."""

    profile: Profile
    home: CopilotHome
    owner: Ownership
    launcher: Part
    entry: Part
    block: Part
    hooks: Part

    def __iter__(self) -> Iterator[Part]:
        """In the order of removal: configuration first, the program last."""
        return iter((self.entry, self.block, self.hooks, self.launcher))

    @property
    def protected(self) -> str | None:
        """What keeps setup and remove away; None where nothing does."""
        match self.owner.owner:
            case Owner.ANOTHER:
                where = f", its store in {self.owner.store}" if self.owner.store else ""
                return f"connected by another Imprint ({self.owner.program}{where})"
            case Owner.FOREIGN:
                return self.owner.reason
            case _:
                return None


def read_target(
    profile: Profile,
    contract: CopilotContract,
    *,
    store: str,
    script: bytes | None = None,
    with_hooks: bool = True,
) -> Target:
    """Read a home's four files.

    `script` is the launcher that is wanted (None where it is to be removed); `with_hooks` False
    for a distribution in which no hook could run. Raises FileError and ContentError.
    """
    home = CopilotHome(Path(profile.local), HomeSource.GIVEN, exists=True)
    program = _launcher_part(home.path / LAUNCHER, script)
    found = launcher.facts_of(program.current or b"")
    entry, owner = entry_part(
        home.mcp_config,
        hooks.entry(profile.launcher, contract) if contract.entry else None,
        _ownership(profile, store, found),
    )
    wanted = hooks.hooks_text(profile.launcher, contract)
    return Target(
        profile=profile,
        home=home,
        owner=owner,
        launcher=program,
        entry=entry,
        block=block_part(home.instructions, is_read=contract.block),
        hooks=hooks_part(
            home.hooks_file,
            wanted if contract.hooks and with_hooks else None,
            is_generated=lambda data: hooks.is_generated(data) or hooks_file.is_generated(data),
            is_imprint=lambda data: hooks.runs_launcher(data) or hooks_file.mentions_imprint(data),
        ),
    )


def refuse_links(found: Probe) -> None:
    """LinkedFileError where one of the files, or the hooks folder, is a symbolic link."""
    if found.links:
        names = ", ".join(f"{found.copilot}/{name}" for name in found.links)
        raise LinkedFileError(
            f"{names}: a symbolic link, which Windows does not follow as Linux does",
            fix="put the file itself there (cp --remove-destination), or run Imprint inside WSL",
        )


def modes_of(profile: Profile, found: Probe, changes: Iterable[FileChange]) -> dict[str, int]:
    """The permissions that written files must get again, by their path in the distribution.

    Windows replaces a file without knowing its Linux permissions; what is new is the user's alone.
    """
    modes: dict[str, int] = {}
    for change in changes:
        is_in_home = change.path.is_relative_to(profile.local)
        if is_in_home and change.is_change and change.after is not None:
            name = change.path.relative_to(profile.local).as_posix()
            modes[f"{profile.real.rstrip('/')}/{name}"] = found.modes.get(name, PRIVATE)
    return modes


def same_store(one: str, other: str) -> bool:
    """Whether two Imprint homes are one, as the system compares names."""
    return os.path.normcase(os.path.normpath(one)) == os.path.normcase(os.path.normpath(other))


def _ownership(
    profile: Profile, store: str, found: launcher.LauncherFacts | None
) -> Callable[[object], Ownership]:
    """An entry that starts our launcher is ours, unless that launcher is another installation's."""
    places = dict.fromkeys((profile.launcher, real_launcher(profile)))
    runtimes = [Runtime(Path(place), Path(), Path(store), version="") for place in places]

    def judge(value: object) -> Ownership:
        owners = [mcp_entry.ownership(value, runtime) for runtime in runtimes]
        owner = next((one for one in owners if one.is_ours), owners[0])
        if owner.is_ours and found is not None and not same_store(found.store, store):
            return Ownership(Owner.ANOTHER, profile.launcher, found.store)
        return owner

    return judge


def _launcher_part(path: Path, script: bytes | None) -> Part:
    current = read(path)
    is_ours = current is None or launcher.facts_of(current) is not None
    return Part(
        name="launcher",
        path=path,
        current=current,
        wanted=script,
        without=None if is_ours else current,
        is_clean=lambda data: launcher.facts_of(data) is None,
        edited=current is not None and not launcher.is_generated(current),
    )
