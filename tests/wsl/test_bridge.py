"""The bridge answers a distribution's payloads as the native hook answers Windows' own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint import hook_entry
from imprint.wsl import bridge
from imprint.wsl.bridge import UnregisteredTranscript
from imprint.wsl.launcher import START
from imprint.wsl.profile import Profile, encode, folder_of
from imprint.wsl.transcripts import session_of
from tests.wsl.windows import Windows

CHECKOUT = Path(bridge.__file__).parents[2]
HOME = "/home/ada/.copilot"
TRANSCRIPT = f"{HOME}/session-state/abc/events.jsonl"
MOUNTS = (("/mnt/c", "C:"),)


@pytest.fixture
def store(windows: Windows) -> Path:
    """An Imprint home on Windows with one registered home in Ubuntu, and its session folder."""
    root = windows.world.imprint_home
    local = windows.root / "local"
    (local / "session-state/abc").mkdir(parents=True)
    profile = Profile("Ubuntu", "ada", HOME, "/data/copilot", str(local), MOUNTS)
    folder = folder_of(windows.world.layout())
    folder.mkdir(parents=True)
    (folder / f"{profile.key}.json").write_bytes(encode(profile))
    (folder / f"{profile.key}.receipt.json").write_text("{}", encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The importers that would have been started."""
    found: list[str] = []
    monkeypatch.setattr(hook_entry, "start_importer", found.append)
    return found


def ask(store: Path, action: str, payload: dict[str, object], name: str = "Ubuntu") -> object:
    return bridge.answer(name, action, str(store), payload)


def spooled(store: Path) -> list[dict[str, object]]:
    found = [hook_entry.read_spool_entry(str(path)) for path in (store / "spool").glob("*.json")]
    return [entry for entry in found if entry is not None]


def digest(store: Path, directory: str, text: str) -> None:
    name = hook_entry.digest_name(directory) if directory else hook_entry.GLOBAL_DIGEST
    (store / "digests").mkdir(exist_ok=True)
    data = {"version": 1, "directory": directory, "text": text}
    (store / "digests" / name).write_text(json.dumps(data), encoding="utf-8")


SNAKE = {"hook_event_name": "Stop", "session_id": "abc", "transcript_path": TRANSCRIPT}
CAMEL = {"sessionId": "abc", "transcriptPath": TRANSCRIPT}


@pytest.mark.parametrize("payload", [SNAKE, CAMEL])
def test_stop_notes_the_turn_in_its_path_context(
    store: Path, started: list[str], payload: dict[str, object]
) -> None:
    assert ask(store, "stop", {**payload, "cwd": "/home/ada/app"}, "UBUNTU") == {}
    (entry,) = spooled(store)
    assert (entry["context"], entry["transcript_path"]) == ("wsl:UBUNTU", TRANSCRIPT)
    assert (entry["cwd"], entry["session_id"]) == ("/home/ada/app", "abc")
    assert started == [str(store)]


@pytest.mark.parametrize(
    "path",
    [
        TRANSCRIPT,
        "/data/copilot/session-state/abc/events.jsonl",
        "\\\\wsl.localhost\\Ubuntu\\home\\ada\\.copilot\\session-state\\abc\\events.jsonl",
        "//wsl$/ubuntu/home/ada/.copilot/session-state/abc/events.jsonl",
    ],
)
def test_every_name_of_a_registered_transcript_is_accepted(store: Path, path: str) -> None:
    ask(store, "stop", {"transcript_path": path})
    (entry,) = spooled(store)
    assert str(entry["transcript_path"]).endswith("/session-state/abc/events.jsonl")


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        f"{HOME}/session-state/../../../etc/events.jsonl",
        f"{HOME}/session-state/abc/../../x/events.jsonl",
        f"{HOME}/session-state/../events.jsonl",
        f"{HOME}/session-state//events.jsonl",
        f"{HOME}/session-state/abc/deep/events.jsonl",
        f"{HOME}/session-state/abc/other.jsonl",
        f"{HOME}/events.jsonl",
        "/home/bob/.copilot/session-state/abc/events.jsonl",
        "C:\\Users\\ada\\.copilot\\session-state\\abc\\events.jsonl",
        "events.jsonl",
    ],
)
def test_a_transcript_elsewhere_is_refused(store: Path, started: list[str], path: str) -> None:
    with pytest.raises(UnregisteredTranscript):
        ask(store, "stop", {"transcript_path": path})
    assert spooled(store) == []
    assert started == []


def test_an_empty_path_is_found_by_the_layout(store: Path) -> None:
    for session in ("missing", "..", "a/b", "", "abc"):
        ask(store, "stop", {"session_id": session, "transcript_path": ""})
    (entry,) = spooled(store)
    assert entry["transcript_path"] == "/data/copilot/session-state/abc/events.jsonl"


