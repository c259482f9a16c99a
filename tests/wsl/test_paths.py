"""Paths go from a distribution to Windows and back as `wslpath` takes them."""

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.wsl.mounts import parse_mountinfo, parse_wsl_conf, windows_mounts
from imprint.wsl.paths import (
    Mounts,
    UntranslatableError,
    drive_mounts,
    escape,
    is_windows_form,
    to_linux,
    to_windows,
    unescape,
)

SHARED_TABLE = Path(__file__).parents[3] / "shared/cases/wsl-paths.tsv"

MOUNTS: Mounts = (
    ("/", ""),
    ("/mnt/c", "C:"),
    ("/mnt/d", "D:"),
    ("/mnt/photos", "E:\\Photos 2026"),
    ("/mnt/c/inside", "D:\\elsewhere"),
    ("/srv/team", "\\\\files\\team"),
    ("/mnt/d/memory", ""),
)

TO_WINDOWS = [
    ("/", "\\\\wsl.localhost\\Ubuntu\\"),
    ("/home/ada", "\\\\wsl.localhost\\Ubuntu\\home\\ada"),
    ("/home/ada/", "\\\\wsl.localhost\\Ubuntu\\home\\ada\\"),
    ("/home//ada/./x/../y", "\\\\wsl.localhost\\Ubuntu\\home\\ada\\y"),
    ("/home/ada/..", "\\\\wsl.localhost\\Ubuntu\\home\\"),
    ("/home/ada/what?", "\\\\wsl.localhost\\Ubuntu\\home\\ada\\what\uf03f"),
    ("/home/ada/a|b<c>d*e", "\\\\wsl.localhost\\Ubuntu\\home\\ada\\a\uf07cb\uf03cc\uf03ed\uf02ae"),
    ('/home/ada/"q"', "\\\\wsl.localhost\\Ubuntu\\home\\ada\\\uf022q\uf022"),
    ("/home/ada/Grüße 世界", "\\\\wsl.localhost\\Ubuntu\\home\\ada\\Grüße 世界"),
    ("/mnt", "\\\\wsl.localhost\\Ubuntu\\mnt"),
    ("/mnt/C/x", "\\\\wsl.localhost\\Ubuntu\\mnt\\C\\x"),
    ("/mnt/c", "C:\\"),
    ("/mnt/c/", "C:\\"),
    ("/mnt/c/a b/", "C:\\a b\\"),
    ("/mnt/c/x:y", "C:\\x\uf03ay"),
    ("/mnt/../mnt/c/x", "C:\\x"),
    ("/mnt/photos", "E:\\Photos 2026"),
    ("/mnt/photos/july", "E:\\Photos 2026\\july"),
    ("/mnt/photoshop", "\\\\wsl.localhost\\Ubuntu\\mnt\\photoshop"),
    ("/mnt/c/inside/f", "D:\\elsewhere\\f"),
    ("/srv/team", "\\\\files\\team"),
    ("/srv/team/plan.txt", "\\\\files\\team\\plan.txt"),
    ("/mnt/d/memory/f", "\\\\wsl.localhost\\Ubuntu\\mnt\\d\\memory\\f"),
]

TO_LINUX = [
    ("C:\\", "/mnt/c/"),
    ("c:/Users\\ada", "/mnt/c/Users/ada"),
    ("D:\\a\\\\b\\.\\c\\", "/mnt/d/a/b/c/"),
    ("E:\\photos 2026\\july", "/mnt/photos/july"),
    ("D:\\ELSEWHERE\\f", "/mnt/c/inside/f"),
    ("D:\\elsewhere2", "/mnt/d/elsewhere2"),
    ("\\\\?\\C:\\x", "/mnt/c/x"),
    ("\\\\FILES\\Team\\plan.txt", "/srv/team/plan.txt"),
    ("\\\\wsl.localhost\\ubuntu", "/"),
    ("\\\\wsl.localhost\\Ubuntu\\", "/"),
    ("\\\\WSL$\\Ubuntu\\home\\ada", "/home/ada"),
    ("//wsl.localhost/Ubuntu/home", "/home"),
    ("\\\\wsl.localhost\\Ubuntu\\home\\what\uf03f", "/home/what?"),
    ("\\\\wsl.localhost\\Ubuntu\\a\\..\\b", "/b"),
    ("C:\\x\uf03ay", "/mnt/c/x\uf03ay"),
]

