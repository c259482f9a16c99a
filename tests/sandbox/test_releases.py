"""Releases: listed in order, fetched once, checked, and made room for."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.base.errors import ImprintError
from imprint.sandbox import _cache
from imprint.sandbox.errors import (
    CacheUnusable,
    RegistryUnreachable,
    ReleaseBroken,
    ReleaseNotFound,
)
from imprint.sandbox.release import Kind
from imprint.sandbox.releases import PACKAGE, in_order, platform_package
from tests.sandbox.support import NATIVE, script, tarball
from tests.support import as_nobody

LOADER = tarball({"package/npm-loader.js": b"// the loader alone"})


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def staged(cache: Path) -> list[str]:
    """What lies in the staging folder besides locks."""
    return [path.name for path in (cache / "staging").iterdir() if path.suffix != ".lock"]


def test_pre_releases_come_before_their_release():
    versions = ["1.0.80", "1.0.79", "1.0.79-6", "1.0.9", "1.0.79-10", "not-a-version"]
    expected = ("1.0.9", "1.0.79-6", "1.0.79-10", "1.0.79", "1.0.80")
    assert in_order(versions) == expected


@given(st.lists(st.tuples(*[st.integers(0, 200)] * 3)))
def test_the_order_is_that_of_the_numbers(triples):
    versions = [".".join(map(str, triple)) for triple in triples]
    assert in_order(versions) == tuple(".".join(map(str, t)) for t in sorted(set(triples)))


@pytest.mark.parametrize(
    ("system", "machine", "libc", "name"),
    [
        ("linux", "x86_64", "glibc", "linux-x64"),
        ("linux", "aarch64", "", "linuxmusl-arm64"),
        ("darwin", "arm64", "", "darwin-arm64"),
        ("win32", "AMD64", "", "win32-x64"),
    ],
)
def test_the_platform_package_has_the_name_that_npm_uses(system, machine, libc, name):
    assert platform_package(system, machine, libc) == name


def test_the_newest_release_is_no_pre_release(registry, cache):
    for version in ("1.0.9", "1.0.10", "1.0.11-3"):
        registry.publish(PACKAGE, version, LOADER)
    newest = registry.store(cache).newest()
    assert (newest.version, newest.message) == ("1.0.10", "")


def test_without_the_registry_the_newest_release_in_the_cache_serves_and_says_why(registry, cache):
    for version in ("1.0.9", "1.0.10"):
        registry.publish_native(version)
        registry.store(cache).fetch(version)
    newest = registry.store(cache, FAKE_NPM_FAILS="ENOTFOUND").newest()
    assert newest.version == "1.0.10"
    assert "ENOTFOUND" in newest.message


def test_without_registry_and_cache_there_is_no_newest_release(registry, cache):
    with pytest.raises(RegistryUnreachable):
        registry.store(cache, FAKE_NPM_FAILS="ENOTFOUND").newest()


def test_a_release_is_fetched_once_and_then_asks_nobody(registry, cache):
    registry.publish_native("1.0.9")
    first = registry.store(cache).fetch("1.0.9")
    registry.forget_calls()
    again = registry.store(cache, PATH="/nowhere").fetch("1.0.9")
    assert again == first
    assert registry.calls == []
    assert registry.store(cache).cached() == ("1.0.9",)
    assert staged(cache) == []


def test_a_fetched_release_can_be_run_and_knows_what_it_is(registry, cache):
    registry.publish_native("1.0.9")
    release = registry.store(cache).fetch("1.0.9")
    said = subprocess.run([*release.command, "--version"], capture_output=True, check=True).stdout
    assert b"1.0.9" in said
    assert release.kind is Kind.NATIVE
    assert len(bytes.fromhex(release.digest)) == 64
    assert release.digest[:16] in release.folder.name
    assert release.unpacked == release.folder / "unpacked"


def test_without_a_platform_package_the_javascript_one_is_taken_with_a_node(
    registry, cache, tmp_path
):
    node = script(tmp_path / "bin" / "node", "print('v24.0.0\\nGitHub Copilot CLI 1.0.3.')")
    registry.publish(PACKAGE, "1.0.3", tarball({"package/index.js": b"// Copilot"}))
    release = registry.store(cache).fetch("1.0.3")
    assert release.kind is Kind.JAVASCRIPT
    assert release.command == (str(node), str(release.folder / "package" / "index.js"))


def test_a_loader_without_its_platform_package_is_no_release(registry, cache):
    registry.publish(PACKAGE, "1.0.102", LOADER)
    with pytest.raises(ReleaseBroken, match="holds no program"):
        registry.store(cache).fetch("1.0.102")
    assert registry.store(cache).cached() == ()
    assert staged(cache) == []


def test_a_version_that_npm_does_not_have_is_not_found(registry, cache):
    with pytest.raises(ReleaseNotFound, match=r"npm has no Copilot 9\.9\.9 for linux-x64"):
        registry.store(cache).fetch("9.9.9")


@pytest.mark.parametrize("version", ["newest", "../../etc", "1.0", "", "1.0.9\n"])
def test_what_is_no_version_is_refused_before_anybody_is_asked(registry, cache, version):
    with pytest.raises(ReleaseNotFound, match="is no version"):
        registry.store(cache).fetch(version)
    assert registry.calls == []


@pytest.mark.parametrize("integrity", ["sha512-AAAA", "sha512-!!", "sha1-AAAA", "nonsense"])
def test_a_tarball_with_another_digest_is_refused(registry, cache, integrity):
    registry.publish(NATIVE, "1.0.9", LOADER, integrity)
    with pytest.raises(ReleaseBroken, match="digest"):
        registry.store(cache).fetch("1.0.9")
    assert registry.store(cache).cached() == ()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize(
    "odd",
    [
        member("package/../../outside"),
        member("/package/outside"),
        member("package/link", tarfile.SYMTYPE, "/etc/passwd"),
        member("package/link", tarfile.LNKTYPE, "package/copilot"),
        member("package/device", tarfile.CHRTYPE),
        member("package\\..\\outside"),
        member("copilot"),
    ],
    ids=lambda info: f"{info.name}-{info.type.decode()}",
)
def test_a_tarball_with_anything_but_plain_files_of_its_own_is_refused(registry, cache, odd):
    registry.publish(NATIVE, "1.0.9", tarball({"package/copilot": b"x"}, (odd,)))
    with pytest.raises(ReleaseBroken, match="something odd"):
        registry.store(cache).fetch("1.0.9")
    assert not list(cache.rglob("outside"))


@pytest.mark.parametrize("data", [b"", b"no tarball", LOADER[:40]], ids=["empty", "text", "cut"])
def test_what_is_no_tarball_is_refused(registry, cache, data):
    registry.publish(NATIVE, "1.0.9", data)
    with pytest.raises(ReleaseBroken):
        registry.store(cache).fetch("1.0.9")


def test_a_release_that_does_not_run_is_no_release(registry, cache):
    broken = f"#!{sys.executable} -IS\nimport sys\nsys.exit('Error: no such library')"
    registry.publish(NATIVE, "1.0.9", tarball({"package/copilot": broken.encode("utf-8")}))
    with pytest.raises(ReleaseBroken, match=r"does not run: .*no such library"):
        registry.store(cache).fetch("1.0.9")
    assert registry.store(cache).cached() == ()


def test_a_release_that_calls_itself_otherwise_is_no_release(registry, cache):
    registry.publish_native("1.0.9", says="1.0.8")
    with pytest.raises(ReleaseBroken, match=r"1\.0\.9 calls itself 1\.0\.8"):
        registry.store(cache).fetch("1.0.9")


_FETCH = """
import sys
from pathlib import Path
from imprint.base.paths import Environment
from imprint.sandbox import releases
from imprint.sandbox.npm import Npm

