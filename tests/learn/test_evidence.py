"""Where a session was, and which project that makes it."""

import pytest

from imprint.learn import SkipReason
from imprint.learn.evidence import project_name
from tests.learn.support import Home, Transcript


@pytest.mark.parametrize(
    ("directory", "project"),
    [
        ("/home/me/app", "app"),
        ("/home/me/app/", "app"),
        ("/home/me/Ünï 日本", "Ünï 日本"),
        ("/", "/"),
        ("C:\\Users\\Me\\App", "App"),
        ("c:/Users/Me/App/", "App"),
        ("C:\\", "C:"),
        ("\\\\server\\share\\team\\app", "app"),
        ("\\\\wsl.localhost\\Ubuntu\\home\\me\\app", "app"),
        ("\\\\wsl$\\Ubuntu\\home\\me\\app\\", "app"),
        ("relative/app", "app"),
        ("", ""),
    ],
)
def test_a_project_is_named_after_the_last_part_as_recorded(directory: str, project: str) -> None:
    assert project_name(directory) == project


def directories(home: Home, transcript: Transcript) -> tuple[str, ...]:
    """What is learned of a transcript's directories."""
    home.put("s", transcript)
    home.learn()
    detail = home.session("s")
    return detail.directories if detail else ()


def test_start_resume_and_changes_of_directory_are_evidence(home: Home) -> None:
    transcript = Transcript().start("/a").turn("x", "y")
    transcript.event("session.context_changed", {"cwd": "/b", "pendingGitContext": True})
    transcript.event("session.resume", {"resumeTime": "", "context": {"cwd": "/c"}})
    assert directories(home, transcript) == ("/a", "/b", "/c")


def test_a_subagents_change_of_directory_is_evidence(home: Home) -> None:
    transcript = Transcript().start("/a").turn("x", "y")
    transcript.event("session.context_changed", {"cwd": "/b"}, agentId="a1")
    assert directories(home, transcript) == ("/a", "/b")


def test_the_project_is_that_of_the_first_recorded_directory(home: Home) -> None:
    transcript = Transcript().start("/srv/first").turn("x", "y")
    transcript.event("session.context_changed", {"cwd": "/srv/second"})
    directories(home, transcript)
    detail = home.session("s")
    assert detail is not None
    assert (detail.row.project, detail.row.directory) == ("first", "/srv/first")


def test_hook_payloads_tool_arguments_and_workspace_yaml_are_no_evidence(home: Home) -> None:
    transcript = Transcript().start(None).turn("x", "y").hook(cwd="/a")
    transcript.tool("bash", {"command": "cd /b", "cwd": "/b"})
    path = home.put("s", transcript)
    path.with_name("workspace.yaml").write_text("id: s\ncwd: /c\n", encoding="utf-8")
    assert home.learn().skipped == {SkipReason.NO_DIRECTORY: 1}
    assert home.session("s") is None


@pytest.mark.parametrize("context", [None, {}, {"cwd": None}, {"cwd": ""}])
def test_a_session_without_a_recorded_directory_belongs_nowhere(
    home: Home, context: dict[str, str] | None
) -> None:
    data = {} if context is None else {"context": context}
    home.put("s", Transcript().start(None, **data).turn("x", "y"))
    report = home.learn()
    assert report.skipped == {SkipReason.NO_DIRECTORY: 1}
    assert report.turns == 0


def test_a_session_without_a_start_is_learned_if_a_directory_is_recorded_later(home: Home) -> None:
    transcript = Transcript().turn("x", "y").event("session.context_changed", {"cwd": "/a/app"})
    assert directories(home, transcript) == ("/a/app",)
    detail = home.session("s")
    assert detail is not None
    assert detail.row.project == "app"
    assert home.texts("s") == ["x", "y"]


def test_a_directory_that_does_not_exist_any_more_counts(home: Home) -> None:
    assert directories(home, Transcript().start("/gone/long/ago").turn("x", "y"))


def test_the_key_is_the_folders_name_whatever_the_events_say(home: Home) -> None:
    home.put("my-session_1", Transcript().start(sessionId="another").turn("x", "y"))
    home.learn()
    assert home.texts("my-session_1") == ["x", "y"]


def test_client_version_and_times_are_kept(home: Home) -> None:
    path = home.put("s", Transcript().start().turn("x", "y"))
    path.with_name("workspace.yaml").write_text("client_name: github/cli\n", encoding="utf-8")
    home.learn()
    detail = home.session("s")
    assert detail is not None
    assert (detail.row.client, detail.row.client_version) == ("github/cli", "1.0.102")
    assert detail.row.started_at == "2026-10-01T09:00:00.000Z"
    assert detail.row.ended_at == "2026-10-01T09:00:04.000Z"
    assert detail.row.source == str(path)


def test_a_session_that_copilot_started_in_the_background_is_not_learned(home: Home) -> None:
    transcript = Transcript().start(detachedFromSpawningParentSessionId="parent").turn("x", "y")
    home.put("s", transcript)
    assert home.learn().skipped == {SkipReason.BACKGROUND: 1}
    assert home.session("s") is None