NO_WINDOWS_PATH = ["", "home/ada", "~/x", "/..", "/a/../..", "/a\0b"]
NO_LINUX_PATH = [
    "",
    "C:",
    "C:x",
    "\\x",
    "x\\y",
    "C:\\..",
    "C:\\a\0b",
    "Z:\\x",
    "\\\\other\\share\\x",
    "\\\\wsl.localhost\\Debian\\home",
    "\\\\wsl.localhost\\Ubuntu-22.04\\home",
    "\\\\wsl.localhost\\Ubuntu\\..\\Debian\\home",
    "\\\\wsl.localhost\\..\\..",
    "\\\\wsl.localhost\\",
    "\\\\wsl.localhost",
    "\\\\?\\UNC\\wsl.localhost\\Ubuntu\\home",
]


@pytest.mark.parametrize(("linux", "windows"), TO_WINDOWS)
def test_a_path_of_the_distribution_has_one_windows_path(linux: str, windows: str) -> None:
    assert to_windows(linux, "Ubuntu", MOUNTS) == windows


@pytest.mark.parametrize(("windows", "linux"), TO_LINUX)
def test_a_windows_path_has_one_path_in_the_distribution(windows: str, linux: str) -> None:
    assert is_windows_form(windows)
    assert to_linux(windows, "Ubuntu", MOUNTS) == linux


@pytest.mark.parametrize("path", NO_WINDOWS_PATH)
def test_what_is_no_absolute_path_of_the_distribution_is_refused(path: str) -> None:
    with pytest.raises(UntranslatableError):
        to_windows(path, "Ubuntu", MOUNTS)


@pytest.mark.parametrize("path", NO_LINUX_PATH)
def test_what_the_distribution_cannot_reach_is_refused(path: str) -> None:
    with pytest.raises(UntranslatableError):
        to_linux(path, "Ubuntu", MOUNTS)


def test_without_a_name_only_drives_can_be_translated() -> None:
    assert to_windows("/mnt/c/x", "", MOUNTS) == "C:\\x"
    with pytest.raises(UntranslatableError, match="name is not known"):
        to_windows("/home/ada", "", MOUNTS)
    with pytest.raises(UntranslatableError, match="another distribution"):
        to_linux("\\\\wsl.localhost\\Ubuntu\\home", "", MOUNTS)


def test_a_drive_that_another_mount_covers_is_not_reached_by_its_letter() -> None:
    covered = (*MOUNTS, ("/mnt", ""))
    with pytest.raises(UntranslatableError, match="not mounted"):
        to_linux("C:\\x", "Ubuntu", covered)
    assert to_windows("/mnt/c/x", "Ubuntu", covered).startswith("\\\\wsl.localhost\\")


# --- there and back ------------------------------------------------------------------------

names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=("Cs", "Co")), min_size=1
).filter(lambda name: name not in {".", ".."})
linux_paths = st.lists(names, max_size=6).map(lambda parts: "/" + "/".join(parts))
plain_names = names.filter(lambda name: escape(name) == name)
windows_paths = st.tuples(
    st.sampled_from(["C:", "d:", "E:\\Photos 2026", "\\\\files\\team", "\\\\wsl$\\Ubuntu"]),
    st.lists(plain_names, min_size=1, max_size=6),
).map(lambda parts: "\\".join((parts[0], *parts[1])))


