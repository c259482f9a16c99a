"""learn, recall, sessions, remember, forget, pause, export, import as a user types them."""

import json
import os
from pathlib import Path

import pytest

from imprint.base.errors import ExitCode


def test_what_copilot_recorded_is_learned_and_found_again(user, said) -> None:
    said("s-1", "what is the port of zarofi?", "zarofi listens on 4711")
    said("s-2", "and of nothing?", "no", cwd="")
    done = user.run("learn", "--json")
    assert done.code == ExitCode.OK, done
    assert done.data["sessions"]["learned"] == 1
    assert done.data["sessions"]["skipped"] == {"no-directory": 1}
    assert done.data["turns"] == 2
    hit = user.run("recall", "zarofi", "port", "--json").data["hits"][0]
    assert {"text", "role", "session", "project", "timestamp", "score"} <= set(hit)
    assert hit["session"] == "conversation/s-1"
    assert hit["project"] == "app"
    again = user.run("learn", "--json").data
    assert again["sessions"]["unchanged"] == 1
    assert again["turns"] == 0
    (row,) = user.run("sessions", "--json").data["sessions"]
    assert row["turns"] == 2
    assert "no working directory" in user.run("sessions", "--skipped").out


def test_recall_without_hits_or_without_a_memory_is_fine(user, said) -> None:
    assert user.run("recall", "anything").code == ExitCode.OK
    said("s-1", "hello", "hi")
    user.run("learn")
    done = user.run("recall", "neverever", "--json")
    assert done.code == ExitCode.OK
    assert done.data["hits"] == []


@pytest.mark.parametrize("query", ['"', "AND OR NOT", "a* NEAR(b)", "col:x", "'; DROP", "(", "--x"])
def test_a_query_of_operators_and_quotes_is_data(user, said, query: str) -> None:
    said("s-1", "hello", "hi")
    user.run("learn")
    done = user.run("recall", "--json", "--", query)
    assert done.code == ExitCode.OK, done


def test_learn_from_a_folder_of_collected_sessions(user, said, tmp_path: Path) -> None:
    path = said("s-1", "where is mikado?", "here")
    collected = tmp_path / "collected" / "1.0.102"
    collected.mkdir(parents=True)
    path.parent.rename(collected / "s-1")
    done = user.run("learn", "--from", str(tmp_path / "collected"), "--json")
    assert done.data["sessions"]["learned"] == 1
    assert user.run("learn", "--from", str(tmp_path / "none")).code == ExitCode.REFUSED


def test_a_note_is_remembered_found_and_forgotten(user) -> None:
    note = user.run("remember", "the", "release", "day", "is", "friday", "--json").data["id"]
    assert user.run("recall", "release day", "--json").data["hits"][0]["role"] == "note"
    assert user.run("forget", "--note", note).code == ExitCode.OK
    assert user.run("recall", "release day", "--json").data["hits"] == []
    assert user.run("forget", "--note", note).code == ExitCode.USAGE
    assert user.run("remember", " ").code == ExitCode.USAGE


def test_a_session_is_forgotten_with_all_that_came_from_it(user, said) -> None:
    said("s-1", "where is mikado?", "here")
    user.run("learn")
    assert user.run("forget", "--session", "s-1").code == ExitCode.OK
    assert user.run("recall", "mikado", "--json").data["hits"] == []
    files = [path for path in user.imprint_home.rglob("*") if path.is_file()]
    assert not [path for path in files if b"mikado" in path.read_bytes()]


def test_nothing_is_learned_of_what_is_said_during_a_pause(user, said) -> None:
    assert user.run("pause", "--json").data == {"paused": True, "changed": True}
    said("s-1", "where is mikado?", "here")
    assert user.run("learn", "--json").data["sessions"]["learned"] == 0
    assert user.run("pause", "--off", "--json").data["paused"] is False


def test_excluded_directories_are_not_learned(user, said) -> None:
    said("s-1", "where is mikado?", "here", cwd="/srv/secret/app")
    user.imprint_home.mkdir()
    (user.imprint_home / "config.toml").write_text('exclude = ["/srv/secret"]\n', encoding="utf-8")
    assert user.run("learn", "--json").data["sessions"]["skipped"] == {"excluded": 1}
    (user.imprint_home / "config.toml").write_text("exclude = \n", encoding="utf-8")
    done = user.run("learn")
    assert done.code == ExitCode.REFUSED
    assert "line 1" in done.err


def test_the_memory_moves_to_another_computer(user, said, tmp_path: Path) -> None:
    said("s-1", "where is mikado?", "here")
    user.run("learn")
    file = tmp_path / "memory.jsonl"
    assert user.run("export", str(file)).code == ExitCode.OK
    assert user.run("export", str(file)).code == ExitCode.REFUSED, "never writes over a file"
    assert all(json.loads(line) for line in user.run("export").out.splitlines())
    other = {"IMPRINT_HOME": str(tmp_path / "other")}
    added = user.run("import", str(file), "--json", extra=other).data
    assert (added["sessions"], added["turns"]) == (1, 2)
    assert user.run("import", str(file), "--json", extra=other).data["turns"] == 0
    assert len(user.run("recall", "mikado", "--json", extra=other).data["hits"]) == 1


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_the_memory_is_its_owners_alone(user, said) -> None:
    said("s-1", "where is mikado?", "here")
    user.run("learn")
    for path in (user.imprint_home, *user.imprint_home.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path
