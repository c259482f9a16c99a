"""What can go wrong with containers; each says what to do."""

from imprint.base.errors import ImprintError, UndeterminedError


class NoEngine(UndeterminedError):
    """No Docker and no podman answers."""

    code = "no-engine"


class EngineTooOld(UndeterminedError):
    """An engine answers, but an older one than what is asked of it here."""

    code = "engine-too-old"


class EngineFailed(ImprintError):
    """The engine refused a request, or ended."""

    code = "engine-failed"


class NoBaseImage(UndeterminedError):
    """The base image can't be had: not from a registry, not from Debian's packages."""

    code = "no-base-image"


class ContainerFailed(ImprintError):
    """What ran in a container did not come to its end."""

    code = "container-failed"


class NoWine(UndeterminedError):
    """Windows programs can't be run: there is no Wine."""

    code = "no-wine"
