"""A binary of the user's: taken only when it says that it is Copilot."""

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.sandbox.errors import NotCopilot
from imprint.sandbox.isolation import ScratchHome
from imprint.sandbox.release import Kind, Release, from_binary, lend
from tests.sandbox.support import alive, fake_copilot_source, script


def test_a_copilot_of_the_users_is_taken_with_its_version(tmp_path, world_host):
    program = script(tmp_path / "copilot", fake_copilot_source("1.0.9"))
    release = from_binary(program, world_host)
    assert (release.version, release.kind, release.command) == (
        "1.0.9",
        Kind.NATIVE,
        (str(program),),
    )
    assert release.unpacked is None


def test_it_is_asked_in_a_cleared_environment_and_a_scratch_home(tmp_path, world_host):
    said = tmp_path / "said"
    text = f"import os\nopen({str(said)!r}, 'w').write(repr(dict(os.environ)))\n"
    program = script(tmp_path / "copilot", text + fake_copilot_source("1.0.9"))
    from_binary(program, world_host)
    variables = eval(said.read_text(encoding="utf-8"))
    assert "SECRET" not in variables
    assert variables["HOME"] != str(world_host.home)
    assert not Path(variables["HOME"]).exists()
    assert list(world_host.home.iterdir()) == []


@pytest.mark.parametrize(
    "output",
    ["v24.1.0", "1.0.9", "GitHub Copilot CLI", "git version 2.44.0", ""],
)
def test_a_program_that_says_something_else_is_refused(tmp_path, world_host, output):
    program = script(tmp_path / "other", f"print({output!r})")
    with pytest.raises(NotCopilot, match="not a Copilot CLI"):
        from_binary(program, world_host)


def test_a_program_that_fails_is_quoted(tmp_path, world_host):
    text = "import sys\nprint('GitHub Copilot CLI 1.0.9.')\nsys.exit('Error: broken')"
    with pytest.raises(NotCopilot, match="ended with 1 and said 'Error: broken'"):
        from_binary(script(tmp_path / "copilot", text), world_host)


def test_what_is_no_program_is_refused_by_name(tmp_path, world_host):
    plain = tmp_path / "plain"
    plain.write_text("text", encoding="utf-8")
    for path, why in (
        (tmp_path / "nothing", "doesn't exist"),
        (tmp_path, "is a folder"),
        (plain, "isn't executable"),
    ):
        with pytest.raises(NotCopilot, match=why):
            from_binary(path, world_host)


@pytest.mark.parametrize("data", [b"", b"\x7fELF\x02\x01\x01 for another machine", b"#!/no/such\n"])
def test_what_the_system_cannot_start_is_refused(tmp_path, world_host, data):
    program = tmp_path / "copilot"
    program.write_bytes(data)
    program.chmod(0o755)
    with pytest.raises(NotCopilot):
        from_binary(program, world_host)


def test_a_program_that_hangs_is_ended_with_its_whole_group(tmp_path, world_host, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    pids = tmp_path / "pids"
    text = (
        "import os, subprocess, time\n"
        "child = subprocess.Popen(['/bin/sleep', '300'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "time.sleep(300)\n"
    )
    began = time.monotonic()
    with pytest.raises(NotCopilot, match=r"did not end within 0\.5 s and was killed"):
        from_binary(script(tmp_path / "copilot", text), world_host, seconds=0.5)
    assert time.monotonic() - began < 10
    assert not any(alive(int(pid)) for pid in pids.read_text(encoding="utf-8").split())
    assert list(temporary.iterdir()) == []


def test_a_loader_that_needs_a_node_finds_the_users(tmp_path, world_host):
    node = script(tmp_path / "bin" / "node", "print('GitHub Copilot CLI 1.0.9.')")
    loader = tmp_path / "copilot"
    loader.write_text("#!/usr/bin/env node\n", encoding="utf-8")
    loader.chmod(0o755)
    host = type(world_host).scratch(tmp_path / "other", {"PATH": f"{node.parent}:/usr/bin:/bin"})
    assert from_binary(loader, host).version == "1.0.9"


def test_what_a_release_unpacked_is_lent_to_a_scratch_home_and_nothing_else(tmp_path):
    unpacked = tmp_path / "unpacked"
    (unpacked / "pkg" / "1.0.9").mkdir(parents=True)
    (unpacked / "mcp-tools").mkdir()
    release = Release("1.0.9", Kind.NATIVE, ("copilot",), tmp_path, unpacked=unpacked)
    scratch = ScratchHome(tmp_path / "scratch").make()
    lend(release, scratch)
    lend(release, scratch)
    assert [path.name for path in scratch.copilot_cache.iterdir()] == ["pkg"]
    assert (scratch.copilot_cache / "pkg" / "1.0.9").is_dir()


def test_a_release_that_unpacks_nothing_lends_nothing(tmp_path):
    release = Release("1.0.9", Kind.JAVASCRIPT, ("node", "index.js"), tmp_path)
    scratch = ScratchHome(tmp_path / "scratch").make()
    lend(release, scratch)
    lend(replace(release, unpacked=tmp_path / "nothing"), scratch)
    assert list(scratch.cache.iterdir()) == []
