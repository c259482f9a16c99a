"""What can go wrong before or around a real Copilot."""

from collections.abc import Sequence

from imprint.base.errors import ImprintError

OWN_BINARY = "give a Copilot that is already here with --binary PATH"


class SandboxError(ImprintError):
    """A sandbox could not be set up."""

    code = "sandbox"


class NpmMissing(SandboxError):
    """There is no npm to fetch a release with."""

    code = "npm-missing"


class NodeMissing(SandboxError):
    """A JavaScript release needs a Node that isn't here."""

    code = "node-missing"


class ReleaseNotFound(SandboxError):
    """The registry answered that there is no such release."""

    code = "release-not-found"


class RegistryUnreachable(SandboxError):
    """The registry did not answer, and nothing fitting is in the cache."""

    code = "registry-unreachable"


class ReleaseBroken(SandboxError):
    """A release that was fetched isn't what it should be."""

    code = "release-broken"


class CacheUnusable(SandboxError):
    """The cache folder can't be written (read-only, full, somebody else's)."""

    code = "cache-unusable"


class NotCopilot(SandboxError):
    """A program that was named as Copilot isn't one."""

    code = "not-copilot"


class ScratchUnusable(SandboxError):
    """The scratch home can't be made (no space, no permission, a file in its place)."""

    code = "scratch-unusable"


class PortInUse(SandboxError):
    """A port that was asked for is taken."""

    code = "port-in-use"


class CopilotNotStarted(SandboxError):
    """The operating system refused to start the program."""

    code = "copilot-not-started"


class HostRefused(SandboxError):
    """A Copilot that was started as a server answered with an error."""

    code = "host-refused"


class AccountNeeded(HostRefused):
    """It serves nobody who is not logged in, not even with a model of one's own."""

    code = "account-needed"


class MissingExtra(SandboxError):
    """Modules that only probes need are not installed."""

    code = "missing-extra"

    def __init__(self, modules: Sequence[str]) -> None:
        super().__init__(
            f"not installed: {', '.join(modules)}", fix="pip install -e '.[probes]' in a checkout"
        )