releases._machine = lambda host: "linux-x64"
cache, *pairs = sys.argv[1:]
host = Environment.scratch(Path(cache), dict(pair.split("=", 1) for pair in pairs))
print(releases.ReleaseStore(Path(cache), Npm(host)).fetch("1.0.9").folder)
"""


def test_two_processes_that_fetch_at_once_download_once(registry, cache):
    registry.publish_native("1.0.9")
    variables = {**registry.host.variables, "FAKE_NPM_SECONDS": "0.5"}
    command = [sys.executable, "-c", _FETCH, str(cache)]
    command += [f"{name}={value}" for name, value in variables.items()]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)
    ]
    outputs = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert len({folder for folder, _ in outputs}) == 1
    assert registry.calls.count(f"pack {NATIVE}@1.0.9") == 1


def test_what_a_killed_fetch_left_the_next_one_takes_away(registry, cache):
    registry.publish_native("1.0.9")
    store = registry.store(cache)
    (cache / "staging" / "1.0.9+left" / "release").mkdir(parents=True)
    (cache / "staging" / "1.0.90+other").mkdir()
    store.fetch("1.0.9")
    assert staged(cache) == ["1.0.90+other"]


def test_half_a_release_is_not_there_and_is_replaced(registry, cache):
    registry.publish_native("1.0.9")
    folder = registry.store(cache).fetch("1.0.9").folder
    (folder / "package" / "copilot").unlink()
    assert registry.store(cache).cached() == ()
    assert registry.store(cache).fetch("1.0.9").folder == folder
    assert registry.store(cache).cached() == ("1.0.9",)


def test_a_manifest_that_cannot_be_read_does_not_hide_the_others(registry, cache):
    registry.publish_native("1.0.9")
    registry.store(cache).fetch("1.0.9")
    for name, text in (("a", "{"), ("b", "{}"), ("c", '{"version": 1}')):
        (cache / "releases" / name).mkdir()
        (cache / "releases" / name / "release.json").write_text(text, encoding="utf-8")
    assert registry.store(cache).cached() == ("1.0.9",)


def test_the_releases_that_were_not_used_for_longest_make_room(registry, cache):
    size = 300_000
    store = registry.store(cache, limit=3 * size)
    long_ago = time.time() - 2 * _cache.KEEP_SECONDS
    for age, version in enumerate(("1.0.1", "1.0.2", "1.0.3")):
        registry.publish_native(version, padding=size - 60_000)
        folder = store.fetch(version).folder
        os.utime(folder / "used", (long_ago + age, long_ago + age))
    store.fetch("1.0.1")  # used again
    registry.publish_native("1.0.4", padding=size)
    store.fetch("1.0.4")
    assert store.cached() == ("1.0.1", "1.0.3", "1.0.4")
    assert staged(cache) == []


def test_what_was_used_lately_stays_even_above_the_limit(registry, cache):
    store = registry.store(cache, limit=1)
    for version in ("1.0.1", "1.0.2"):
        registry.publish_native(version)
        store.fetch(version)
    assert store.cached() == ("1.0.1", "1.0.2")


def test_the_cache_is_its_owners_alone(registry, cache):
    registry.publish_native("1.0.9")
    registry.store(cache).fetch("1.0.9")
    assert cache.stat().st_mode & 0o777 == 0o700


def test_nothing_is_left_in_the_folder_for_temporary_files(registry, cache, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    registry.publish_native("1.0.9")
    registry.store(cache).fetch("1.0.9")
    with pytest.raises(ReleaseNotFound):
        registry.store(cache).fetch("9.9.9")
    assert list(temporary.iterdir()) == []


def _attempt(action) -> str:
    try:
        return str(action())
    except ImprintError as error:
        return f"{type(error).__name__}: {error.message}"


def test_a_cache_that_can_only_be_read_serves_what_it_has_and_says_what_it_cannot(registry):
    cache = Path(tempfile.mkdtemp(prefix="imprint-test-"))
    try:
        registry.publish_native("1.0.9")
        registry.store(cache).fetch("1.0.9")
        for path in (cache, *cache.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        store = registry.store(cache)
        assert as_nobody(lambda: _attempt(lambda: store.fetch("1.0.9").version)) == "1.0.9"
        refused = as_nobody(lambda: _attempt(lambda: store.fetch("1.0.10")))
        assert refused == f"CacheUnusable: the cache {cache} can't be used: Permission denied"
    finally:
        for path in (cache, *cache.rglob("*")):
            path.chmod(0o700)
        shutil.rmtree(cache)


def test_a_full_disk_is_one_clear_error_and_leaves_nothing(registry, cache, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    registry.publish_native("1.0.9")
    monkeypatch.setattr("imprint.sandbox._unpack.shutil.copyfileobj", full)
    with pytest.raises(CacheUnusable, match="No space left on device") as caught:
        registry.store(cache).fetch("1.0.9")
    assert "IMPRINT_CACHE" in caught.value.fix
    assert staged(cache) == []


def test_a_file_in_the_place_of_the_cache_is_one_clear_error(registry, cache):
    cache.write_text("a file", encoding="utf-8")
    with pytest.raises(CacheUnusable, match=str(cache)):
        registry.store(cache).fetch("1.0.9")


def test_a_fetch_that_another_process_never_ends_is_given_up(registry, cache, monkeypatch):
    monkeypatch.setattr("imprint.sandbox.releases.FETCH_SECONDS", 0.2)
    store = registry.store(cache)
    with store._cache.lock("1.0.9", 1):
        outcome: list[str] = []
        other = threading.Thread(
            target=lambda: outcome.append(_attempt(lambda: registry.store(cache).fetch("1.0.9")))
        )
        other.start()
        other.join(30)
    assert outcome[0].startswith("CacheUnusable: another process has been fetching 1.0.9")
