"""The MCP server, started as Copilot starts it and spoken to with the SDK's own client."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from imprint.base.errors import UsageError
from imprint.base.paths import Environment
from imprint.mcp_server import NOTICE, World, call
from imprint.memory import Memory, SessionMeta, StoreDamaged, Turn, UnknownItem

ARGUMENTS = ["-P", "-m", "imprint", "mcp"]
DEADLINE = 60


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one session."""
    path = tmp_path / "imprint-home" / "memory.db"
    meta = SessionMeta("conversation/abc", "app", "/src/app", ("/src/app",), "2026-05-01T10:00:00Z")
    with Memory.open(path) as memory, memory.importing(meta) as session:
        session.add_turn(
            Turn("1", "user", "our postgres listens on 5433", "2026-05-01T10:00:00Z", 1)
        )
        session.add_turn(Turn("2", "assistant", "Noted:\nport 5433.", "2026-05-01T10:01:00Z", 2))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with an `imprint` package of its own, as a project may have."""
    planted = tmp_path / "work" / "imprint"
    planted.mkdir(parents=True)
    (planted / "__init__.py").write_text("raise SystemExit('the wrong package')", "utf-8")
    return planted.parent


def parameters(store: Path, folder: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=ARGUMENTS, env={"IMPRINT_HOME": str(store.parent)}, cwd=folder
    )


@asynccontextmanager
async def client(store: Path, folder: Path):
    with anyio.fail_after(DEADLINE):
        async with (
            stdio_client(parameters(store, folder)) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            yield session


def ask(store: Path, folder: Path, *calls: tuple[str, dict[str, object]]):
    """The results of these tool calls, in one session."""

    async def run():
        async with client(store, folder) as session:
            return [await session.call_tool(name, arguments) for name, arguments in calls]

    return anyio.run(run)


def test_the_tools_say_what_they_do_to_the_memory(store, folder):
    async def run():
        async with client(store, folder) as session:
            return (await session.list_tools()).tools

    tools = {tool.name: tool for tool in anyio.run(run)}
    assert set(tools) == {"recall", "remember", "forget", "sessions", "session"}
    hints = {name: tool.annotations for name, tool in tools.items()}
    assert {name for name, hint in hints.items() if hint.read_only_hint} == {
        "recall",
        "sessions",
        "session",
    }
    assert {name for name, hint in hints.items() if hint.destructive_hint} == {"forget"}
    assert all(hint.idempotent_hint is True for hint in hints.values())
    assert all(hint.open_world_hint is False for hint in hints.values())
    for tool in tools.values():
        assert tool.description
        assert tool.input_schema["type"] == "object"
    assert tools["recall"].input_schema["required"] == ["query"]


def test_recall_quotes_what_was_said_as_text_and_as_data(store, folder):
    found, nothing = ask(
        store,
        folder,
        ("recall", {"query": "postgres 5433", "limit": 3}),
        ("recall", {"query": "never said before"}),
    )
    text = found.content[0].text
    assert text.splitlines()[0] == NOTICE
    assert "> our postgres listens on 5433" in text
    assert "conversation/abc" in text
    assert found.structured_content["notice"] == NOTICE
    hit = found.structured_content["hits"][0]
    assert hit["text"] == "our postgres listens on 5433"
    assert hit["session"] == "conversation/abc"
    assert hit["role"] == "user"
    assert not found.is_error
    assert nothing.structured_content["hits"] == []
    assert not nothing.is_error


def test_what_was_remembered_is_recalled_and_can_be_forgotten(store, folder):
    async def run():
        async with client(store, folder) as session:
            kept = await session.call_tool("remember", {"text": "I like green tea"})
            note = kept.structured_content["note"]
            recalled = await session.call_tool("recall", {"query": "green tea"})
            gone = await session.call_tool("forget", {"note": note})
            after = await session.call_tool("recall", {"query": "green tea"})
            return note, recalled, gone, after

    note, recalled, gone, after = anyio.run(run)
    assert recalled.structured_content["hits"][0]["note"] == note
    assert gone.structured_content["notes"] == 1
    assert after.structured_content["hits"] == []


def test_sessions_are_listed_read_and_forgotten(store, folder):
    listed, read, short, gone, empty = ask(
        store,
        folder,
        ("sessions", {}),
        ("session", {"id": "conversation/abc"}),
        ("session", {"id": "abc"}),
        ("forget", {"session": "abc"}),
        ("sessions", {"limit": 5}),
    )
    assert listed.structured_content["sessions"][0]["id"] == "conversation/abc"
    assert [turn["role"] for turn in read.structured_content["turns"]] == ["user", "assistant"]
    assert "> port 5433." in read.content[0].text
    assert read.content[0].text.splitlines()[0] == NOTICE
    assert short.structured_content == read.structured_content
    assert gone.structured_content["turns"] == 2
    assert empty.structured_content["sessions"] == []


def test_a_missing_store_is_an_empty_memory(tmp_path, folder):
    store = tmp_path / "nowhere" / "memory.db"
    recalled, listed, read = ask(
        store,
        folder,
        ("recall", {"query": "anything"}),
        ("sessions", {}),
        ("session", {"id": "abc"}),
    )
    assert recalled.structured_content["hits"] == []
    assert listed.structured_content["sessions"] == []
    assert read.is_error
    assert not store.parent.exists()


def test_an_error_is_an_answer_and_the_server_lives_on(store, folder):
    results = ask(
        store,
        folder,
        ("recall", {"q": "x"}),
        ("recall", {"query": 7}),
        ("recall", {"query": "x", "limit": 0}),
        ("remember", {"text": "   "}),
        ("forget", {}),
        ("forget", {"session": "abc", "note": "note-1"}),
        ("forget", {"note": "note-1"}),
        ("no_such_tool", {}),
        ("recall", {"query": "postgres"}),
    )
    assert [result.is_error for result in results] == [True] * 8 + [False]
    assert all(result.structured_content["error"]["message"] for result in results[:8])


def test_a_damaged_store_is_an_answer_and_the_server_lives_on(store, folder):
    store.write_bytes(b"not a database" * 500)
    recalled, listed = ask(store, folder, ("recall", {"query": "postgres"}), ("sessions", {}))
    assert recalled.is_error
    assert recalled.structured_content["error"]["code"] == "store-damaged"
    assert listed.is_error


def test_broken_text_in_the_store_comes_out_as_valid_text(store, folder):
    raw = sqlite3.connect(store)
    raw.execute("UPDATE entry SET text = CAST(x'706f73746772657320eda0bd' AS TEXT)")
    raw.commit()
    raw.close()
    (recalled,) = ask(store, folder, ("recall", {"query": "postgres"}))
    assert recalled.structured_content["hits"][0]["text"].startswith("postgres \ufffd")


def test_only_the_protocol_is_printed_and_the_server_ends_with_its_input(store, folder):
    environment = {**os.environ, "IMPRINT_HOME": str(store.parent)}
    messages = [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "sessions"}},
    ]
    process = subprocess.Popen(
        [sys.executable, *ARGUMENTS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=folder,
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"this is no message\n")
        process.stdin.write(initialize_message())
        for message in messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        answers = {}
        while 2 not in answers:
            answer = json.loads(process.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer.get("id")] = answer
        rest, _ = process.communicate(timeout=DEADLINE)
    finally:
        process.kill()
        process.wait(DEADLINE)
    assert rest == b""
    assert process.returncode == 0
    assert answers[1]["result"]["serverInfo"]["name"] == "imprint"
    assert answers[2]["result"]["structuredContent"]["sessions"]


def initialize_message() -> bytes:
    parameters = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
    return json.dumps(message).encode() + b"\n"


def test_a_client_that_goes_away_is_no_crash(store, folder):
    environment = {**os.environ, "IMPRINT_HOME": str(store.parent)}
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        [sys.executable, *ARGUMENTS],
        input=initialize_message(),
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=folder,
        timeout=DEADLINE,
        check=False,
    )
    os.close(writing)
    assert process.stderr == b""
    assert not (store.parent / "log").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a directory in use cannot be deleted there")
def test_a_working_directory_that_was_deleted_does_not_matter(store, tmp_path):
    doomed = tmp_path / "doomed"
    doomed.mkdir()
    start = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    process = subprocess.run(
        ["/bin/sh", "-c", start, "sh", str(doomed), sys.executable, *ARGUMENTS],
        input=initialize_message(),
        capture_output=True,
        env={**os.environ, "IMPRINT_HOME": str(store.parent)},
        timeout=DEADLINE,
        check=False,
    )
    assert json.loads(process.stdout)["result"]["serverInfo"]["name"] == "imprint"
    assert process.returncode == 0


def test_a_long_session_is_cut_and_says_so(store):
    meta = SessionMeta("conversation/long", "app", "/src/app")
    with Memory.open(store) as memory, memory.importing(meta) as session:
        for number in range(30):
            session.add_turn(
                Turn(f"{number}", "user", f"{number} " + "long " * 2000, ordinal=number)
            )
    answer = call(World(store, "/src/app"), "session", {"id": "long"})
    assert len(answer.text) < 50_000
    assert answer.data["left_out"] > 0
    assert f"({answer.data['left_out']} more turns are not shown)" in answer.text


def test_a_long_hit_is_shown_by_its_snippet(store):
    meta = SessionMeta("conversation/long", "app", "/src/app")
    with Memory.open(store) as memory, memory.importing(meta) as session:
        session.add_turn(Turn("1", "user", "padding " * 1000 + "needle " + "padding " * 1000))
    answer = call(World(store, ""), "recall", {"query": "needle"})
    assert "needle" in answer.text
    assert len(answer.text) < 1000


def test_calls_raise_what_the_server_turns_into_answers(store, tmp_path):
    with pytest.raises(UsageError):
        call(World(store, ""), "recall", {})
    with pytest.raises(UnknownItem):
        call(World(tmp_path / "none.db", ""), "forget", {"note": "note-1"})
    (tmp_path / "bad.db").write_bytes(b"bad" * 100)
    with pytest.raises(StoreDamaged):
        call(World(tmp_path / "bad.db", ""), "sessions", {})


def test_the_environment_says_where_the_store_is(tmp_path):
    environment = Environment.scratch(tmp_path, {"IMPRINT_HOME": str(tmp_path / "x")})
    assert environment.layout().store == tmp_path / "x" / "memory.db"
