"""Judges: which instructions files reach the model, and how whole."""

from imprint.observe.judged import (
    Judged,
    SessionsByName,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.scenario import PROMPT
from imprint.observe.sessions import Seen
from imprint.observe.texts.scenes import (
    EXTRA_FILES,
    PROJECT_FILES,
    SCOPED,
    SIZES,
    scoped_name,
    size_scenario,
)

Table = dict[str, str | int | float]

_EVERY_KEY = (
    "home",
    *SCOPED,
    *PROJECT_FILES,
    *(f"extra/{key}" for key in EXTRA_FILES),
)


def home_scoped(sessions: SessionsByName) -> Judged:
    """A file whose word is not there, but whose name is, is listed for the model to read."""
    seen = sessions["texts.all"]
    value: Table = {kind: _scoped(seen, kind) for kind in SCOPED}
    return _judged(seen, value, dict(value))


def _scoped(seen: Seen, kind: str) -> str:
    if _reaches(seen, kind):
        return "yes"
    return "listed" if seen.reached_model(scoped_name(kind)) else "no"


def project(sessions: SessionsByName) -> Judged:
    """Each file in the root of a repository, which is the session's directory."""
    seen = sessions["texts.all"]
    value: Table = {name: yes_or_no(_reaches(seen, name)) for name in PROJECT_FILES}
    return _judged(seen, value, dict(value))


def extra_dirs(sessions: SessionsByName) -> Judged:
    """Each file in a directory that is neither the repository nor in it."""
    seen = sessions["texts.all"]
    value: Table = {key: yes_or_no(_reaches(seen, f"extra/{key}")) for key in EXTRA_FILES}
    return _judged(seen, value, dict(value))


def off(sessions: SessionsByName) -> Judged:
    """Nothing reaches the model of what reaches it without the flag."""
    seen, without = sessions["texts.off"], sessions["texts.all"]
    left = [key for key in _EVERY_KEY if _reaches(seen, key)]
    judged = _judged(without, yes_or_no(not left), {"left": left})
    return Judged(
        judged.value,
        judged.facts,
        positive=judged.positive and seen.reached_model(PROMPT),
        negative=judged.negative and nothing_strange(seen),
    )


def comments(sessions: SessionsByName) -> Judged:
    """The word of a comment, in a file whose other word is there."""
    return _part_of_home(sessions, "comment")


def imports(sessions: SessionsByName) -> Judged:
    """The word of a file that the home's names on a line, relative to itself."""
    return _part_of_home(sessions, "imported-by-home")


def _part_of_home(sessions: SessionsByName, key: str) -> Judged:
    seen = sessions["texts.all"]
    if not _reaches(seen, "home"):
        return unjudged("file-not-read")
    reached = _reaches(seen, key)
    return _judged(seen, yes_or_no(reached), {"reached": reached})


def size(sessions: SessionsByName) -> Judged:
    """The largest of four files that arrives whole in a turn; the middle is asked first.

    That a file is too large is an answer only where a smaller one is not.
    """
    order = sorted(SIZES, key=SIZES.__getitem__)
    tried: dict[str, Seen] = {}
    low, high = -1, len(order)
    while high - low > 1:
        middle = (low + high + 1) // 2 if tried else order.index("300")
        name = order[middle]
        tried[name] = sessions[size_scenario(name)]
        low, high = (middle, high) if _is_whole(tried[name]) else (low, middle)
    if low < 0:
        return unjudged("none-arrives")
    return Judged(
        SIZES[order[low]],
        {name: _is_whole(seen) for name, seen in sorted(tried.items())},
        positive=_is_whole(tried[order[low]]),
        negative=nothing_strange(*tried.values()),
    )


def _is_whole(seen: Seen) -> bool:
    """A turn was answered to its end, and the model had both ends of the file."""
    words = (seen.scene.word("first"), seen.scene.word("last"))
    heard = any(all(one.contains(word) for word in words) for one in seen.answered)
    return heard and seen.result.exit_code == 0


def _reaches(seen: Seen, key: str) -> bool:
    word = seen.scene.word(key)
    return any(one.contains(word) for one in seen.answered)


def _judged(seen: Seen, value: str | Table, facts: dict[str, object]) -> Judged:
    """Controls: some file reaches the model, one that no release reads does not."""
    return Judged(
        value,
        facts,
        positive=seen.reached_model(PROMPT) and any(_reaches(seen, key) for key in _EVERY_KEY),
        negative=nothing_strange(seen) and not _reaches(seen, "elsewhere"),
    )
