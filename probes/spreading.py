"""How xdist spreads probes: a release stays on one worker."""

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]


class ByRelease(LoadScopeScheduling):  # type: ignore[misc]
    """Work in units of a release, which is the parameter at the end of a probe's id.

    `--dist loadgroup` would do, but pytest 9.2 no longer takes the ids that xdist 3.8 gives.
    """

    def _split_scope(self, nodeid: str) -> str:
        return release_of(nodeid)


def release_of(nodeid: str) -> str:
    """`1.0.80` of `probes/test_x.py::test_y[1.0.80]`; without a parameter the id itself."""
    _, bracket, parameter = nodeid.rpartition("[")
    return parameter.removesuffix("]") if bracket else nodeid
