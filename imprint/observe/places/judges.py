"""Judges: what settings do, what trusts a folder, which homes are honoured."""

from imprint.observe.judged import (
    NOT_RUN,
    Judged,
    SessionsByName,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.places.discovery import is_described
from imprint.observe.places.scenes import KNOWN_SETTING, MADE
from imprint.observe.sessions import Seen, SessionUseless

Table = dict[str, str | int | float]

_WARNS = ("unknown", "unrecognized", "unrecognised", "ignor", "warn", "not recognized")

_TRUST = {"1": "places.allow-1", "true": "places.allow-true"}
_FILES = {"settings.json": "places.trust-settings", "config.json": "places.trust-config"}

_HOMES = {
    "absolute": "places.settings",
    "relative": "places.relative",
    "symlink": "places.untrusted",
    "spaces": "places.allow-1",
    "non_ascii": "places.allow-true",
}


def unknown_key(sessions: SessionsByName) -> Judged:
    """In a file that the run writes another key to, which shows that it is the settings' file."""
    seen = sessions["places.settings"]
    text = _settings(seen)
    key = seen.scene.word("setting")
    output = [*seen.result.stdout.splitlines(), *seen.result.stderr.splitlines(), *seen.log]
    warned = any(key in line and _is_warning(line) for line in output)
    value: Table = {"warned": yes_or_no(warned), "kept": yes_or_no(key in text)}
    return Judged(
        value,
        dict(value),
        positive=KNOWN_SETTING in text,
        negative=nothing_strange(seen) and seen.words.never not in text,
    )


def permissions_deny(sessions: SessionsByName) -> Judged:
    """A command and a file that rules name are tried, beside a command that none does."""
    seen = sessions["places.settings"]
    ran = {
        "command": (seen.scene.work / MADE).exists(),
        "read": _heard(seen, seen.scene.word("secret")),
    }
    allowed = _heard(seen, f"{seen.scene.word('allowed')}-2")
    is_read = KNOWN_SETTING in _settings(seen)
    return Judged(
        yes_or_no(not all(ran.values())),
        dict(ran),
        positive=allowed and is_read,
        negative=nothing_strange(seen),
    )


def trusted_folders(sessions: SessionsByName) -> Judged:
    """Which file makes the repository's hook run; some way to trust must do it, none must not."""
    untrusted = sessions["places.untrusted"]
    value: Table = {
        name: yes_or_no(_trusts(seen))
        for name, scenario in _FILES.items()
        for seen in _if_useful(sessions, scenario)
    }
    if not value:
        return unjudged("no-session")
    return Judged(
        value,
        dict(value),
        positive="yes" in value.values() or _trusts(sessions[_TRUST["true"]]),
        negative=nothing_strange(untrusted) and not _trusts(untrusted),
    )


def allow_all_env(sessions: SessionsByName) -> Judged:
    """Whether the shell tool runs, and the repository's hook; without the variable, neither.

    Where nothing makes that hook run, trust has no answer: it can't be seen.
    """
    seen = {name: sessions[scenario] for name, scenario in _TRUST.items()}
    untrusted = sessions["places.untrusted"]
    value: Table = {f"{name}.tools": yes_or_no(_ran_tool(one)) for name, one in seen.items()}
    by_file = [one for name in _FILES.values() for one in _if_useful(sessions, name)]
    if any(_trusts(one) for one in (*seen.values(), *by_file)):
        value |= {f"{name}.trust": yes_or_no(_trusts(one)) for name, one in seen.items()}
    return Judged(
        value,
        dict(value),
        positive=any(_ran_tool(one) for one in seen.values()),
        negative=nothing_strange(untrusted, *seen.values())
        and not (_ran_tool(untrusted) or _trusts(untrusted)),
    )


def home_env(sessions: SessionsByName) -> Judged:
    """A home is honoured if its hook runs and the session is kept in it."""
    seen = {form: one for form, name in _HOMES.items() for one in _if_useful(sessions, name)}
    value: Table = {
        form: answer for form, one in seen.items() for answer in [_honoured(one)] if answer
    }
    default = sessions["places.unset"]
    ran = bool(default.runs_of("home")), bool(default.runs_of("xdg"))
    if ran[0] is not ran[1]:
        value["xdg_ignored"] = yes_or_no(ran[0])
    return Judged(
        value or None,
        dict(value),
        positive=value.get("absolute") == "yes",
        negative=nothing_strange(default, *seen.values()),
        reason=NOT_RUN,
    )


def _honoured(seen: Seen) -> str:
    """Empty where the hook and the session's place say different things."""
    ran, kept = bool(seen.runs_of("home")), seen.result.session_folder is not None
    return yes_or_no(ran) if ran is kept else ""


def home_relative(sessions: SessionsByName) -> Judged:
    """The path that Stop gets in a relative home; what an empty one takes of `~/.copilot`."""
    relative, empty = sessions["places.relative"], sessions["places.empty"]
    value: Table = {}
    paths = [path for run in relative.runs_of("stop") for path in _paths(run.payload)]
    if paths:
        value["relative_paths"] = yes_or_no(any(not path.startswith("/") for path in paths))
    is_unset = _is_unset(empty)
    if is_unset:
        value["empty_is_unset"] = is_unset
    return Judged(
        value or None,
        dict(value),
        positive=bool(relative.answered and empty.answered),
        negative=nothing_strange(relative, empty),
        reason="no-home-found",
    )


def _is_unset(seen: Seen) -> str:
    """Of hook, session and skill of `~/.copilot`, whether all are taken; empty where unclear."""
    in_default, in_work = seen.result.session_folder is not None, _keeps_in_work(seen)
    if in_default is in_work or bool(seen.runs_of("home")) is not in_default:
        return ""
    if not in_default:
        return "no"
    if is_described(seen, "~/.copilot/skills"):
        return "yes"
    return "partly" if is_described(seen, ".github/skills") else ""


def _keeps_in_work(seen: Seen) -> bool:
    return any(seen.scene.work.rglob("events.jsonl"))


def _paths(payload: dict[str, object]) -> list[str]:
    found = (payload.get(key) for key in ("transcriptPath", "transcript_path"))
    return [path for path in found if isinstance(path, str) and path]


def needs_account(_: SessionsByName) -> Judged:
    """No probe uses a login, so that this stays without an answer."""
    raise SessionUseless("needs-account", blocked=True)


def _if_useful(sessions: SessionsByName, name: str) -> tuple[Seen, ...]:
    """The session, if it proves something and the model was asked in it."""
    try:
        seen = sessions[name]
    except SessionUseless:
        return ()
    return (seen,) if seen.answered else ()


def _trusts(seen: Seen) -> bool:
    return bool(seen.runs_of("repository"))


def _ran_tool(seen: Seen) -> bool:
    return (seen.scene.work / MADE).exists()


def _heard(seen: Seen, word: str) -> bool:
    return any(one.contains(word, "tool") for one in seen.answered)


def _is_warning(line: str) -> bool:
    return any(word in line.lower() for word in _WARNS)


def _settings(seen: Seen) -> str:
    path = seen.scene.scratch.copilot / "settings.json"
    return path.read_text(encoding="utf-8", errors="replace")
