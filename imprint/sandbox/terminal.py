"""A real Copilot in its terminal UI."""

from imprint.sandbox.driven import DrivenResult, run_driven
from imprint.sandbox.session import SessionSpec

NEEDS = ("pexpect", "pyte")

_TERMINAL = {"TERM": "xterm-256color"}


def run_terminal(spec: SessionSpec, *more: str) -> DrivenResult:
    """Trust the folder, type the prompt and then `more`, allow what is asked, `/exit`.

    `more` are prompts of `spec.scripts`. The exit code is Copilot's own. Raises what `run_driven`
    raises: a pseudo terminal and a screen come from the `probes` extra.
    """
    return run_driven(spec, "terminal", more=more, needs=NEEDS, variables=_TERMINAL)
