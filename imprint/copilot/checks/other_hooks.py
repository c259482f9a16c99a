"""Hooks elsewhere: doubles of ours, others at SessionStart, places and files that do nothing."""

from collections import defaultdict
from collections.abc import Iterator

from imprint.base.checks import Check, Status
from imprint.copilot.checks import seen
from imprint.copilot.checks.documents import Document
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.checks.registered import Registered, registered_in


def check_twice(facts: Facts) -> Iterator[Check]:
    """One run per event: ours in two files, or under two spellings of an event, runs twice."""
    by_action: dict[str, list[Registered]] = defaultdict(list)
    for hook in facts.registered:
        if hook.is_ours:
            by_action[hook.action].append(hook)
    found = False
    for action, hooks in by_action.items():
        if len(hooks) > 1:
            found = True
            places = ", ".join(f"{hook.event} in {hook.file}" for hook in hooks)
            yield Check(
                Id.HOOKS_TWICE,
                Status.ATTENTION,
                f"Imprint's {action or 'hook'} is registered {len(hooks)} times: {places}",
                f"keep only what is in {facts.home.hooks_file} (`{facts.setup_command}` writes it)",
            )
    if not found:
        yield Check(Id.HOOKS_TWICE, Status.OK, "each of Imprint's hooks is registered once at most")


def check_disabled(facts: Facts) -> Iterator[Check]:
    """A switch that turns all hooks off, on the releases that obey it."""
    files = (facts.settings, facts.config, *facts.hooks_files)
    found = [file for file in files if file.members().get("disableAllHooks") is True]
    for file in found:
        yield Check(
            Id.HOOKS_DISABLED,
            Status.ATTENTION,
            f"{file.path} has `disableAllHooks: true`: where Copilot obeys it, nothing is learned"
            f" when a turn ends and nothing given back at the start; {seen.DISABLE_ALL_HOOKS}",
            "take it out if you want hooks; `imprint learn` learns without them",
        )
    if not found:
        yield Check(Id.HOOKS_DISABLED, Status.OK, "hooks are not switched off")


def check_elsewhere(facts: Facts) -> Iterator[Check]:
    """Hooks in `config.json` (which Copilot manages) and inline in `settings.json`."""
    if "hooks" in facts.config.members():
        yield Check(
            Id.HOOKS_ELSEWHERE,
            Status.ATTENTION,
            f"{facts.config.path} has `hooks`, but Copilot manages that file itself:"
            f" {seen.CONFIG_HOOKS}",
            f"move them into a file of their own in {facts.home.hooks_folder}",
        )
    inline = list(registered_in(facts.settings))
    ours = [hook for hook in inline if hook.is_ours]
    if ours:
        yield Check(
            Id.HOOKS_ELSEWHERE,
            Status.ATTENTION,
            f"{facts.settings.path} runs Imprint from an inline `hooks` key",
            f"take Imprint out of it; `{facts.setup_command}` writes {facts.home.hooks_file.name}",
        )
    elif inline:
        events = ", ".join(dict.fromkeys(hook.event for hook in inline))
        what = f"{facts.settings.path} has inline hooks of others ({events})"
        yield Check(Id.HOOKS_ELSEWHERE, Status.OK, what)
    if "hooks" not in facts.config.members() and not inline:
        yield Check(Id.HOOKS_ELSEWHERE, Status.OK, "no hooks in config.json or settings.json")


def check_others(facts: Facts) -> Iterator[Check]:
    """Other hooks at SessionStart, whose context may reach the model in place of ours."""
    others = [hook for hook in facts.registered if hook.is_session_start and not hook.is_ours]
    # Those in config.json are reported as such.
    files = dict.fromkeys(hook.file for hook in others if hook.file != facts.config.path)
    if not files:
        yield Check(Id.HOOKS_OTHERS, Status.OK, "no other hook runs at SessionStart")
        return
    calm, told = facts.is_harmless(seen.SEVERAL_CONTEXTS), seen.SEVERAL_CONTEXTS.told
    yield Check(
        Id.HOOKS_OTHERS,
        Status.OK if calm else Status.ATTENTION,
        f"other hooks run at SessionStart: {', '.join(map(str, files))}; {told}",
        "" if calm else "update Copilot, or do without one of them; `recall` works all the same",
    )


def check_empty(facts: Facts) -> Iterator[Check]:
    """Hooks files that hold no hook, and such that cannot be read."""
    found = False
    for file in facts.hooks_files:
        if file.path == facts.home.hooks_file:
            continue
        check = _useless(file)
        if check is not None:
            found = True
            yield check
    if not found:
        yield Check(Id.HOOKS_EMPTY, Status.OK, "every hooks file holds hooks")


def _useless(file: Document) -> Check | None:
    if file.problem is not None:
        return Check.of_error(Id.HOOKS_EMPTY, Status.ATTENTION, file.problem)
    if file.members().get("disableAllHooks") is True or any(registered_in(file)):
        return None
    return Check(
        Id.HOOKS_EMPTY,
        Status.ATTENTION,
        f"{file.path} holds no hook that could run",
        "put hooks below its `hooks` key, or delete the file",
    )
