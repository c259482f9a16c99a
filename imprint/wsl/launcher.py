"""The launcher in a distribution's Copilot home: a POSIX shell script that starts Windows' Imprint.

Copilot runs `<launcher> hook ACTION` and `<launcher> mcp`. Its contract: exactly one `.exe` gets
stdin (the relay of WSL drains it), exit code 0 whatever happens, and for a hook one JSON object or
nothing on stdout. Why each line is as it is stands in docs/wsl.md.
"""

import hashlib
import re
import shlex
from dataclasses import dataclass

from imprint.base.errors import RefusedError
from imprint.wsl.paths import Mounts, UntranslatableError, to_linux
from imprint.wsl.windows import WindowsSide

SESSION_START_SECONDS = 8
STOP_SECONDS = 100
"""Below the limits that setup registers (10 and 120 s), so that it is us who give up."""

# The package is imported only where it still is; so a half removed Imprint stays harmless. Its
# folder comes last on the path: nothing in it can hide the standard library. No double quotes,
# which every one of the command lines in between treats in its own way.
START = (
    "import os,sys;del sys.argv[0];p=sys.argv[0];sys.path.append(p);"
    "os.path.exists(os.path.join(p,'imprint','wsl','bridge.py'))"
    "and __import__('imprint.wsl.bridge',fromlist=['main']).main()"
)

_SEAL = re.compile(rb"# imprint:sha256=([0-9a-f]{64})\n\Z")
_VALUE = re.compile(r"^(distribution|store)=(.*)$", re.MULTILINE)

_TEMPLATE = """\
#!/bin/sh
# Imprint's launcher: starts Imprint on Windows for Copilot in this distribution.
# Written by `imprint wsl setup`, taken away by `imprint wsl remove`. Whatever goes wrong here,
# the exit code is 0, stdout stays empty, and a line goes into the log.
# shellcheck disable=SC2016  # it is the shell started below that expands "$0" and "$@"
distribution={distribution}
drive={drive}
python={python}
package={package}
store={store}
logs={logs}
code={code}

PATH="${{PATH:-/usr/bin:/bin}}"
export PATH
unset BASH_ENV ENV CDPATH

give_up() {{
  line="$(date -u +%Y-%m-%dT%H:%M:%SZ) wsl $distribution: $1"
  if [ -n "$logs" ] && [ -d "$logs" ] && mkdir -p "$logs/log"; then
    file="$logs/log/wsl.log"
  else
    file="$self.log"
  fi
  if [ -f "$file" ] && [ "$(wc -c <"$file")" -gt 1048576 ]; then
    [ ! -f "$file.1" ] || mv -f "$file.1" "$file.2"
    mv -f "$file" "$file.1"
  fi
  printf '%s\\n' "$line" >>"$file"
  exit 0
}} 2>/dev/null

self=$0
[ "$1" = mcp ] || exec 2>/dev/null
case "$1 $2" in
  'hook copilot-session-start' | 'hook session-start') seconds={session_start} ;;
  'hook stop') seconds={stop} ;;
  'mcp ') seconds= ;;
  *) give_up "unknown command" ;;
esac

# From a drive: with a working directory of Linux a start can take 10 seconds.
cd "$drive" 2>/dev/null || give_up "$drive is not mounted"
[ -f "$python" ] || give_up "Imprint on Windows is gone"

# bash tells a program that is no script from one; where WSL's interop is off, other ways of
# starting it (timeout, env, an older sh) would run the .exe as shell commands.
if [ -x /bin/bash ]; then
  shell=/bin/bash
else
  shell=/bin/sh
fi

if [ "$1" = mcp ]; then
  exec 3<&0
  "$shell" -c 'exec "$0" "$@"' "$python" -X utf8 -P -m imprint mcp --store "$store" <&3 3<&- &
  server=$!
  exec 3<&-
  trap 'kill "$server" 2>/dev/null; exit 0' HUP INT TERM
  wait "$server"
  status=$?
  [ "$status" -eq 0 ] || give_up "mcp ended with $status"
  exit 0
fi

action=$2
set -- "$shell" -c 'exec "$0" "$@"' "$python" -I -S -c "$code" "$package" "$action" \\
  --store "$store" --distribution "$distribution"
if command -v timeout >/dev/null 2>&1; then
  set -- timeout "$seconds" "$@"
fi
answer=$("$@")
status=$?
answer=${{answer%"$(printf '\\r')"}}
case "$status $answer" in
  '0 {{'*'}}') printf '%s\\n' "$answer" ;;
  *) give_up "$action ended with $status" ;;
esac
exit 0
"""


