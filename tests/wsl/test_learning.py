"""What Copilot recorded in a distribution is learned from Windows, in its path context."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from imprint import hook_entry
from imprint.learn import LearnReport, SkipReason, drain_spool, learn_homes, load_policy
from imprint.learn.spool_folder import pending
from imprint.memory import Memory
from imprint.wsl.context import WslPaths
from imprint.wsl.learning import announcing, session_states
from imprint.wsl.paths import UntranslatableError
from imprint.wsl.windows import FolderShare, NativeShare, share_of
from tests.capabilities import needs_any_names
from tests.learn.support import Transcript
from tests.wsl.windows import Linux, Windows

APP = "/home/ada/app"


@pytest.fixture
def linux(ubuntu: Linux) -> Linux:
    """A distribution in which Imprint is set up."""
    ubuntu.setup()
    return ubuntu


@pytest.fixture
def memory(windows: Windows) -> Iterator[Memory]:
    """The memory on Windows."""
    with Memory.open(windows.world.layout().store) as memory:
        yield memory


def turn(name: str = "s", cwd: str = APP) -> bytes:
    return Transcript(name).start(cwd).turn(f"asked {name}", f"told {name}").stop().bytes


def record(linux: Linux, name: str = "s", cwd: str = APP) -> str:
    """A session that Copilot wrote; its path in the distribution."""
    return str(linux.put(f"session-state/{name}/events.jsonl", turn(name, cwd)))


def scan(windows: Windows, memory: Memory) -> LearnReport:
    world = windows.world
    states = session_states(world)
    return learn_homes(memory, states, policy=load_policy(world), layout=world.layout())


def announce(windows: Windows, transcript: str, name: str = "Ubuntu") -> None:
    payload: dict[str, object] = {"transcript_path": transcript, "session_id": "s"}
    store = str(windows.world.imprint_home)
    assert hook_entry.write_spool_entry(store, payload, f"wsl:{name}")


def drain(windows: Windows) -> LearnReport:
    return drain_spool(windows.world, elsewhere=announcing(windows.world), wait_seconds=0)


def texts(memory: Memory, name: str = "s") -> list[str]:
    detail = memory.session(f"conversation/{name}")
    return [turn.text for turn in detail.turns] if detail else []


def test_a_scan_reads_the_sessions_of_registered_distributions(
    linux: Linux, memory: Memory
) -> None:
    record(linux)
    report = scan(linux.windows, memory)
    assert (report.learned, report.turns) == (1, 2)
    assert texts(memory) == ["asked s", "told s"]
    detail = memory.session("conversation/s")
    assert detail is not None
    assert detail.row.directory == APP
    assert scan(linux.windows, memory).unchanged == 1


@pytest.mark.parametrize(
    ("root", "cwd"),
    [
        ("/home/ada", APP),
        ("\\\\\\\\wsl.localhost\\\\Ubuntu\\\\home\\\\ada", APP),
        ("\\\\\\\\wsl$\\\\Ubuntu\\\\home\\\\ada\\\\app", APP),
        ("C:\\\\Users", "{drive}/Users/ada/app"),
    ],
)
def test_the_policy_counts_under_either_name(
    linux: Linux, memory: Memory, root: str, cwd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A policy compares names alone, so those of a real Windows can be given here.
    monkeypatch.setattr("imprint.wsl.learning.share_of", lambda _: _Named(linux))
    config = linux.windows.world.layout().config
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'exclude = ["{root}"]\n', encoding="utf-8")
    record(linux, cwd=cwd.format(drive=linux.windows.drive))
    report = scan(linux.windows, memory)
    assert report.skipped == {SkipReason.EXCLUDED: 1}


class _Named(NativeShare):
    """A share that opens the transcripts, and gives all else its Windows name."""

    def __init__(self, linux: Linux) -> None:
        self.folder = share_of(linux.windows.world)
        self.state = f"{linux.copilot}/session-state".replace("/", "\\")

    def local(self, windows: str) -> Path:
        return (self.folder if windows.endswith(self.state) else super()).local(windows)


def test_an_announced_turn_is_learned_and_its_entry_removed(linux: Linux, memory: Memory) -> None:
    announce(linux.windows, record(linux), "UBUNTU")
    report = drain(linux.windows)
    assert (report.learned, report.turns) == (1, 2)
    assert texts(memory) == ["asked s", "told s"]
    assert pending(linux.windows.world.layout()) == []
    digest = linux.windows.world.layout().digests / hook_entry.digest_name(APP)
    assert json.loads(digest.read_bytes())["directory"] == APP


def test_turns_of_a_distribution_that_was_removed_are_dropped(linux: Linux, memory: Memory) -> None:
    announce(linux.windows, record(linux))
    linux.remove()
    assert drain(linux.windows).learned == 0
    assert pending(linux.windows.world.layout()) == []
    assert texts(memory) == []


def test_what_a_link_leads_to_is_not_learned(linux: Linux, memory: Memory, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "events.jsonl").write_bytes(turn("out"))
    state = linux.copilot / "session-state"
    state.mkdir()
    (state / "folder").symlink_to(outside)
    (state / "file").mkdir()
    (state / "file/events.jsonl").symlink_to(outside / "events.jsonl")
    for name in ("folder", "file"):
        announce(linux.windows, str(state / name / "events.jsonl"))
    for path in ("/etc/passwd", str(outside / "events.jsonl"), f"{state}/../x/events.jsonl"):
        announce(linux.windows, path)
    assert drain(linux.windows).learned == 0
    assert pending(linux.windows.world.layout()) == []
    assert memory.sessions(10) == []


def test_a_distribution_that_is_gone_has_no_sessions(linux: Linux, memory: Memory) -> None:
    record(linux)
    linux.windows.unregister("Ubuntu")
    assert session_states(linux.windows.world) == []
    assert scan(linux.windows, memory).learned == 0


def test_one_conversation_in_two_distributions_is_told_apart_by_its_id(
    windows: Windows, memory: Memory
) -> None:
    for name in ("Ubuntu", "Debian"):
        linux = windows.distribution(name)
        linux.setup()
        record(linux, f"in-{name}")
    report = scan(windows, memory)
    assert report.learned == 2
    assert texts(memory, "in-Debian") == ["asked in-Debian", "told in-Debian"]


# --- the path context --------------------------------------------------------------------------

NATIVE = WslPaths("Ubuntu", (("/mnt/c", "C:"),), NativeShare())


@pytest.mark.parametrize(
    ("recorded", "local"),
    [
        ("/home/ada/a:b", "\\\\wsl.localhost\\Ubuntu\\home\\ada\\a\uf03ab"),
        ("/mnt/c/app", "C:\\app"),
        ("C:/app", "C:\\app"),
        ("//wsl$/ubuntu/home", "\\\\wsl.localhost\\Ubuntu\\home"),
    ],
)
def test_recorded_paths_become_paths_of_windows(recorded: str, local: str) -> None:
    assert NATIVE.name == "wsl:Ubuntu"
    assert str(NATIVE.local(recorded)) == local


@pytest.mark.parametrize(
    "recorded", ["app", "", "Z:\\app", "\\\\wsl.localhost\\Debian\\home", "/.."]
)
def test_what_has_no_path_on_windows_is_a_value_error(recorded: str) -> None:
    with pytest.raises(UntranslatableError):
        NATIVE.local(recorded)


@needs_any_names
def test_a_folder_can_stand_for_the_share_with_the_names_of_linux(tmp_path: Path) -> None:
    paths = WslPaths("Ubuntu", (), FolderShare(tmp_path))
    assert paths.local("/home/ada/a:b?") == tmp_path / "Ubuntu/home/ada/a:b?"
    assert paths.local("/") == tmp_path / "Ubuntu"
