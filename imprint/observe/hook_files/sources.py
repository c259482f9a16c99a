"""Judges: from where hooks are taken, and what silences them."""

from imprint.observe.judged import (
    NOT_RUN,
    Judged,
    SessionsByName,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.sessions import Seen


def repo_dir(sessions: SessionsByName) -> Judged:
    """The repository's hook, beside one of the home that runs: without trust, then with it.

    Only where neither is enough the variable that switches them on is tried.
    """
    seen = {"always": sessions["hook_files.repository"]}
    if not _ran(seen["always"]):
        seen["trusted-only"] = sessions["hook_files.trusted"]
        if not _ran(seen["trusted-only"]):
            seen["variable-only"] = sessions["hook_files.by_variable"]
    value = next((when for when, one in seen.items() if _ran(one)), "never")
    return Judged(
        value,
        {when: _ran(one) for when, one in seen.items()},
        positive=all(one.runs_of("directory") for one in seen.values()),
        negative=nothing_strange(*seen.values()),
    )


def _ran(seen: Seen) -> bool:
    return bool(seen.runs_of("repository"))


def settings_inline(sessions: SessionsByName) -> Judged:
    """One hook is in the settings alone, one in both places; one in the directory runs."""
    seen = sessions["hook_files.inline"]
    inline, both = len(seen.runs_of("inline")), len(seen.runs_of("both"))
    answers = {(0, 1): "no", (1, 1): "yes-once", (1, 2): "yes-twice"}
    return Judged(
        answers.get((inline, both)),
        {"inline": inline, "both": both},
        positive=bool(seen.runs_of("directory")),
        negative=nothing_strange(seen),
        reason="another-count",
    )


def disable_all(sessions: SessionsByName) -> Judged:
    """What still runs of what runs without the setting: the settings' own hook, the directory's."""
    enabled, seen = sessions["hook_files.inline"], sessions["hook_files.disabled"]
    if not enabled.runs_of("directory"):
        return unjudged(NOT_RUN)
    directory = bool(seen.runs_of("directory"))
    inline, could = bool(seen.runs_of("inline")), bool(enabled.runs_of("inline"))
    value = yes_or_no(not directory and not inline)
    if directory and could and not inline:
        value = "inline-only"
    return Judged(
        value,
        {"directory": directory, "inline": inline, "inline_else": could},
        positive=bool(seen.answered),
        negative=nothing_strange(enabled, seen),
    )
