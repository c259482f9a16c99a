"""Observers of instructions files."""

from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.judged import Judge
from imprint.observe.texts import judges
from imprint.observe.texts.scenes import SCENARIOS

__all__ = ["JUDGES", "SCENARIOS"]

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "instructions.home_scoped": judges.home_scoped,
        "instructions.project": judges.project,
        "instructions.extra_dirs": judges.extra_dirs,
        "instructions.off": judges.off,
        "instructions.comments": judges.comments,
        "instructions.import": judges.imports,
        "instructions.size": judges.size,
    }
)
