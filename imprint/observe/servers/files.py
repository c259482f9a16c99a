"""Judges: which files with MCP servers are taken, in which form, and what rewrites them."""

from imprint.observe.judged import Judged, SessionsByName, nothing_strange, unjudged, yes_or_no
from imprint.observe.servers.forms import HOSTS, form_started
from imprint.observe.servers.judges import plain_starts
from imprint.observe.servers.scenes import ADDED, ORDER, REPOSITORY_FILES, file_to_rewrite
from imprint.observe.sessions import Seen, SessionUseless

Table = dict[str, str | int | float]

TOLERANCE = ("comment", "trailing_comma", "bom", "invalid", "servers_key")

_ENDED_EARLY = ("exit-code", "model-not-asked")


def tolerance(sessions: SessionsByName) -> Judged:
    """Each form is in a home of its own; the one without any quirk starts its server."""
    plain = sessions["servers.plain"]
    value: Table = {}
    for form in TOLERANCE:
        taken = _taken(sessions, form)
        if taken:
            value[form] = taken
    if not value:
        return unjudged("no-session")
    return Judged(value, dict(value), positive=plain_starts(plain), negative=nothing_strange(plain))


def _taken(sessions: SessionsByName, form: str) -> str:
    """Empty where the session of the form proves nothing."""
    try:
        seen = sessions[HOSTS[form]]
    except SessionUseless:
        return ""
    if form_started(seen.scene):
        return "taken"
    if seen.answered and seen.result.exit_code == 0:
        return "ignored"
    return "start-fails" if not seen.answered else ""


def invalid_sibling(sessions: SessionsByName) -> Judged:
    """Ours is in a file with two entries that are none; it starts in the file without."""
    return _alone(sessions, "invalid_sibling", disables=True)


def args_required(sessions: SessionsByName) -> Judged:
    """Ours has no `args`, being a script; it starts in the file with them."""
    return _alone(sessions, "args_missing", disables=False)


def _alone(sessions: SessionsByName, form: str, *, disables: bool) -> Judged:
    plain, seen = sessions["servers.plain"], sessions[HOSTS[form]]
    started = form_started(seen.scene)
    return Judged(
        yes_or_no(started is not disables),
        {"started": started},
        positive=plain_starts(plain) and bool(seen.answered),
        negative=nothing_strange(plain, seen),
    )


def repository_file(sessions: SessionsByName) -> Judged:
    """Each file where nobody trusts the folder, then with trust, then with a variable for it.

    A file is never read if another one is where it is not; where none is, nothing is proven: it
    may be the trust that does not work.
    """
    steps = {
        "always": sessions["servers.plain"],
        "trusted-only": sessions["places.allow-true"],
    }
    if not any(_repository_servers(seen) for seen in steps.values()):
        steps["variable-only"] = sessions["servers.by-variable"]
    started = {when: sorted(_repository_servers(seen)) for when, seen in steps.items()}
    value: Table = {
        name: next((when for when, labels in started.items() if label in labels), "never")
        for name, label in REPOSITORY_FILES.items()
    }
    return Judged(
        value,
        dict(value),
        positive=plain_starts(steps["always"]) and any(started.values()),
        negative=nothing_strange(*steps.values()),
    )


def _repository_servers(seen: Seen) -> frozenset[str]:
    labels = REPOSITORY_FILES.values()
    return frozenset(label for label in labels if seen.scene.has_mark(f"{label}.started"))


def rewrite(sessions: SessionsByName) -> Judged:
    """What is left in a file to which `copilot mcp add` has added a server."""
    seen = sessions["servers.add"]
    text = _config(seen)
    if ADDED not in text:
        return unjudged("nothing-added")
    scene = seen.scene
    places = [text.find(f'"{name}"') for name in ORDER]
    value: Table = {
        "unknown_keys": yes_or_no(scene.word("top-key") in text),
        "unknown_entry_keys": yes_or_no(scene.word("entry-key") in text),
        "order": yes_or_no(-1 not in places and places == sorted(places)),
    }
    comments = _comments(sessions["servers.add-comment"])
    if comments:
        value["comments"] = comments
    return Judged(
        value,
        dict(value),
        positive=all(place >= 0 for place in places),
        negative=scene.words.never not in text,
    )


def _comments(seen: Seen) -> str:
    """Empty where it is neither kept, lost, nor a reason to refuse."""
    text = _config(seen)
    if ADDED in text:
        return yes_or_no(seen.scene.word("comment") in text)
    untouched = text == file_to_rewrite(seen.scene, comment=True)
    return "refuses" if untouched and seen.result.exit_code != 0 else ""


def _config(seen: Seen) -> str:
    path = seen.scene.scratch.copilot / "mcp-config.json"
    return path.read_text(encoding="utf-8", errors="replace")
