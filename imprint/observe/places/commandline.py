"""What `copilot --version` and `copilot --help` print."""

import re

from imprint.observe.judged import Judged, SessionsByName, unjudged
from imprint.observe.scenario import Scenario, Useless, command
from imprint.observe.scene import Scene

_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-\w+)?")
_COMMAND = re.compile(r" {2}([a-z][\w-]*)")
_FLAG_LINE = re.compile(r" {2,6}(-[^<\[=]*?)(?: {2,}|[ =]?[<\[]|$)")
_FLAG = re.compile(r"--[a-z][a-z0-9-]*|-[A-Za-z]\b")


def _nothing(_: Scene) -> None:
    """No file of the home is read."""


def _prints(name: str, argument: str) -> Scenario:
    return Scenario(
        name,
        _nothing,
        lambda _: (),
        drive=command(argument),
        tolerates=frozenset({Useless.MODEL_NOT_ASKED}),
        deadline=60,
    )


SCENARIOS: tuple[Scenario, ...] = (
    _prints("places.version", "--version"),
    _prints("places.help", "--help"),
)


def version_format(sessions: SessionsByName) -> Judged:
    """Its lines, with the version taken out, which is the one that a session notes."""
    said = sessions["places.version"].result.stdout
    version = sessions["texts.all"].result.copilot_version
    found = _VERSION.search(said)
    if found is None:
        return unjudged("no-version-printed")
    lines = [line.strip() for line in said.replace(found[0], "<version>").splitlines()]
    pattern = " / ".join(line for line in lines if line)
    return Judged(
        pattern,
        {"pattern": pattern},
        positive=found[0] == version,
        negative=len(set(_VERSION.findall(said))) == 1,
    )


def help_commands(sessions: SessionsByName) -> Judged:
    """The names in the list of commands."""
    return _names(sessions, commands_of(sessions["places.help"].result.stdout), "help")


def flags(sessions: SessionsByName) -> Judged:
    """The names in the list of options, short ones that stand for no long one included."""
    return _names(sessions, flags_of(sessions["places.help"].result.stdout), "--prompt")


def commands_of(text: str) -> tuple[str, ...]:
    """Subcommands, in the order of the alphabet."""
    found = (_COMMAND.match(line) for line in _section(text, "Commands:"))
    return tuple(sorted({match[1] for match in found if match}))


def flags_of(text: str) -> tuple[str, ...]:
    """Flags by their long names; of one that has none, the short name."""
    names: set[str] = set()
    for line in _section(text, "Options:"):
        match = _FLAG_LINE.match(line)
        given = _FLAG.findall(match[1]) if match else []
        names |= {name for name in given if name.startswith("--")} or set(given)
    return tuple(sorted(names))


def _section(text: str, title: str) -> list[str]:
    """The lines from a title to the first empty one."""
    _, found, rest = text.partition(f"\n{title}\n")
    lines = rest.splitlines() if found else []
    return lines[: lines.index("")] if "" in lines else lines


def _names(sessions: SessionsByName, names: tuple[str, ...], known: str) -> Judged:
    """Of a list that is cut, or is of something else, the name that must be there is missing."""
    never = sessions["places.help"].words.never
    return Judged(
        " ".join(names) or None,
        {"names": names},
        positive=known in names,
        negative=never not in names,
        reason="no-list",
    )
