"""One look into a distribution: where Copilot's home is, and what setup must know of it.

A single `wsl.exe -d NAME --exec /bin/sh -c ...`: no login shell, so no startup file is read
(ADR 0026, ADR 0057). What it prints, one `key=value` a line between `imprint-probe=1` and `end=1`:

| key | value |
| --- | --- |
| `name` | `WSL_DISTRO_NAME` |
| `user`, `home` | whose Copilot it is |
| `copilot` | `${COPILOT_HOME:-$home/.copilot}` |
| `exists`, `writable` | `yes` or `no`: that folder, and whether it can be written |
| `real` | the folder behind symbolic links; empty where it does not exist |
| `link` | one of setup's files that is a symbolic link (none, or several) |
| `mode` | octal permissions and name of one that is there, as in `600 mcp-config.json` |
| `bash` | `yes` or `no`: Copilot runs its hooks with `/bin/bash` |
| `launcher` | `absent`, `plain` or `executable` |
| `mount` | a line of `/proc/self/mountinfo` (several) |
| `conf` | a line of `/etc/wsl.conf` (none, or several) |
"""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from imprint.base.errors import RefusedError, UndeterminedError
from imprint.wsl.mounts import Automount, parse_mountinfo, parse_wsl_conf, windows_mounts
from imprint.wsl.paths import Mounts
from imprint.wsl.run_wsl import COLD_START_SECONDS, RunWsl, WslFailed

LAUNCHER = "imprint-wsl"
"""The launcher's name in a Copilot home; ownership in the Copilot room knows it too."""

_BEGIN = b"imprint-probe=1\n"
_END = "end=1"
_REPEATED = ("link", "mode", "mount", "conf")
_ONCE = ("name", "user", "home", "copilot", "exists", "writable", "real", "bash", "launcher")

# Without double quotes, because Windows' and wsl.exe's quoting of them is not to be relied upon:
# with `set -f` and an empty IFS an expansion without quotes is one word, or none.
SCRIPT = (
    "set -f; IFS=; unset CDPATH; "
    "say() { printf '%s=%s\\n' $1 $2; }; "
    "ask() { key=$1; shift; if $@; then say $key yes; else say $key no; fi; }; "
    "say imprint-probe 1; say name $WSL_DISTRO_NAME; say user $(id -un); "
    "home=$HOME; case $home in /*) ;; *) home=$(getent passwd $(id -u) | cut -d: -f6) ;; esac; "
    "say home $home; "
    "copilot=${1:-${COPILOT_HOME:-$home/.copilot}}; say copilot $copilot; "
    "real=$(cd $copilot 2>/dev/null && pwd -P); "
    "ask exists [ -d $copilot ]; ask writable [ -w $copilot ]; say real $real; "
    "for file in imprint-wsl mcp-config.json copilot-instructions.md hooks hooks/imprint.json; do "
    "if [ -L $real/$file ]; then say link $file; fi; "
    "if [ -f $real/$file ]; then say mode $(stat -c %a $real/$file)' '$file; fi; done; "
    "ask bash [ -x /bin/bash ]; "
    "launcher=absent; if [ -f $real/imprint-wsl ]; then launcher=plain; "
    "if [ -x $real/imprint-wsl ]; then launcher=executable; fi; fi; say launcher $launcher; "
    "while read -r line; do say mount $line; done </proc/self/mountinfo; "
    "if [ -r /etc/wsl.conf ]; then "
    "{ cat /etc/wsl.conf; echo; } | while read -r line; do say conf $line; done; fi; "
    "say end 1"
)


class ProbeUnreadable(UndeterminedError):
    """The distribution answered something else than was asked."""

    code = "probe-unreadable"


class RelativeHome(RefusedError):
    """The distribution's `COPILOT_HOME` cannot be meant."""

    code = "bad-copilot-home"


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found; `copilot` is the Copilot home as Copilot names it, `real` without links."""

    name: str
    user: str
    home: str
    copilot: str
    exists: bool
    writable: bool
    real: str
    bash: bool
    launcher: Literal["absent", "plain", "executable"]
    links: tuple[str, ...]
    modes: Mapping[str, int]
    mounts: Mounts
    automount: Automount


def probe(
    run: RunWsl, distribution: str, home: str | None = None, *, seconds: float = COLD_START_SECONDS
) -> Probe:
    """Look into a distribution, starting it where it does not run.

    `home` is the Copilot home to look at, where it is not to be the default. Raises WslFailed and
    ProbeUnreadable.
    """
    given = (home,) if home is not None else ()
    words = ("-d", distribution, "--exec", "/bin/sh", "-c", SCRIPT, "imprint", *given)
    answer = run(words, seconds=seconds)
    if answer.exit_code != 0:
        raise WslFailed(
            f"{distribution} cannot be looked into (exit code {answer.exit_code}): {answer.text}",
            fix=f"see that `wsl -d {distribution}` opens a shell, then run the command again",
        )
    return parse_probe(answer.stdout)


def parse_probe(data: bytes) -> Probe:
    """What the script printed; ProbeUnreadable for anything that it could not have printed."""
    _, found, rest = data.partition(_BEGIN)
    try:
        lines = rest.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise _unreadable("a name in it is not valid UTF-8") from error
    if not found or lines[-2:] != [_END, ""]:
        raise _unreadable("the answer is not complete")
    once: dict[str, str] = {}
    repeated: dict[str, list[str]] = {key: [] for key in _REPEATED}
    for line in lines[:-2]:
        key, separator, value = line.partition("=")
        if separator and key in repeated:
            repeated[key].append(value)
        elif separator and key in _ONCE and key not in once:
            once[key] = value
        else:
            raise _unreadable(f"it has a line that was not asked for: {line[:80]!r}")
    if missing := [key for key in _ONCE if key not in once]:
        raise _unreadable(f"it does not say: {', '.join(missing)}")
    return _probe_of(once, repeated)


def _probe_of(once: dict[str, str], repeated: dict[str, list[str]]) -> Probe:
    launcher = once["launcher"]
    if launcher not in {"absent", "plain", "executable"}:
        raise _unreadable(f"launcher={launcher}")
    if not once["copilot"].startswith("/"):
        raise RelativeHome(
            f"COPILOT_HOME in the distribution is {once['copilot']!r}: another folder in every"
            " directory",
            fix="set it to a full path there, or name the Copilot home with --home",
        )
    return Probe(
        name=once["name"],
        user=once["user"],
        home=once["home"],
        copilot=posixpath.normpath(once["copilot"]),
        exists=_is_yes(once, "exists"),
        writable=_is_yes(once, "writable"),
        real=once["real"],
        bash=_is_yes(once, "bash"),
        launcher=cast(Literal["absent", "plain", "executable"], launcher),
        links=tuple(repeated["link"]),
        modes=dict(_mode(line) for line in repeated["mode"]),
        mounts=windows_mounts(parse_mountinfo("\n".join(repeated["mount"]))),
        automount=parse_wsl_conf("\n".join(repeated["conf"])),
    )


def _mode(line: str) -> tuple[str, int]:
    octal, _, name = line.partition(" ")
    try:
        return name, int(octal, 8)
    except ValueError:
        raise _unreadable(f"mode={line[:80]}") from None


def _is_yes(once: dict[str, str], key: str) -> bool:
    if once[key] not in {"yes", "no"}:
        raise _unreadable(f"{key}={once[key]}")
    return once[key] == "yes"


def _unreadable(why: str) -> ProbeUnreadable:
    return ProbeUnreadable(
        f"the distribution's answer cannot be used: {why}",
        fix="run the command again; if it stays so, report it",
    )