@given(linux_paths)
def test_there_and_back_is_the_same_path_of_the_distribution(path: str) -> None:
    windows = to_windows(path, "Ubuntu", ())
    assert windows.startswith("\\\\wsl.localhost\\Ubuntu\\")
    assert not set(windows[len("\\\\wsl.localhost\\Ubuntu\\") :]) & set('/"*:<>?|')
    assert to_linux(windows, "Ubuntu", ()) == path


@given(st.sampled_from(["/mnt/c", "/mnt/d", "/mnt/photos", "/srv/team"]), st.lists(plain_names))
def test_there_and_back_is_the_same_path_on_a_mount(point: str, parts: list[str]) -> None:
    mounts = MOUNTS[:4] + MOUNTS[5:6]
    path = "/".join((point, *parts))
    back = to_linux(to_windows(path, "Ubuntu", mounts), "Ubuntu", mounts)
    assert back.rstrip("/") == path


@given(windows_paths)
def test_there_and_back_is_the_same_windows_path(path: str) -> None:
    back = to_windows(to_linux(path, "Ubuntu", MOUNTS[:4] + MOUNTS[5:6]), "Ubuntu", MOUNTS)
    assert back[2:] == path.replace("\\\\wsl$", "\\\\wsl.localhost")[2:]
    assert back[:2].lower() == path[:2].lower()


@given(st.text())
def test_escapes_are_undone_and_touch_nothing_else(text: str) -> None:
    assert unescape(escape(text)) == unescape(text)
    assert len(escape(text)) == len(text)


@given(st.text(), st.sampled_from(["", "Ubuntu"]))
def test_any_text_is_translated_or_refused(text: str, distribution: str) -> None:
    for translate in (to_windows, to_linux):
        found = "refused"
        with contextlib.suppress(UntranslatableError):
            found = translate(text, distribution, MOUNTS)
        assert found


# --- mounts --------------------------------------------------------------------------------

MOUNTINFO = (
    "61 51 8:32 / / rw,relatime - ext4 /dev/sdc rw,discard,errors=remount-ro,data=ordered\n"
    "70 61 0:36 / /mnt/wsl rw,relatime shared:1 - tmpfs none rw\n"
    "77 61 0:56 / /mnt/c rw,noatime shared:2 - 9p C:\\134 rw,dirsync,"
    "aname=drvfs;path=C:\\;uid=1000;gid=1000;symlinkroot=/mnt/,mmap,access=client,trans=fd,rfd=8\n"
    "78 61 0:57 / /mnt/d rw,noatime - 9p drvfs rw,"
    "aname\\075drvfs,aname=drvfs;path\\075D:\\134Work\\040files;uid\\0750,trans=virtio\n"
    "79 61 0:58 / /mnt/e\\040x rw - virtiofs drvfsaE rw\n"
    "80 61 0:59 / /srv/team rw - 9p drvfs rw,aname=drvfs;path=UNC\\files\\team;uid=0,trans=fd\n"
    "81 61 0:60 / /mnt/f rw - drvfs F:/ rw\n"
    "82 61 0:56 /Users/ada /home/ada/win rw - 9p C:\\134 rw,aname=drvfs;path=C:\\;uid=1000\n"
    "83 77 0:61 / /mnt/c/ram rw - tmpfs none rw\n"
    "84 61 0:62 / /usr/lib/wsl rw - 9p none rw,aname=drivers;fmask=222;dmask=222,trans=fd\n"
)


def test_mounts_from_windows_are_found_in_mountinfo_in_every_form() -> None:
    found = parse_mountinfo(MOUNTINFO)
    assert [mount for mount in found if mount[1]] == [
        ("/mnt/c", "C:"),
        ("/mnt/d", "D:\\Work files"),
        ("/mnt/e x", "E:"),
        ("/srv/team", "\\\\files\\team"),
        ("/mnt/f", "F:"),
        ("/home/ada/win", "C:\\Users\\ada"),
    ]
    assert ("/mnt/c/ram", "") in windows_mounts(found)
    assert ("/mnt/wsl", "") not in windows_mounts(found)


