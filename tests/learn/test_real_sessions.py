"""Transcripts that real releases wrote, counted a second time by other code."""

import json
from collections import Counter
from pathlib import Path

import pytest

from imprint.learn import SessionState
from imprint.learn.reader import TranscriptReader
from tests.learn.support import SHARED, Home, read

pytestmark = pytest.mark.usefixtures("here_and_ahead")

SESSIONS = sorted((SHARED / "sessions").glob("*/*/events.jsonl"))
PUBLIC = sorted((SHARED / "public" / "events").glob("*.jsonl"))

needs_sessions = pytest.mark.skipif(not SESSIONS, reason=f"no real sessions in {SHARED}")
needs_public = pytest.mark.skipif(not PUBLIC, reason=f"no published transcripts in {SHARED}")


def expected(path: Path) -> list[str]:
    """The turns of a file, by ADR 0057 and nothing of ours."""
    said = []
    for line in path.read_bytes().split(b"\n"):
        if not line.strip():
            continue
        event = json.loads(line)
        data = event["data"]
        text = data.get("content")
        if event.get("agentId") or not isinstance(text, str) or not text.strip():
            continue
        if event["type"] == "assistant.message" and not data.get("parentToolCallId"):
            said.append(text.strip())
        is_typed = data.get("source", "user") == "user"
        is_typed = is_typed and not data.get("isAutopilotContinuation")
        if event["type"] == "user.message" and is_typed:
            said.append(text.strip())
    return said


@needs_sessions
def test_every_turn_of_every_real_session_is_learned_and_nothing_else(home: Home) -> None:
    report = home.learn(SessionState(SHARED / "sessions", nested=True))
    assert report.learned == len(SESSIONS)
    assert report.skipped == {}
    assert report.damage.lines == {}
    assert report.damage.unknown == {}
    for path in SESSIONS:
        assert home.texts(path.parent.name) == expected(path), path
    assert report.turns == sum(len(expected(path)) for path in SESSIONS)


@needs_sessions
@pytest.mark.parametrize(
    ("scenario", "said"),
    [
        ("subagent", ["MAINPROMPT please", "delegating", "MAINFINAL"]),
        ("autopilot", ["please say hello", "step one", "step two"]),
        ("mcp-tool", ["please say hello", "using memory", "All done."]),
        ("killed-midturn", ["kill me mid", "I will run it."]),
    ],
)
def test_the_rules_hold_on_every_release(home: Home, scenario: str, said: list[str]) -> None:
    paths = [path for path in SESSIONS if path.parts[-3].endswith(f"-{scenario}")]
    assert len(paths) == 5
    home.learn(SessionState(SHARED / "sessions", nested=True))
    for path in paths:
        assert home.texts(path.parent.name) == said, path


@needs_sessions
def test_commands_files_and_failures_of_real_sessions_are_work(home: Home) -> None:
    home.learn(SessionState(SHARED / "sessions", nested=True))
    paths = [path for path in SESSIONS if "failing-tool" in path.parts[-3]]
    assert len(paths) == 5
    for path in paths:
        work = Counter(home.work(path.parent.name))
        name = "/home/lab/work/ünï 日本.txt"
        assert work == {
            ("command", "exit 7"): 1,
            ("failure", "bash: exit 7"): 1,
            ("read", "/nonexistent/ünï.txt"): 1,
            ("failure", "view: /nonexistent/ünï.txt"): 1,
            ("write", name): 2,
            ("modified", name): 1,
        }, path


@needs_sessions
def test_a_change_of_directory_is_evidence_on_real_sessions(home: Home) -> None:
    home.learn(SessionState(SHARED / "sessions", nested=True))
    [moved] = [path for path in SESSIONS if path.parts[-3] == "1.0.102-tui-multiturn"]
    [resumed] = [path for path in SESSIONS if path.parts[-3] == "1.0.20-resume-continue"]
    for path, directories in (
        (moved, ("/home/lab/work", "/tmp")),
        (resumed, ("/home/lab/work", "/home/lab/work2")),
    ):
        detail = home.session(path.parent.name)
        assert detail is not None
        assert detail.directories == directories


@needs_sessions
@pytest.mark.parametrize("kind", ["resume-continue"])
def test_a_session_learned_line_by_line_equals_one_learned_at_once(home: Home, kind: str) -> None:
    for path in (path for path in SESSIONS if path.parts[-3].endswith(kind)):
        lines = path.read_bytes().splitlines(keepends=True)
        name = path.parent.name
        for end in range(1, len(lines) + 1):
            home.put(name, b"".join(lines[:end]))
            report = home.learn()
            assert report.removed == 0
        assert home.texts(name) == expected(path)


@needs_public
def test_published_transcripts_are_read_without_damage_that_they_do_not_have() -> None:
    odd = {"events-013.jsonl", "events-024.jsonl"}  # dialects without `data.content`
    for path in PUBLIC:
        reader = read(path)
        assert not reader.damage.unknown, path
        assert bool(reader.damage.lines) == (path.name in odd), path


@needs_public
def test_published_transcripts_give_the_turns_that_plain_json_gives() -> None:
    from imprint.learn.events import AssistantMessage, UserMessage
    from imprint.learn.turns import assistant_words, user_words

    odd = {"events-013.jsonl", "events-024.jsonl"}
    for path in (path for path in PUBLIC if path.name not in odd):
        said = []
        with path.open("rb") as file:
            for _, _, event in TranscriptReader(file).read():
                match event:
                    case UserMessage():
                        said.append(user_words(event))
                    case AssistantMessage():
                        said.append(assistant_words(event))
                    case _:
                        continue
        assert [text for text in said if text] == expected(path), path