class NoDriveError(RefusedError):
    """Windows' Python lies where the distribution cannot start it."""

    code = "drive-not-mounted"


@dataclass(frozen=True, slots=True)
class LauncherFacts:
    """What a launcher says of itself: whose distribution, and the Imprint home on Windows."""

    distribution: str
    store: str


def launcher_text(side: WindowsSide, distribution: str, mounts: Mounts) -> bytes:
    """The script for a distribution that has these mounts.

    Raises NoDriveError where Windows' Python is on no drive that is mounted there.
    """
    drive, python = _place_of(side.python, distribution, mounts)
    values = {
        "distribution": distribution,
        "drive": drive,
        "python": python,
        "package": side.package,
        "store": side.store,
        "logs": _logs(side.store, distribution, mounts),
        "code": START,
    }
    if any("\n" in value or "\r" in value for value in values.values()):
        raise RefusedError(
            "a path with a line break cannot stand in a script",
            fix="install Imprint, and keep its home, in a folder with an ordinary name",
        )
    quoted = {name: _quote(value) for name, value in values.items()}
    text = _TEMPLATE.format(
        session_start=SESSION_START_SECONDS, stop=STOP_SECONDS, **quoted
    ).encode("utf-8")
    return text + _seal(text)


def is_generated(data: bytes) -> bool:
    """Whether `data` is exactly what some Imprint wrote: its last line is a digest of the rest."""
    found = _SEAL.search(data)
    return found is not None and _seal(data[: found.start()]) == found[0]


def facts_of(data: bytes) -> LauncherFacts | None:
    """What a launcher says, edited or not; None for a file that is none."""
    if b"imprint.wsl.bridge" not in data:
        return None
    found = {key: _unquote(value) for key, value in _VALUE.findall(data.decode("utf-8", "replace"))}
    return LauncherFacts(found.get("distribution", ""), found.get("store", ""))


def _place_of(program: str, distribution: str, mounts: Mounts) -> tuple[str, str]:
    """The mount point to start from, and the program's path in the distribution."""
    try:
        path = to_linux(program, distribution, mounts)
    except UntranslatableError as error:
        raise NoDriveError(
            f"{distribution} cannot start Imprint's Python: {error}",
            fix="mount the drive in the distribution ([automount] in /etc/wsl.conf, /etc/fstab), or"
            " install Imprint on a drive that is mounted there",
        ) from error
    points = [point for point, source in mounts if source and path.startswith(f"{point}/")]
    if not points:
        raise NoDriveError(
            f"Imprint's Python, {program}, lies in a distribution, not on a drive of Windows",
            fix="install Imprint on Windows; inside WSL there is `imprint setup`",
        )
    return max(points, key=len), path


def _logs(store: str, distribution: str, mounts: Mounts) -> str:
    """The Imprint home as the distribution sees it, for the log; empty where it does not."""
    try:
        return to_linux(store, distribution, mounts)
    except UntranslatableError:
        return ""


def _seal(text: bytes) -> bytes:
    return f"# imprint:sha256={hashlib.sha256(text).hexdigest()}\n".encode()


def _quote(value: str) -> str:
    return shlex.quote(value) if value else "''"


def _unquote(value: str) -> str:
    try:
        return "".join(shlex.split(value))
    except ValueError:
        return ""
