"""What the adapter relies on in the Copilot that is installed: asked once, frozen, then obeyed.

No other module decides how a file for Copilot must look.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Platform = str
"""`sys.platform` of the system that Copilot runs on."""


class Basis(StrEnum):
    """What a decision rests on, strongest first."""

    OBSERVED = "observed"
    BRACKETED = "bracketed"
    PROJECTED = "projected"
    OTHER_PLATFORM = "other-platform"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice for setup's report and the receipt.

    `id` is the claim asked, `action` what the adapter does about it, `value` the answer.
    """

    id: str
    action: str
    value: str
    basis: Basis = Basis.ASSUMED


@dataclass(frozen=True, slots=True)
class CopilotContract:
    """How one Copilot version wants to be spoken to.

    `timeout_key` is the key of a hook's limit in seconds; `posix_key` and `powershell_key` name
    the shell that runs a hook's line on each system; `context_shape` is what SessionStart's answer
    must look like to reach the model.
    """

    version: str | None
    hooks: bool = True
    session_start_event: str = "SessionStart"
    stop_event: str = "Stop"
    timeout_key: str = "timeoutSec"
    posix_key: Literal["command", "bash"] = "bash"
    powershell_key: Literal["command", "powershell"] = "powershell"
    context_shape: Literal["top-level", "nested"] = "top-level"
    entry_type: Literal["stdio", "local"] = "stdio"
    entry_tools: tuple[str, ...] = ("*",)

    @classmethod
    def for_version(cls, version: str | None) -> "CopilotContract":
        """The contract of a release, or of an unknown one (None): the same for all today."""
        return cls(version)

    def command_key(self, platform: Platform) -> str:
        """The key of a hook's line on a system."""
        return self.powershell_key if platform == "win32" else self.posix_key

    def decisions(self, platform: Platform) -> tuple[Decision, ...]:
        """Every choice made, for setup's report and the receipt."""
        return (
            Decision("hooks.file.home_dir", "write-hooks-file", "yes" if self.hooks else "no"),
            Decision(
                "hooks.names.pascal",
                "register-events",
                f"{self.session_start_event},{self.stop_event}",
            ),
            Decision("hooks.timeout.key", "set-time-limit", self.timeout_key),
            Decision("hooks.exec.keys", "set-command", self.command_key(platform)),
            Decision("hooks.context.session_start", "answer-context", self.context_shape),
            Decision("mcp.type", "set-entry-type", self.entry_type),
            Decision("mcp.tools", "offer-tools", ",".join(self.entry_tools)),
            Decision("instructions.home", "write-block", "copilot-instructions.md"),
        )
