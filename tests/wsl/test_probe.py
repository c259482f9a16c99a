"""The look into a distribution, its script run by real shells."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from imprint.wsl.probe import SCRIPT, ProbeUnreadable, RelativeHome, parse_probe, probe
from imprint.wsl.run_wsl import Answer, WslFailed
from tests.capabilities import programs

SHELLS = programs("dash", "bash")
GOOD = (
    b"imprint-probe=1\nname=Ubuntu\nuser=ada\nhome=/home/ada\ncopilot=/home/ada/.copilot/\n"
    b"exists=yes\nwritable=yes\nreal=/data/copilot\nlink=hooks\n"
    b"mode=600 mcp-config.json\nbash=no\nlauncher=plain\n"
    b"mount=61 51 8:32 / / rw - ext4 /dev/sdc rw\n"
    b"mount=77 61 0:56 / /mnt/c rw - 9p C:\\134 rw,aname=drvfs;path=C:\\;uid=0\n"
    b"conf=[automount]\nconf=root = /win/\r\nend=1\n"
)


def ask(shell: str, environment: dict[str, str], *given: str) -> bytes:
    """What the script prints in a shell with this environment and no other."""
    done = subprocess.run(
        [shutil.which(shell) or shell, "-c", SCRIPT, "imprint", *given],
        env={"PATH": "/usr/bin:/bin", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=30,
    )
    assert done.stderr == b""
    return done.stdout


def test_the_script_has_no_double_quote_that_windows_could_garble() -> None:
    assert '"' not in SCRIPT
    assert "\n" not in SCRIPT
    assert not SCRIPT.endswith("\\")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_default_home_is_found_without_startup_files(shell: str, tmp_path: Path) -> None:
    home = tmp_path / "ada o'hara * $x"
    (home / ".copilot/hooks").mkdir(parents=True)
    for name in (".profile", ".bashrc"):
        (home / name).write_text("echo sourced; COPILOT_HOME=/elsewhere\n", encoding="utf-8")
    trap = {"ENV": str(home / ".profile"), "CDPATH": str(tmp_path)}
    found = parse_probe(ask(shell, {"HOME": str(home), "WSL_DISTRO_NAME": "Ubuntu", **trap}))
    assert found.copilot == found.real == str(home / ".copilot")
    assert (found.name, found.home) == ("Ubuntu", str(home))
    assert (found.exists, found.writable, found.launcher, found.links) == (True, True, "absent", ())
    assert found.bash == Path("/bin/bash").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_copilot_home_counts_and_a_given_home_counts_more(shell: str, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    environment = {"HOME": "/nowhere", "COPILOT_HOME": str(tmp_path / "link")}
    found = parse_probe(ask(shell, environment))
    assert (found.copilot, found.real) == (str(tmp_path / "link"), str(real))
    missing = str(tmp_path / "not there")
    found = parse_probe(ask(shell, environment, missing))
    assert (found.copilot, found.exists, found.writable, found.real) == (missing, False, False, "")


def can_mount(folder: Path) -> bool:
    """Whether a read-only mount can be made in a namespace of our own."""
    folder.mkdir(exist_ok=True)
    words = ("unshare", "-rm", "sh", "-c", READ_ONLY + "true", "sh", str(folder))
    return (
        shutil.which("unshare") is not None
        and subprocess.run(words, capture_output=True, check=False, timeout=20).returncode == 0
    )


READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" "$1" && '


@pytest.mark.parametrize("shell", SHELLS)
def test_a_read_only_mount_is_seen_whoever_asks(shell: str, tmp_path: Path) -> None:
    if not can_mount(tmp_path / "x"):
        pytest.skip("no mount namespaces here")
    command = f'{READ_ONLY} exec {shell} -c "$2" imprint "$1"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", command, "sh", str(tmp_path), SCRIPT],
        capture_output=True,
        check=True,
        timeout=30,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/x"},
    )
    found = parse_probe(done.stdout)
    assert (found.exists, found.writable) == (True, False)


@pytest.mark.parametrize("shell", SHELLS)
def test_links_and_the_state_of_the_launcher_are_told(shell: str, tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "mcp-config.json").symlink_to("elsewhere.json")
    (tmp_path / "hooks/imprint.json").symlink_to("/nowhere")
    launcher = tmp_path / "imprint-wsl"
    launcher.touch(0o644)
    found = parse_probe(ask(shell, {"HOME": "/x"}, str(tmp_path)))
    assert found.links == ("mcp-config.json", "hooks/imprint.json")
    assert found.launcher == "plain"
    assert found.modes == {"imprint-wsl": 0o644}
    launcher.chmod(0o755)
    assert parse_probe(ask(shell, {"HOME": "/x"}, str(tmp_path))).launcher == "executable"


@pytest.mark.parametrize("shell", SHELLS)
def test_without_home_the_user_database_is_asked(shell: str) -> None:
    assert parse_probe(ask(shell, {})).home.startswith("/")


def test_an_answer_is_read_to_the_letter() -> None:
    found = parse_probe("wsl: Ein Hinweis\r\n".encode("utf-16-le") + GOOD)
    assert (found.copilot, found.real, found.links) == (
        "/home/ada/.copilot",
        "/data/copilot",
        ("hooks",),
    )
    assert found.modes == {"mcp-config.json": 0o600}
    assert found.mounts == (("/mnt/c", "C:"),)
    assert (found.automount.enabled, found.automount.root) == (True, "/win/")
    assert not found.bash


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"end=1\n",
        GOOD.removesuffix(b"end=1\n"),
        GOOD.replace(b"user=ada\n", b""),
        GOOD.replace(b"user=ada\n", b"user=ada\nuser=bob\n"),
        GOOD.replace(b"user=ada\n", b"user=a\nda\n"),
        GOOD.replace(b"user=ada\n", b"user=ada\nsurprise=1\n"),
        GOOD.replace(b"exists=yes", b"exists=maybe"),
        GOOD.replace(b"launcher=plain", b"launcher=odd"),
        GOOD.replace(b"mode=600", b"mode="),
        GOOD.replace(b"/data/copilot", b"/data/\xff"),
    ],
)
def test_an_answer_that_the_script_could_not_give_is_refused(data: bytes) -> None:
    with pytest.raises(ProbeUnreadable):
        parse_probe(data)


@pytest.mark.parametrize("home", [b".copilot", b"~/.copilot"])
def test_a_relative_copilot_home_is_refused(home: bytes) -> None:
    with pytest.raises(RelativeHome, match="another folder in every directory"):
        parse_probe(GOOD.replace(b"=/home/ada/.copilot/", b"=" + home))


def test_one_program_is_started_in_the_distribution_and_its_failure_is_quoted() -> None:
    asked: list[tuple[str, ...]] = []

    def run(arguments: Sequence[str], *, seconds: float) -> Answer:
        asked.append(tuple(arguments))
        assert seconds > 60, "a cold start takes its time"
        return (
            Answer(0, GOOD) if len(asked) == 1 else Answer(4294967295, "Fehler".encode("utf-16-le"))
        )

    assert probe(run, "Ubuntu", "/home/ada/x y").user == "ada"
    assert asked[0][:5] == ("-d", "Ubuntu", "--exec", "/bin/sh", "-c")
    assert asked[0][-1] == "/home/ada/x y"
    with pytest.raises(WslFailed, match=r"Ubuntu.*Fehler"):
        probe(run, "Ubuntu")
