"""A real Copilot in the stand-in of a distribution; on its Windows side, Windows' CPython."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from containers.errors import NoWine
from containers.sealed import Sealed
from containers.wsl_distro.claims import CLAIMS, ask
from containers.wsl_distro.interop import NoInterop
from containers.wsl_distro.wine_python import STORE, wine_python
from containers.wsl_distro.world import World, world
from imprint.base.paths import Environment
from imprint.compat import Attempt, Outcome
from imprint.sandbox.release import Release

pytestmark = [pytest.mark.container, pytest.mark.copilot, pytest.mark.wine]

FILES = ("imprint-wsl", "hooks/imprint.json", "mcp-config.json", "copilot-instructions.md")


@dataclass(frozen=True, slots=True)
class Seen:
    """What one world showed, which is gone since: `folders` are those that it had."""

    given: Mapping[str, Attempt]
    asked: tuple[Mapping[str, object], ...]
    profile: Mapping[str, object]
    launcher: str
    written: tuple[str, ...]
    removed: int
    left_in_home: tuple[str, ...]
    crashes: str
    folders: tuple[Path, ...]


@pytest.fixture(scope="module")
def seen(sealed: Sealed, fetch: Callable[[str], Release], pinned: str, host: Environment) -> Seen:
    """The whole round trip, once; in CI it is a failure that Wine is not there."""
    release = fetch(pinned)
    try:
        with world(sealed.engine, sealed.image, sealed.python, release, host, wine_python) as both:
            found = look(both)
    except (NoInterop, NoWine) as error:
        if host.get("CI"):
            pytest.fail(f"{error.message}; {error.fix}", pytrace=False)
        pytest.skip(f"capability: {error.message}")
    return found


def look(both: World) -> Seen:
    """Everything is asked here, in the order of a user's life: set up, used, removed."""
    given = ask(both)
    store = both.windows.drive / STORE.removeprefix("C:\\").replace("\\", "/")
    (profile,) = (
        path for path in (store / "wsl").glob("*.json") if not path.name.endswith(".receipt.json")
    )
    read = json.loads(profile.read_bytes())
    launcher = (both.copilot_home / "imprint-wsl").read_text(encoding="utf-8")
    written = ours(both)
    ended = both.imprint("wsl", "remove")
    folders = (both.folder, both.windows.drive.parent)
    crashes = "".join(one.read_text(encoding="utf-8") for one in store.rglob("crash.log"))
    return Seen(
        given=given,
        asked=both.asked(),
        profile=read,
        launcher=launcher,
        written=written,
        removed=ended.exit_code,
        left_in_home=ours(both),
        crashes=crashes,
        folders=folders,
    )


def ours(both: World) -> tuple[str, ...]:
    return tuple(name for name in FILES if (both.copilot_home / name).exists())


def test_hooks_answer_the_note_reaches_the_model_and_the_session_is_learned(seen: Seen) -> None:
    assert {claim: (one.outcome, one.value) for claim, one in seen.given.items()} == dict.fromkeys(
        CLAIMS, (Outcome.OBSERVED, "yes")
    )


def test_windows_imprint_reads_the_home_through_the_share_of_wsl(seen: Seen) -> None:
    assert seen.profile["local"] == "\\\\wsl.localhost\\Ubuntu-24.04\\home\\ada\\copilot"


def test_the_launcher_starts_the_python_that_ran_setup(seen: Seen) -> None:
    assert "python='/mnt/c/Program Files/Imprint'\"'\"'s/python.exe'" in seen.launcher
    assert f"store='{STORE}'" in seen.launcher


def test_windows_programs_were_started_by_the_distribution_and_ended_well(seen: Seen) -> None:
    hooks = [one for one in seen.asked if "--distribution" in str(one.get("argv"))]
    assert len(hooks) >= 4  # setup's own, by hand, and those of the session
    assert [one for one in hooks if one["exit_code"] != 0] == []


def test_the_stand_ins_were_asked_nothing_that_they_do_not_know(seen: Seen) -> None:
    assert [one for one in seen.asked if "unexpected" in one] == []


def test_setup_wrote_four_files_and_remove_took_them_away(seen: Seen) -> None:
    assert seen.written == FILES
    assert seen.removed == 0
    assert seen.left_in_home == ()


def test_what_the_stop_hook_detaches_needs_no_console(seen: Seen) -> None:
    assert seen.crashes == ""


def test_nothing_is_left_behind(seen: Seen) -> None:
    assert [folder for folder in seen.folders if folder.exists()] == []
    assert [pid for pid in Path("/proc").glob("[0-9]*") if belongs(pid, seen.folders)] == []
    assert not Path("/proc/sys/fs/binfmt_misc/ImprintInterop").exists()


def belongs(process: Path, folders: tuple[Path, ...]) -> bool:
    """Whether a process has one of the folders in its command line or its environment."""
    try:
        said = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False  # it has ended, or it is another user's
    return any(bytes(folder) in said for folder in folders)