@pytest.mark.parametrize(
    ("directory", "cwd"),
    [
        ("/home/ada/app", "/home/ada/app/src"),
        ("C:\\Users\\Ada\\app", "/mnt/c/users/ada/app/src"),
        ("/mnt/c/app", "C:\\app"),
        ("\\\\wsl.localhost\\Ubuntu\\home\\ada\\app", "/home/ada/app"),
    ],
)
def test_session_start_knows_a_project_by_both_names(store: Path, directory: str, cwd: str) -> None:
    digest(store, directory, "of the project")
    digest(store, "", "for all")
    start: dict[str, object] = {"cwd": cwd}
    assert ask(store, "copilot-session-start", start) == {"additionalContext": "of the project"}
    elsewhere: dict[str, object] = {"cwd": "/srv"}
    assert ask(store, "copilot-session-start", elsewhere) == {"additionalContext": "for all"}
    assert ask(store, "copilot-session-start", {}) == {"additionalContext": "for all"}
    nested = ask(store, "session-start", start)
    assert nested == {
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": "of the project",
        }
    }


def test_a_distribution_that_is_not_set_up_gets_nothing(store: Path, started: list[str]) -> None:
    digest(store, "", "for all")
    for action in ("stop", "copilot-session-start"):
        assert ask(store, action, {"transcript_path": TRANSCRIPT}, "Debian") == {}
    assert spooled(store) == []
    assert started == []


def test_session_start_wakes_an_importer_for_what_was_left(store: Path, started: list[str]) -> None:
    hook_entry.write_spool_entry(str(store), {"transcript_path": TRANSCRIPT}, "wsl:Ubuntu")
    ask(store, "copilot-session-start", {"cwd": "/x", hook_entry.REHEARSAL: True})
    assert started == []
    ask(store, "copilot-session-start", {"cwd": "/x"})
    assert started == [str(store)]


def test_a_rehearsal_is_answered_and_nothing_noted(store: Path, started: list[str]) -> None:
    assert ask(store, "stop", {**SNAKE, hook_entry.REHEARSAL: True}) == {}
    assert spooled(store) == []
    assert started == []


def test_a_profile_that_is_damaged_is_passed_over(store: Path) -> None:
    (store / "wsl/0000000000000000.json").write_text("nonsense", encoding="utf-8")
    (store / "wsl/0000000000000001.json").write_text('{"mounts": 7}', encoding="utf-8")
    ask(store, "stop", dict(SNAKE))
    assert len(spooled(store)) == 1


@given(st.text(max_size=40))
def test_a_session_is_one_folder_below_session_state(name: str) -> None:
    found = session_of(f"{HOME}/session-state/{name}/events.jsonl", "/other", HOME)
    is_name = name not in {"", ".", ".."} and not set(name) & set("/\0")
    assert found == (name if is_name else "")


# --- as the launcher starts it -----------------------------------------------------------------


def start(
    store: Path, *words: str, stdin: bytes = b"{}", package: Path = CHECKOUT
) -> subprocess.CompletedProcess[bytes]:
    """Windows' Python with the launcher's command line."""
    flags = ("-I", "-S", "-c", START, str(package))
    return subprocess.run(
        [sys.executable, *flags, *words, "--store", str(store), "--distribution", "Ubuntu"],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=30,
    )


def test_the_process_answers_one_object_and_exit_code_0(store: Path) -> None:
    digest(store, "/home/ada/app", "remembered")
    payload = b'{"session_id": "1", "cwd": "/home/ada/app", "source": "new"}'
    done = start(store, "copilot-session-start", stdin=payload)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == {"additionalContext": "remembered"}


@pytest.mark.parametrize("stdin", [b"", b"nonsense", b"[]", b'{"transcript_path": 7}', b"\xff\xfe"])
@pytest.mark.parametrize("action", ["stop", "copilot-session-start", "pre-tool-use", "learn"])
def test_any_payload_and_any_action_is_harmless(store: Path, action: str, stdin: bytes) -> None:
    done = start(store, action, stdin=stdin)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


def test_a_refused_transcript_is_one_line_in_the_log_without_its_path(store: Path) -> None:
    done = start(store, "stop", stdin=b'{"transcript_path": "/etc/secret/events.jsonl"}')
    assert (done.returncode, done.stdout) == (0, b"{}\n")
    (line,) = (store / "log/hook.log").read_text(encoding="utf-8").splitlines()
    assert "UnregisteredTranscript" in line
    assert "secret" not in line


def test_a_package_or_a_store_that_is_gone_is_harmless(store: Path, tmp_path: Path) -> None:
    gone = start(store, "stop", package=tmp_path / "gone")
    assert (gone.returncode, gone.stdout, gone.stderr) == (0, b"", b"")
    empty = start(tmp_path / "no store", "stop", stdin=json.dumps(SNAKE).encode())
    assert (empty.returncode, empty.stdout) == (0, b"{}\n")
    assert not (tmp_path / "no store").exists()


def test_only_the_standard_library_and_nothing_slow_is_imported(store: Path) -> None:
    code = (
        "import os, sys; before = set(sys.modules); sys.path.append(sys.argv[1]);"
        "import imprint.wsl.bridge; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(CHECKOUT)],
        capture_output=True,
        check=True,
        timeout=30,
        text=True,
    )
    assert set(done.stdout.split()) <= {
        "__future__",
        "_json",
        "imprint",
        "imprint.hook_entry",
        "imprint.wsl",
        "imprint.wsl.bridge",
        "imprint.wsl.paths",
        "imprint.wsl.transcripts",
    }
