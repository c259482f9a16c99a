"""The hook's contract: exit 0, one JSON object, no waiting, no harm, whatever comes in."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint import hook_entry

HOOK = hook_entry.__file__
STOP = {"session_id": "s-1", "cwd": "/srv", "transcript_path": "/t/s-1/events.jsonl"}


def write_digest(store: Path, directory: str, text: str, name: str | None = None) -> None:
    folder = store / "digests"
    folder.mkdir(exist_ok=True)
    digest = {"version": 1, "directory": directory, "text": text}
    path = folder / (name or hook_entry.digest_name(directory))
    path.write_text(json.dumps(digest), encoding="utf-8")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store ünï'"
    folder.mkdir()
    return folder


def environment(tmp_path: Path) -> dict[str, str]:
    """The importer that Stop starts finds a scratch home and nothing else."""
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}


def run_hook(
    store: Path, action: str, payload: bytes, *options: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-I", "-S", *options, HOOK, action, "--store", str(store)]
    return subprocess.run(
        command, input=payload, capture_output=True, timeout=20, env=env, check=False
    )


def answered(done: subprocess.CompletedProcess[bytes]) -> dict[str, object]:
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == 1
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


NASTY = {
    "empty": b"",
    "white space": b" \n\t",
    "empty object": b"{}",
    "no JSON": b"hello",
    "array": b"[1, 2]",
    "cut": b'{"session_id": "s',
    "two values": b"{}{}",
    "NUL": b"\0\0\0",
    "UTF-8 BOM": b'\xef\xbb\xbf{"cwd": "/srv"}',
    "UTF-16": '{"cwd": "/srv"}'.encode("utf-16"),
    "invalid UTF-8": b'{"cwd": "/w\xff\xfe"}',
    "Windows code page": '{"cwd": "C:\\\\Users\\\\J\u00f6rg"}'.encode("cp1252"),
    "lone surrogate": b'{"cwd": "/\\ud83d"}',
    "numbers for strings": b'{"session_id": 1, "cwd": null, "transcript_path": []}',
    "arguments as string": b'{"sessionId": "s", "toolArgs": "{\\"a\\": 1}"}',
    "arguments as object": b'{"sessionId": "s", "toolArgs": {"a": 1}}',
    "deep": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "huge number": b'{"a": ' + b"9" * 10_000 + b"}",
}


@pytest.mark.parametrize("action", [*hook_entry.ACTIONS, "pre-tool-use", ""])
def test_any_payload_is_answered_with_one_object_and_exit_code_0(action: str, store: Path) -> None:
    for name, payload in NASTY.items():
        done = run_hook(store, action, payload)
        assert answered(done) == {}, name
        assert done.stderr == b"", name


def test_no_arguments_and_no_store_are_answered_too(tmp_path: Path) -> None:
    for arguments in ([], ["stop"], ["stop", "--store"], ["stop", "--store", str(tmp_path / "-")]):
        done = subprocess.run(
            [sys.executable, "-I", "-S", HOOK, *arguments],
            input=json.dumps(STOP).encode(),
            capture_output=True,
            timeout=20,
            check=False,
        )
        assert answered(done) == {}
        assert not (tmp_path / "-").exists()


def test_a_pipe_that_stays_open_is_not_waited_for(store: Path) -> None:
    write_digest(store, "/srv", "known")
    with subprocess.Popen(
        [sys.executable, "-I", "-S", HOOK, "copilot-session-start", "--store", str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"cwd": "/srv"}')
        process.stdin.flush()
        started = time.monotonic()
        assert json.loads(process.stdout.read()) == {"additionalContext": "known"}
        assert time.monotonic() - started < hook_entry.JOB_SECONDS
        assert process.wait(timeout=10) == 0


def test_silence_on_stdin_ends_by_itself(store: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-I", "-S", HOOK, "stop", "--store", str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.read()) == {}
        assert process.wait(timeout=10) == 0


def test_a_job_that_hangs_is_left_behind_with_an_answer(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = os.pipe()
    try:
        monkeypatch.setattr(hook_entry, "STDIN_SECONDS", 60.0)
        started = time.monotonic()
        output = hook_entry.run(["hook", "stop", "--store", str(store)], reader, seconds=0.2)
        assert output == b"{}\n"
        assert time.monotonic() - started < 5
    finally:
        os.close(writer)
        os.close(reader)


def test_a_real_run_imports_the_standard_library_only_and_nothing_slow(store: Path) -> None:
    done = run_hook(store, "copilot-session-start", b'{"cwd": "/srv"}', "-X", "importtime")
    lines = [line for line in done.stderr.decode().splitlines() if line.startswith("import time:")]
    imported = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in lines[1:]}
    assert "os" in imported
    # The last is asked for by `site`, which an embeddable Python imports in spite of -S.
    assert imported - {"_json", "sitecustomize"} <= set(sys.stdlib_module_names)
    slow = {"re", "json", "pathlib", "subprocess", "tempfile", "sqlite3", "typing", "threading"}
    assert not imported & slow


def test_session_start_gives_copilot_the_digest_at_the_top_level(store: Path) -> None:
    write_digest(store, "/srv/app", "what was decided")
    done = run_hook(store, "copilot-session-start", b'{"cwd": "/srv/app"}')
    assert answered(done) == {"additionalContext": "what was decided"}


@pytest.mark.parametrize(
    ("action", "payload"),
    [
        ("session-start", {"cwd": "/srv", "hook_event_name": "SessionStart"}),
        ("copilot-session-start", {"cwd": "/srv", "hookEventName": "SessionStart"}),
    ],
)
def test_other_hosts_get_the_nested_shape(
    action: str, payload: dict[str, str], store: Path
) -> None:
    write_digest(store, "/srv", "text")
    nested = {"hookEventName": "SessionStart", "additionalContext": "text"}
    done = run_hook(store, action, json.dumps(payload).encode())
    assert answered(done) == {"hookSpecificOutput": nested}


def test_the_deepest_project_wins_and_the_global_digest_is_the_fallback(store: Path) -> None:
    folder = str(store / "digests")
    write_digest(store, "/srv", "outer")
    write_digest(store, "/srv/app/", "inner")
    write_digest(store, "", "notes", hook_entry.GLOBAL_DIGEST)
    assert hook_entry.read_digest(folder, "/srv/app/src") == "inner"
    assert hook_entry.read_digest(folder, "/srv/other") == "outer"
    assert hook_entry.read_digest(folder, "/elsewhere") == "notes"
    assert hook_entry.read_digest(folder, "") == "notes"


def test_windows_directories_compare_without_case_and_with_either_separator(store: Path) -> None:
    write_digest(store, "C:\\Users\\Me\\App", "win")
    write_digest(store, "\\\\wsl.localhost\\Ubuntu\\home\\me", "unc")
    folder = str(store / "digests")
    assert hook_entry.read_digest(folder, "c:/users/me/app/src") == "win"
    assert hook_entry.read_digest(folder, "\\\\WSL.localhost\\ubuntu\\home\\me\\x") == "unc"
    assert hook_entry.read_digest(folder, "D:\\Users\\Me\\App") == ""


def test_a_digest_of_another_directory_with_the_same_name_is_not_given(store: Path) -> None:
    write_digest(store, "/other", "secret", hook_entry.digest_name("/srv"))
    assert hook_entry.read_digest(str(store / "digests"), "/srv") == ""


@given(st.text(max_size=60))
def test_parents_end_for_any_directory(directory: str) -> None:
    found = hook_entry.parent_directories(directory)
    assert len(found) == len(set(found))
    assert all(re.fullmatch(r"[0-9a-f]{16}\.json", hook_entry.digest_name(d)) for d in found)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_payload_or_none(data: bytes) -> None:
    payload = hook_entry.parse_payload(data)
    assert payload is None or isinstance(payload, dict)


@given(st.dictionaries(st.text(), st.text() | st.integers()))
def test_what_the_hook_writes_is_json(value: dict[str, object]) -> None:
    assert json.loads(hook_entry.encode_json(value)) == value


def spooled(store: Path) -> list[dict[str, object]]:
    found = [hook_entry.read_spool_entry(str(path)) for path in sorted((store / "spool").iterdir())]
    return [entry for entry in found if entry is not None]


@pytest.fixture
def no_importer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_entry, "start_importer", lambda store: None)


@pytest.mark.usefixtures("no_importer")
@pytest.mark.parametrize(
    "payload",
    [
        {**STOP, "hook_event_name": "Stop", "stop_hook_active": False},
        {"sessionId": "s-1", "cwd": "/srv", "transcriptPath": "/t/s-1/events.jsonl"},
        {**STOP, "stop_hook_active": True},
    ],
)
def test_stop_spools_every_payload_dialect(store: Path, payload: dict[str, object]) -> None:
    assert hook_entry.answer("stop", str(store), payload) == {}
    (entry,) = spooled(store)
    assert entry["session_id"] == "s-1"
    assert entry["transcript_path"] == "/t/s-1/events.jsonl"
    assert entry["cwd"] == "/srv"
    if os.name == "posix":
        (path,) = (store / "spool").iterdir()
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.usefixtures("no_importer")
def test_an_empty_path_is_found_by_the_layout_of_session_state(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path))
    folder = tmp_path / "session-state" / "s-1"
    folder.mkdir(parents=True)
    assert hook_entry.write_spool_entry(str(store), {"sessionId": "s-1", "transcriptPath": ""})
    (entry,) = spooled(store)
    assert entry["transcript_path"] == str(folder / "events.jsonl")


@pytest.mark.usefixtures("no_importer")
@pytest.mark.parametrize("session_id", ["", "call_1", "..", "../s-1", "a\\b"])
def test_a_stop_of_nothing_that_is_recorded_spools_nothing(
    store: Path, tmp_path: Path, session_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path))
    (tmp_path / "session-state").mkdir()
    payload = {"session_id": session_id, "transcript_path": ""}
    assert not hook_entry.write_spool_entry(str(store), payload)
    assert not (store / "spool").exists()


@pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="capability: posix_spawn")
def test_the_importer_holds_none_of_our_pipes_and_has_a_session_of_its_own(
    store: Path, tmp_path: Path
) -> None:
    """The child sleeps; the hook is back long before, with its pipes closed."""
    package = tmp_path / "site" / "imprint"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    proof = tmp_path / "proof"
    (package / "__main__.py").write_text(
        "import json, os, sys, time, pathlib\n"
        "fds = sorted(int(n) for n in os.listdir('/dev/fd') if int(n) > 2)\n"
        "held = [os.readlink(f'/proc/self/fd/{n}') for n in range(3)]\n"
        f"part = pathlib.Path({str(proof)!r} + '.part')\n"
        "part.write_text(json.dumps((os.getsid(0) == os.getpid(), held, sys.argv[1:],"
        " [k for k in os.environ if k.startswith('PYTHON')])))\n"
        f"part.rename({str(proof)!r})\n"
        "time.sleep(30)\n",
        encoding="utf-8",
    )
    interpreter = tmp_path / "python"
    # The interpreter that runs the hook is the one that it starts: a link would lose the
    # environment's packages, so a script stands in for it.
    interpreter.write_text(
        f"#!/bin/sh\n"
        f'exec "{sys.executable}" -c "import sys, runpy; '
        f"sys.path.insert(0, '{package.parent}'); sys.argv = ['imprint', *sys.argv[3:]]; "
        "runpy.run_module('imprint', run_name='__main__', alter_sys=True)\" \"$@\"\n",
        encoding="utf-8",
    )
    interpreter.chmod(0o755)
    code = (
        f"import sys, os; sys.argv = ['hook', 'stop', '--store', {str(store)!r}];"
        f"sys.executable = {str(interpreter)!r}; os.environ['PYTHONSTARTUP'] = 'x';"
        f"import runpy; runpy.run_path({HOOK!r}, run_name='__main__')"
    )
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    ) as process:
        output, errors = process.communicate(json.dumps(STOP).encode(), timeout=15)
    assert (output, errors, process.returncode) == (b"{}\n", b"", 0)
    deadline = time.monotonic() + 15
    while not proof.exists():
        assert time.monotonic() < deadline, "the importer never started"
        os.sched_yield()
    own_session, held, arguments, leaked = json.loads(proof.read_text(encoding="utf-8"))
    assert own_session
    assert held == ["/dev/null"] * 3
    assert arguments[-4:] == ["learn", "--spool", "--store", str(store)]
    assert leaked == []


def test_what_goes_wrong_is_one_line_in_the_log_without_any_content(store: Path) -> None:
    (store / "spool").write_text("a file in the way", encoding="utf-8")
    done = run_hook(store, "stop", json.dumps(STOP).encode())
    assert answered(done) == {}
    (line,) = (store / "log" / "hook.log").read_text(encoding="utf-8").splitlines()
    assert " stop " in line
    assert "Error" in line
    assert "s-1" not in line


def test_the_log_is_kept_to_three_files_of_a_megabyte(store: Path) -> None:
    path = str(store / "x.log")
    for _ in range(10):
        hook_entry.append_log(path, "y" * (hook_entry.LOG_BYTES // 2) + "\n")
    kept = sorted(entry.name for entry in store.iterdir())
    assert kept == ["x.log.1", "x.log.2"] or kept == ["x.log", "x.log.1", "x.log.2"]
    assert all(entry.stat().st_size < 2 * hook_entry.LOG_BYTES for entry in store.iterdir())


@given(st.lists(st.text(st.characters(blacklist_characters="\0", codec="utf-8")), min_size=1))
def test_a_windows_command_line_splits_into_the_same_arguments(arguments: list[str]) -> None:
    """The reference is the standard library's own quoting, read back by the C runtime's rules."""
    assert split_like_msvcrt(hook_entry.windows_command_line(arguments)) == arguments
    assert split_like_msvcrt(subprocess.list2cmdline(arguments)) == arguments


def split_like_msvcrt(line: str) -> list[str]:
    """Backslashes count only before a quote; white space splits outside quotes."""
    found: list[str] = []
    current: list[str] | None = None
    quoted, backslashes = False, 0
    for character in line:
        if character == "\\":
            current = [] if current is None else current
            backslashes += 1
            continue
        if character == '"':
            current = [] if current is None else current
            current.append("\\" * (backslashes // 2))
            if backslashes % 2:
                current.append('"')
            else:
                quoted = not quoted
        elif character in " \t" and not quoted:
            if current is not None:
                found.append("".join(current) + "\\" * backslashes)
            current = None
        else:
            current = [] if current is None else current
            current.append("\\" * backslashes + character)
        backslashes = 0
    if current is not None:
        found.append("".join(current) + "\\" * backslashes)
    return found
