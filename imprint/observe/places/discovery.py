"""Skills and agents in every directory that a release might look in."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from imprint.observe.judged import Judged, SessionsByName, nothing_strange, yes_or_no
from imprint.observe.putting import put
from imprint.observe.scene import Scene
from imprint.observe.sessions import Seen

Table = dict[str, str | int | float]

SKILL_DIRS = (
    "~/.copilot/skills",
    "~/.agents/skills",
    "~/.claude/skills",
    ".github/skills",
    ".agents/skills",
    ".claude/skills",
)
AGENT_DIRS = (
    "~/.copilot/agents",
    "~/.agents/agents",
    "~/.claude/agents",
    ".github/agents",
    ".agents/agents",
    ".claude/agents",
)
_UNREAD: Mapping[str, str] = MappingProxyType(
    {"skill": ".imprint-elsewhere/skills", "agent": ".imprint-elsewhere/agents"}
)
"""No release looks there."""


def write_skills_and_agents(scene: Scene) -> None:
    """One of each in each directory, with a word of its own in its description."""
    for number, directory in enumerate((*SKILL_DIRS, _UNREAD["skill"])):
        name = f"probe-skill-{number}"
        text = _described(name, scene.word(directory))
        put(_place(scene, directory) / name / "SKILL.md", text)
    for number, directory in enumerate((*AGENT_DIRS, _UNREAD["agent"])):
        for ending in ("md", "agent.md"):
            name = f"probe-{ending.removesuffix('.md')}-{number}"
            text = _described(name, scene.word(f"{directory} {ending}"))
            put(_place(scene, directory) / f"{name}.{ending}", text)


def _described(name: str, word: str) -> str:
    return f"---\nname: {name}\ndescription: For {word} alone.\n---\n\nProbe.\n"


def _place(scene: Scene, directory: str) -> Path:
    if directory.startswith("~/"):
        return scene.scratch.home / directory.removeprefix("~/")
    return scene.work / directory


def skills_dirs(sessions: SessionsByName) -> Judged:
    """The description of a skill, anywhere in a request: a message, or a tool's text."""
    seen = sessions["places.unset"]
    value: Table = {name: yes_or_no(is_described(seen, name)) for name in SKILL_DIRS}
    return _judged(seen, value, dict(value), _UNREAD["skill"])


def agents_dirs(sessions: SessionsByName) -> Judged:
    """The same for agents, each in a file of either ending."""
    seen = sessions["places.unset"]
    found = {
        name: [ending for ending in ("md", "agent.md") if is_described(seen, f"{name} {ending}")]
        for name in AGENT_DIRS
    }
    value: Table = {name: yes_or_no(bool(endings)) for name, endings in found.items()}
    return _judged(seen, value, dict(found), f"{_UNREAD['agent']} md")


def _judged(seen: Seen, value: Table, facts: dict[str, object], unread: str) -> Judged:
    """A hook of `~/.copilot` shows that this is the home."""
    return Judged(
        value,
        facts,
        positive="yes" in value.values() and bool(seen.runs_of("home")),
        negative=nothing_strange(seen) and not is_described(seen, unread),
    )


def is_described(seen: Seen, key: str) -> bool:
    """Whether the skill of a directory, or the agent of one and an ending, is in a request."""
    word = seen.scene.word(key).encode()
    return any(word in msgspec.json.encode(one.body) for one in seen.answered)
