"""npm: found, asked, and understood when it fails."""

import importlib.util
from dataclasses import replace

import pytest

from imprint.sandbox.errors import (
    CacheUnusable,
    NodeMissing,
    NpmMissing,
    RegistryUnreachable,
    ReleaseNotFound,
)
from imprint.sandbox.npm import Npm, find_node, find_npm
from tests.sandbox.support import NATIVE, Registry, script, tarball

EMPTY = tarball({"package/x": b""})


def npm_of(registry: Registry, pauses: list[float] | None = None, **variables: str) -> Npm:
    waited = [] if pauses is None else pauses
    return Npm(registry.with_variables(**variables), pause=waited.append)


@pytest.fixture
def no_wheel(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def test_versions_come_as_the_registry_lists_them(registry):
    registry.publish(NATIVE, "1.0.2", EMPTY)
    registry.publish(NATIVE, "1.0.10", EMPTY)
    assert set(npm_of(registry).versions(NATIVE)) == {"1.0.2", "1.0.10"}


def test_no_such_version_is_a_definite_answer_and_is_asked_once(registry):
    registry.publish(NATIVE, "1.0.2", EMPTY)
    assert npm_of(registry).dist(NATIVE, "9.9.9") is None
    assert npm_of(registry).versions("@github/nothing") == ()
    assert len(registry.calls) == 2


def test_what_a_version_says_of_itself_is_asked_for_without_its_tarball(registry):
    registry.publish(NATIVE, "1.0.2", EMPTY)
    said = npm_of(registry).published(NATIVE, "1.0.2")
    assert said is not None
    assert (said.version, said.bin) == ("1.0.2", {"copilot": "index.js"})
    assert said.dist == npm_of(registry).dist(NATIVE, "1.0.2")
    assert npm_of(registry).published(NATIVE, "9.9.9") is None


def test_a_tarball_that_is_not_there_is_not_found(registry, tmp_path):
    with pytest.raises(ReleaseNotFound):
        npm_of(registry).pack(NATIVE, "9.9.9", tmp_path / "world")


@pytest.mark.parametrize("code", ["ENOTFOUND", "EAI_AGAIN", "ECONNRESET", "E503", "ETIMEDOUT"])
def test_what_may_pass_is_tried_three_times_and_then_named(registry, code):
    pauses: list[float] = []
    with pytest.raises(RegistryUnreachable, match=code) as caught:
        npm_of(registry, pauses, FAKE_NPM_FAILS=code).versions(NATIVE)
    assert len(registry.calls) == 3
    assert len(pauses) == 2
    assert "--binary" in caught.value.fix


def test_a_refusal_of_the_registry_is_not_tried_again(registry):
    with pytest.raises(RegistryUnreachable, match="E401"):
        npm_of(registry, FAKE_NPM_FAILS="E401").versions(NATIVE)
    assert len(registry.calls) == 1


@pytest.mark.parametrize("code", ["ENOSPC", "EROFS", "EACCES"])
def test_a_disk_that_npm_cannot_write_is_said_to_be_the_cause(registry, code):
    with pytest.raises(CacheUnusable, match=code):
        npm_of(registry, FAKE_NPM_FAILS=code).versions(NATIVE)


def test_an_npm_that_hangs_is_ended(registry, monkeypatch):
    monkeypatch.setattr("imprint.sandbox.npm.ASK_SECONDS", 0.3)
    with pytest.raises(RegistryUnreachable, match="no answer within"):
        npm_of(registry, FAKE_NPM_FAILS="hang").versions(NATIVE)


def test_npm_keeps_the_users_environment_and_its_cache_stays_ours(registry, tmp_path):
    says = tmp_path / "said"
    script(
        tmp_path / "bin" / "npm",
        f"import os, sys\nprint(*sys.argv, os.environ, file=open({str(says)!r}, 'w'))",
    )
    Npm(registry.with_variables(npm_config_registry="https://mine.example")).versions(NATIVE)
    said = says.read_text(encoding="utf-8")
    assert "https://mine.example" in said
    assert f"--cache={registry.host.home}" not in said
    assert "--cache=" in said


def test_without_npm_the_error_names_what_brings_it(registry, no_wheel):
    host = replace(registry.host, variables={"PATH": "/nowhere"})
    with pytest.raises(NpmMissing) as caught:
        Npm(host).versions(NATIVE)
    assert "imprint-copilot[try]" in caught.value.fix
    assert "--binary" in caught.value.fix


def test_the_npm_of_the_wheel_runs_where_the_system_has_neither_npm_nor_node(registry):
    host = replace(registry.host, variables={"PATH": "/nowhere"})
    node, cli = find_npm(host)
    assert node.endswith(("node", "node.exe"))
    assert cli.endswith("npm-cli.js")
    assert str(find_node(host)) == node


def test_a_node_that_is_too_old_is_passed_over(registry, tmp_path):
    old = script(tmp_path / "bin" / "node", "print('v20.1.0')")
    assert find_node(registry.host) != old
    assert find_node(registry.host, major=20) == old


def test_without_a_node_that_is_new_enough_the_error_says_which_is_there(
    registry, tmp_path, no_wheel
):
    script(tmp_path / "bin" / "node", "print('v20.1.0')")
    with pytest.raises(NodeMissing, match="needs Node 24 or later; there is only Node 20"):
        find_node(registry.host)
    with pytest.raises(NodeMissing, match="there is no Node"):
        find_node(replace(registry.host, variables={"PATH": "/nowhere"}))
