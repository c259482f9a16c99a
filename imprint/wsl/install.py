"""Carrying out what setup and remove planned, the part inside the distribution included."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from imprint.base.errors import ImprintError
from imprint.base.paths import Environment
from imprint.edit.apply import Applied, apply, recover
from imprint.edit.plan import Plan
from imprint.wsl.profile import Profile, folder_of, real_launcher
from imprint.wsl.remove import WslRemoval, plan_wsl_remove
from imprint.wsl.run_wsl import COLD_START_SECONDS, RunWsl, WslFailed, WslHangs
from imprint.wsl.setup import WslSetup

# As in the probe: no double quotes, no splitting of words.
_SET_MODES = (
    "set -f; IFS=; while [ $# -gt 1 ]; do chmod $1 $2 || exit 1; shift 2; done; "
    "case $1 in /*) [ -x $1 ] ;; esac"
)
_TRY_SECONDS = 60.0


def install(
    environment: Environment, planned: WslSetup, run: RunWsl, *, timeout: float = 10
) -> Applied:
    """Write the files, then give them their permissions inside the distribution.

    Where these cannot be given, everything is taken back: a launcher that cannot be started would
    fail at every turn. Raises what `apply` raises, and WslFailed.
    """
    applied = _apply(environment, planned.plan, timeout)
    try:
        _set_modes(run, planned.profile, planned.modes, real_launcher(planned.profile))
    except ImprintError:
        undo = plan_wsl_remove(
            environment, planned.profile, planned.found, store=str(environment.imprint_home)
        )
        _apply(environment, undo.plan, timeout)
        with suppress(ImprintError):
            _set_modes(run, planned.profile, undo.modes)
        raise
    return applied


def uninstall(
    environment: Environment,
    planned: WslRemoval,
    run: RunWsl,
    *,
    timeout: float = 10,
) -> Applied:
    """Take the files away; those that stay keep their permissions."""
    applied = _apply(environment, planned.plan, timeout)
    _set_modes(run, planned.profile, planned.modes)
    return applied


def repair(environment: Environment, profile: Profile) -> None:
    """Finish or undo what a killed run left, in the home or in the records alone."""
    keep = folder_of(environment.layout())
    for home in (Path(profile.local), keep):
        recover(home, locks=environment.locks, keep=keep)


def launcher_answers(run: RunWsl, profile: Profile) -> bool:
    """Whether the launcher comes through to Windows and back, in time: whether interop works."""
    words = ("-d", profile.distribution, "--exec", profile.launcher, "hook", "session-start")
    try:
        answer = run(words, seconds=_TRY_SECONDS)
    except WslHangs:
        return False
    return answer.exit_code == 0 and answer.stdout.lstrip().startswith(b"{")


def _apply(environment: Environment, plan: Plan, timeout: float) -> Applied:
    keep = folder_of(environment.layout())
    return apply(plan, locks=environment.locks, keep=keep, timeout=timeout)


def _set_modes(
    run: RunWsl, profile: Profile, modes: Sequence[tuple[str, int]], program: str = "-"
) -> None:
    """Set them inside the distribution, and see that `program` (its path) can be started."""
    if not modes:
        return
    words = [word for path, mode in modes for word in (f"{mode:o}", path)]
    command = ("--exec", "/bin/sh", "-c", _SET_MODES, "imprint", *words, program)
    answer = run(("-d", profile.distribution, *command), seconds=COLD_START_SECONDS)
    if answer.exit_code != 0:
        raise WslFailed(
            f"permissions cannot be set below {profile.home} in {profile.distribution}, or the"
            f" launcher cannot be started there (exit code {answer.exit_code}): {answer.text}",
            fix="see how that folder is mounted in the distribution (mount; noexec, ro)",
        )