def test_what_is_kept_of_the_mounts_translates_as_all_of_them() -> None:
    every = parse_mountinfo(MOUNTINFO)
    kept = windows_mounts(every)
    for path in ("/mnt/c/ram/x", "/mnt/c/x", "/mnt/wsl/x", "/home/ada/win/x", "/mnt/e x/y"):
        assert to_windows(path, "Ubuntu", kept) == to_windows(path, "Ubuntu", every)
    for path in ("C:\\Users\\ada\\x", "C:\\x", "f:\\y", "\\\\files\\team"):
        assert to_linux(path, "Ubuntu", kept) == to_linux(path, "Ubuntu", every)


@pytest.mark.parametrize("line", ["nonsense", "1 2 3 - 9p", "77 61 0:56 / mnt rw - 9p C: rw"])
def test_a_line_that_is_no_mount_is_named(line: str) -> None:
    from imprint.wsl.mounts import MountinfoError

    with pytest.raises(MountinfoError, match="line 2"):
        parse_mountinfo(f"61 51 8:32 / / rw - ext4 /dev/sdc rw\n{line}\n")


@pytest.mark.parametrize(
    ("text", "enabled", "root"),
    [
        ("", True, "/mnt/"),
        ("[automount]\nroot=/\n", True, "/"),
        ("[automount]\r\nroot = /windir # mine\r\nenabled=FALSE\r\n", False, "/windir"),
        ("[boot]\nsystemd=true\n[network]\nroot=/x\n", True, "/mnt/"),
        ('# [automount]\n[Automount]\nROOT="/a"\nroot=relative\n', True, "/a"),
        ("[automount]\nenabled=0\nnonsense\n", False, "/mnt/"),
    ],
)
def test_wsl_conf_says_whether_and_where_drives_are_mounted(
    text: str, enabled: bool, root: str
) -> None:
    found = parse_wsl_conf(text)
    assert (found.enabled, found.root) == (enabled, root)


@pytest.mark.parametrize(("root", "point"), [("/", "/c"), ("/mnt/", "/mnt/c"), ("/win", "/win/c")])
def test_the_root_of_automount_may_end_in_a_slash_or_not(root: str, point: str) -> None:
    assert drive_mounts(root) == ((point, "C:"),)


# --- the shared table ------------------------------------------------------------------------


def shared_rows() -> list[tuple[str, ...]]:
    """The rows of ../shared/cases, which is not part of the repository."""
    if not SHARED_TABLE.exists():
        return []
    lines = SHARED_TABLE.read_text(encoding="utf-8").split("\n")[1:]
    return [tuple(line.split("\t")) for line in lines if line]


def shared_mounts(root: str) -> Mounts:
    return (
        *drive_mounts(root),
        ("/mnt/data", "D:\\Data"),
        ("/mnt/c/mnt/nested", "D:\\N"),
        ("/mnt/share", "\\\\server\\share"),
    )


@pytest.mark.skipif(not SHARED_TABLE.exists(), reason="no ../shared/cases beside this checkout")
@pytest.mark.parametrize("row", shared_rows(), ids=lambda row: f"{row[0]} {row[1]}")
def test_the_shared_table_holds(row: tuple[str, ...]) -> None:
    direction, given_path, distribution, root, wanted, *_ = row
    wanted = re.sub(r"\\u(F0[0-9A-F]{2})", lambda match: chr(int(match[1], 16)), wanted)
    name = "" if distribution == "(unset)" else distribution
    forward = direction.startswith("L")
    if forward:
        given_path = given_path.replace("\\t", "\t")
    translate = to_windows if forward else to_linux
    if wanted.startswith("error"):
        with pytest.raises(UntranslatableError):
            translate(given_path, name, shared_mounts(root))
        return
    found = translate(given_path, name, shared_mounts(root))
    assert (found.replace("\\", "/") if direction.endswith("-m") else found) == wanted
