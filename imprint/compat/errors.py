"""What can be wrong with the data or with a question about it."""

from typing import ClassVar

from imprint.base.errors import RefusedError, UsageError


class DataInvalid(RefusedError):
    """A file in the data folder does not say what it must."""

    code: ClassVar[str] = "compat-data-invalid"


class DataMissing(RefusedError):
    """The data folder is not where an installation or a checkout has it."""

    code: ClassVar[str] = "compat-data-missing"


class UnknownClaim(UsageError):
    """The catalogue has no such claim, or the claim has no such entry."""

    code: ClassVar[str] = "unknown-claim"


class UnknownRelease(UsageError):
    """The list of releases has no such version."""

    code: ClassVar[str] = "unknown-release"
