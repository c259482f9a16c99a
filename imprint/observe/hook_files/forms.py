"""Judges: which forms of a hooks file are taken."""

from collections.abc import Callable

from imprint.observe.hook_files.scenes import FORMS, alone_name, form_file
from imprint.observe.judged import (
    Judged,
    SessionsByName,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.sessions import Seen, SessionUseless

_TOLERANCE = ("comment", "trailing_comma", "bom", "unknown_key", "empty", "invalid")
_COMPLAINT = "invalid hook configuration"

Table = dict[str, str | int | float]


def version_required(sessions: SessionsByName) -> Judged:
    """A file is taken if its hook runs, beside a plain file's that does."""
    return _judge(sessions, ("missing", "two"))


def tolerance(sessions: SessionsByName) -> Judged:
    """The same; of the empty file the log tells, which names those that were refused."""
    return _judge(sessions, _TOLERANCE)


def nested_groups(sessions: SessionsByName) -> Judged:
    """The hook in the group runs, beside a plain file's that does."""
    judged = _judge(sessions, ("nested",))
    if not isinstance(judged.value, dict):
        return judged
    taken = judged.value["nested"] == "taken"
    return Judged(yes_or_no(taken), judged.facts, judged.positive, judged.negative)


def _judge(sessions: SessionsByName, forms: tuple[str, ...]) -> Judged:
    """All forms were in one home; where that kept Copilot from starting, each in its own."""
    try:
        seen = sessions["hook_files.forms"]
    except SessionUseless as error:
        if error.blocked:
            raise
        return _judge_alone(sessions, forms)
    value = _table(forms, lambda form: _outcome(seen, form))
    return Judged(
        value or None,
        dict(value),
        positive=bool(seen.runs_of("plain")),
        negative=nothing_strange(seen),
        reason="not-reported",
    )


def _judge_alone(sessions: SessionsByName, forms: tuple[str, ...]) -> Judged:
    plain = sessions[alone_name("plain")]
    if not plain.runs_of("plain"):
        return unjudged("plain-file-not-taken")
    seen = {form: sessions[alone_name(form)] for form in forms}
    value = _table(
        forms, lambda form: _outcome(seen[form], form) if seen[form].answered else "start-fails"
    )
    return Judged(
        value or None,
        dict(value),
        positive=True,
        negative=nothing_strange(plain, *seen.values()),
        reason="not-reported",
    )


def _table(forms: tuple[str, ...], outcome: Callable[[str], str]) -> Table:
    return {form: answer for form in forms if (answer := outcome(form))}


def _outcome(seen: Seen, form: str) -> str:
    """`taken`, `rejected`, or nothing where a form without a hook is not spoken of."""
    if seen.runs_of(form):
        return "taken"
    has_hook = form in FORMS and form != "empty"
    if has_hook or _is_reported(seen, form):
        return "rejected"
    return "taken" if _is_reported(seen, "invalid") else ""


def _is_reported(seen: Seen, form: str) -> bool:
    name = form_file(form)
    return any(name in line and _COMPLAINT in line.lower() for line in seen.log)
