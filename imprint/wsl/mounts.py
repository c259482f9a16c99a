"""What a distribution has mounted from Windows: `/proc/self/mountinfo`, and `/etc/wsl.conf`."""

import re
from dataclasses import dataclass

from imprint.base.errors import RefusedError
from imprint.wsl.paths import Mounts

_OCTAL = re.compile(r"\\([0-3][0-7]{2})")
_VIRTIOFS_TAG = re.compile(r"drvfsa?([A-Za-z])(?![A-Za-z])")
_UNC = "UNC\\"

DEFAULT_ROOT = "/mnt/"


class MountinfoError(RefusedError):
    """Text that is no mountinfo."""

    code = "bad-mountinfo"


def parse_mountinfo(text: str) -> Mounts:
    """The mounts in the order of the kernel, those that are not from Windows with an empty source.

    Raises MountinfoError, with its number, for a line that is none (proc_pid_mountinfo(5)).
    """
    lines = enumerate(text.split("\n"), 1)
    return tuple(_mount(number, line) for number, line in lines if line.strip())


def windows_mounts(mounts: Mounts) -> Mounts:
    """The mounts from Windows, and those that could hide one of them."""
    points = [point for point, source in mounts if source]
    return tuple(
        (point, source)
        for point, source in mounts
        if source or any(_nested(point, other) for other in points)
    )


def _nested(one: str, other: str) -> bool:
    """Whether one of two mount points lies in the other, the root aside."""
    first, second = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return first != "/" and (first.startswith(second) or second.startswith(first))


def _mount(number: int, line: str) -> tuple[str, str]:
    before, separator, after = line.partition(" - ")
    fields, kind = before.split(" "), after.split(" ")
    if not separator or len(fields) < 6 or len(kind) < 3 or not fields[4].startswith("/"):
        raise MountinfoError(
            f"line {number} is no line of mountinfo: {line[:80]!r}",
            fix="give a copy of the distribution's /proc/self/mountinfo",
        )
    root, point = _plain(fields[3]), _plain(fields[4])
    source = _source(kind[0], _plain(kind[1]), kind[2])
    if source and root != "/":  # a bind mount of a folder
        source += root.replace("/", "\\")
    return point, source


def _source(kind: str, source: str, options: str) -> str:
    """The Windows path that is mounted, without a backslash at its end; empty for anything else."""
    match kind:
        case "9p":
            name = next((o for o in options.split(",") if o.startswith("aname=drvfs")), "")
            found = dict(item.partition("=")[::2] for item in _plain(name).split(";"))
            source = found.get("path", "")
        case "virtiofs":
            tag = _VIRTIOFS_TAG.match(source)
            source = f"{tag[1].upper()}:" if tag else source
        case "drvfs":
            pass
        case _:
            return ""
    source = source.replace("/", "\\").rstrip("\\")
    if source.startswith(_UNC):
        source = "\\\\" + source.removeprefix(_UNC)
    is_windows = source[1:2] == ":" or source.startswith("\\\\")
    return source if is_windows else ""


def _plain(text: str) -> str:
    """A field without the kernel's octal escapes (of white space, backslash, `,`, `=`, `#`)."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)


@dataclass(frozen=True, slots=True)
class Automount:
    """`[automount]` of `/etc/wsl.conf`: whether drives are mounted by themselves, and where."""

    enabled: bool = True
    root: str = DEFAULT_ROOT


def parse_wsl_conf(text: str) -> Automount:
    """What the file says, as WSL takes it: unknown lines are passed over, the last value counts."""
    section, enabled, root = "", True, DEFAULT_ROOT
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip().lower()
            continue
        key, separator, value = (part.strip() for part in line.partition("="))
        if section != "automount" or not separator:
            continue
        value = value.strip('"')
        match key.lower():
            case "enabled":
                enabled = value.lower() not in {"false", "0"}
            case "root" if value.startswith("/"):
                root = value
            case _:
                continue
    return Automount(enabled, root)
