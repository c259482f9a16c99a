"""What the scripted model says: turns, and which conversation each belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ToolName:
    """A tool by any of its exact names, else by the end of its name.

    Names differ between releases and platforms, and Copilot puts an MCP server's name before
    the tool's (`imprint-recall`); the first name that a request offers is taken.
    """

    exact: tuple[str, ...] = ()
    suffix: str = ""

    def resolve(self, offered: tuple[str, ...]) -> str | None:
        """The offered tool that is meant, or None."""
        for name in self.exact:
            if name in offered:
                return name
        if self.suffix:
            return next((name for name in offered if name.endswith(self.suffix)), None)
        return None

    def __str__(self) -> str:
        return " or ".join((*self.exact, *([f"*{self.suffix}"] if self.suffix else [])))


SHELL = ToolName(("bash", "powershell", "shell"))


def tool_ending(suffix: str) -> ToolName:
    """The tool whose name ends in `suffix`, whatever the host puts before it."""
    return ToolName((suffix,), suffix)


@dataclass(frozen=True, slots=True)
class Say:
    """The model answers with a text."""

    text: str


@dataclass(frozen=True, slots=True)
class CallTool:
    """The model calls a tool, by its name or by a `ToolName`, perhaps after saying something."""

    name: str | ToolName
    arguments: Mapping[str, object] = field(default_factory=dict)
    text: str = ""

    @property
    def wanted(self) -> ToolName:
        """What to look for among the tools that a request offers."""
        return self.name if isinstance(self.name, ToolName) else ToolName((self.name,))


@dataclass(frozen=True, slots=True)
class CallTools:
    """The model calls several tools in one turn."""

    calls: tuple[CallTool, ...]
    text: str = ""


Turn = Say | CallTool | CallTools


@dataclass(frozen=True, slots=True)
class Script:
    """The turns that answer one prompt.

    A request belongs to the script whose prompt is in the latest of its user messages that
    hold any script's prompt, and is answered by the turn whose number is the count of the
    model's own messages after that one. Nothing is consumed, so repeated requests get the same
    answer and side requests (titles, compaction, subagents) cannot take a turn away.
    """

    prompt: str
    turns: tuple[Turn, ...]
