"""`hooks/imprint.json`: there, as setup writes it, and naming programs that exist."""

import os
from collections.abc import Iterator
from pathlib import Path

from imprint.base.checks import Check, Status
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.checks.registered import Registered
from imprint.copilot.commandline import split_line
from imprint.copilot.hooks_file import is_generated, render


def check_file(facts: Facts) -> Iterator[Check]:
    """The file that Imprint owns."""
    file = facts.our_hooks_file
    if file.problem is not None:
        yield Check.of_error(Id.HOOKS_FILE, Status.BROKEN, file.problem)
        return
    fix = f"`{facts.setup_command}`"
    if file.data is None and facts.receipt is not None and not facts.contract.hooks:
        yield Check(Id.HOOKS_FILE, Status.OK, f"no {file.path}: this Copilot would run none of it")
        return
    if file.data is None:
        yield _missing(facts, fix)
        return
    wanted = render(facts.runtime, facts.contract)
    if file.data == wanted:
        yield Check(Id.HOOKS_FILE, Status.OK, f"{file.path} is as setup writes it")
    elif facts.is_anothers:
        yield Check(Id.HOOKS_FILE, Status.OK, f"{file.path} is left to the other Imprint")
    elif not our_lines(facts):
        yield Check(
            Id.HOOKS_FILE,
            Status.BROKEN,
            f"{file.path} runs nothing of Imprint: nothing is learned when a turn ends",
            f"{fix}; your version is kept beside it",
        )
    else:
        what = "was written for another Imprint" if is_generated(file.data) else "was edited"
        yield Check(
            Id.HOOKS_FILE,
            Status.ATTENTION,
            f"{file.path} {what}, it is not as setup writes it",
            fix,
        )


def check_program(facts: Facts) -> Iterator[Check]:
    """Whether what the lines name is still there: without it they answer, but do nothing."""
    lines = our_lines(facts)
    words = [split_line(hook.line(facts.environment.platform)) for hook in lines]
    named = [found[0] for found in words if found]
    if not named:
        return
    missing = dict.fromkeys(
        what for found in words if found for what in _missing_of(found, facts.is_anothers)
    )
    for what in missing:
        yield Check(
            Id.HOOKS_PROGRAM,
            Status.BROKEN,
            f"{what}: the hooks answer, but nothing is learned or given back",
            f"`{facts.setup_command}`{' --force' if facts.is_anothers else ''}",
        )
    if not missing:
        yield Check(Id.HOOKS_PROGRAM, Status.OK, f"the hooks run {named[0]}")


def our_lines(facts: Facts) -> tuple[Registered, ...]:
    """The hooks of Imprint's own file that run an Imprint."""
    path = facts.home.hooks_file
    return tuple(hook for hook in facts.registered if hook.file == path and hook.is_ours)


def _missing(facts: Facts, fix: str) -> Check:
    path = facts.home.hooks_file
    if facts.is_anothers:
        return Check(Id.HOOKS_FILE, Status.OK, f"{path} is left to the other Imprint")
    if facts.is_set_up:
        what = f"{path} is gone: nothing is learned when a turn ends"
        return Check(Id.HOOKS_FILE, Status.BROKEN, what, fix)
    return Check(Id.HOOKS_FILE, Status.ATTENTION, f"there is no {path}: not set up", fix)


def _missing_of(words: tuple[str, ...], is_anothers: bool) -> Iterator[str]:
    program, store = Path(words[0]), Path(words[-1])
    if not (program.is_file() and os.access(program, os.X_OK)):
        yield f"{program} is no program (any more)"
    script = next((word for word in words if word.endswith("hook_entry.py")), "")
    if script and not Path(script).is_file():
        yield f"{script} is gone"
    # The other Imprint's store may be out of this user's reach.
    if not is_anothers and not store.is_dir():
        yield f"there is no store {store}"
