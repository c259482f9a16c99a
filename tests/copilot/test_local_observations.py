"""What was seen of a program counts for exactly that program in that version."""

import json
import os
from pathlib import Path

import pytest

from imprint.compat import Local
from imprint.copilot.local_observations import FILES, LocalObservations, digest_of, stamps_of
from tests.compat.support import row, run
from tests.copilot.conftest import put


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return put(tmp_path / "bin" / "copilot", "first")


@pytest.fixture
def store(tmp_path: Path) -> LocalObservations:
    return LocalObservations(tmp_path / "imprint" / "observed", "linux")


def keep(store: LocalObservations, program: Path, version: str = "1.0.1") -> Path:
    digest = digest_of(program, "linux")
    seen = run(version, [row("yes", "hooks.file.home_dir")], executable=digest)
    return store.keep(stamps_of(program, "linux"), seen)


def test_it_is_found_for_the_program_and_version_that_it_was_seen_of(store, program) -> None:
    assert store.of(program, "1.0.1") is None
    keep(store, program)
    found = store.of(program, "1.0.1")
    assert isinstance(found, Local)
    assert found.executable == digest_of(program, "linux")
    assert found.observations[0].rows[0].value == "yes"


def test_a_link_to_the_program_is_the_program(store, program, tmp_path: Path) -> None:
    keep(store, program)
    link = tmp_path / "link"
    link.symlink_to(program)
    assert store.of(link, "1.0.1") is not None


@pytest.mark.parametrize("version", ["1.0.2", None])
def test_another_version_is_another_copilot(store, program, version) -> None:
    keep(store, program)
    assert store.of(program, version) is None


def test_a_program_that_changed_is_another_copilot(store, program) -> None:
    keep(store, program)
    program.write_text("other", encoding="utf-8")
    os.utime(program, ns=(1, 1))
    assert store.of(program, "1.0.1") is None


def test_a_program_that_is_gone_was_never_seen(store, program) -> None:
    keep(store, program)
    program.unlink()
    assert store.of(program, "1.0.1") is None


def test_npms_loader_is_what_it_starts(store, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(
        "imprint.copilot.local_observations.machine_name", lambda system: f"{system}-x64"
    )
    scope = tmp_path / "node_modules" / "@github"
    loader = put(scope / "copilot" / "npm-loader.js", "loader")
    native = put(scope / "copilot-linux-x64" / "copilot", "native")
    before = digest_of(loader, "linux")
    keep(store, loader)
    assert store.of(loader, "1.0.1") is not None
    native.write_text("newer!", encoding="utf-8")
    os.utime(native, ns=(1, 1))
    assert store.of(loader, "1.0.1") is None
    assert digest_of(loader, "linux") != before


def test_the_newest_is_kept_of_each_program_and_only_so_many(store, tmp_path: Path) -> None:
    for number in range(FILES + 3):
        program = put(tmp_path / str(number) / "copilot", f"program {number}")
        path = keep(store, program)
        os.utime(path, ns=(number, number))
    keep(store, program)
    names = list(path.parent.iterdir())
    assert len(names) == FILES
    assert store.of(program, "1.0.1") is not None
    assert store.of(tmp_path / "0" / "copilot", "1.0.1") is None


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff", b'{"schema": 2, "stamps": [], "observations": {}}', b"[]"]
)
def test_a_file_that_cannot_be_read_says_nothing(store, program, data: bytes) -> None:
    path = keep(store, program)
    path.write_bytes(data)
    assert store.of(program, "1.0.1") is None
    keep(store, program)
    assert store.of(program, "1.0.1") is not None


def test_a_file_of_another_schema_says_nothing(store, program) -> None:
    path = keep(store, program)
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"schema": 99}), encoding="utf-8")
    assert store.of(program, "1.0.1") is None
