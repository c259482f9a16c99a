"""A real Copilot as a server: through GitHub's SDK, and through the Agent Client Protocol."""

from imprint.sandbox.driven import DrivenResult, run_driven
from imprint.sandbox.session import SessionSpec

NEEDS = ("copilot",)
"""The module of PyPI's `github-copilot-sdk`."""


def run_sdk(spec: SessionSpec, *more: str, discover: bool = False) -> DrivenResult:
    """One session through the SDK server, as an editor's agent host runs it.

    The prompt and then `more` (prompts of `spec.scripts`) are sent, the session is ended, the
    server is stopped. With `discover` the host asks for config discovery, which the SDK leaves to
    the server's default. Raises what `run_driven` raises: the SDK comes from the `probes` extra.
    """
    return run_driven(spec, "sdk", more=more, needs=NEEDS, discover=discover)


def run_acp(spec: SessionSpec, *more: str) -> DrivenResult:
    """The same through `copilot --acp`; `AccountNeeded` where that release wants one."""
    return run_driven(spec, "acp", more=more)
