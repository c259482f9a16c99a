"""Claims, observations, inference, decisions about Copilot releases: no process, no network.

Names are imported when they are asked for (`imprint.base.lazy`).
"""

from typing import TYPE_CHECKING

from imprint.base.lazy import names_of

if TYPE_CHECKING:
    from imprint.compat.answers import Answer, Local, answer
    from imprint.compat.attempts import Attempt, row_of
    from imprint.compat.catalogue import Catalogue
    from imprint.compat.claim import Claim, Kind, Tier
    from imprint.compat.decide import Asked, Code, Decision, decide_for
    from imprint.compat.evidence import Basis, Evidence, Reason
    from imprint.compat.loader import (
        load_catalogue,
        load_observations,
        load_releases,
        shipped_catalogue,
    )
    from imprint.compat.matrix import History, Matrix, Span, Unjudged, UnreadableMatrix
    from imprint.compat.observation import Controls, Observations, Outcome, Row, Run
    from imprint.compat.release import Offered, Package, Packaging, Release, ReleaseList
    from imprint.compat.shipped import data_folder, load_matrix, shipped_matrix
    from imprint.compat.values import Question, Value

__all__ = [
    "Answer",
    "Asked",
    "Attempt",
    "Basis",
    "Catalogue",
    "Claim",
    "Code",
    "Controls",
    "Decision",
    "Evidence",
    "History",
    "Kind",
    "Local",
    "Matrix",
    "Observations",
    "Offered",
    "Outcome",
    "Package",
    "Packaging",
    "Question",
    "Reason",
    "Release",
    "ReleaseList",
    "Row",
    "Run",
    "Span",
    "Tier",
    "Unjudged",
    "UnreadableMatrix",
    "Value",
    "answer",
    "data_folder",
    "decide_for",
    "load_catalogue",
    "load_matrix",
    "load_observations",
    "load_releases",
    "row_of",
    "shipped_catalogue",
    "shipped_matrix",
]

_MODULES = {
    "answers": ("Answer", "Local", "answer"),
    "attempts": ("Attempt", "row_of"),
    "catalogue": ("Catalogue",),
    "claim": ("Claim", "Kind", "Tier"),
    "decide": ("Asked", "Code", "Decision", "decide_for"),
    "evidence": ("Basis", "Evidence", "Reason"),
    "loader": ("load_catalogue", "load_observations", "load_releases", "shipped_catalogue"),
    "matrix": ("History", "Matrix", "Span", "Unjudged", "UnreadableMatrix"),
    "observation": ("Controls", "Observations", "Outcome", "Row", "Run"),
    "release": ("Offered", "Package", "Packaging", "Release", "ReleaseList"),
    "shipped": ("data_folder", "load_matrix", "shipped_matrix"),
    "values": ("Question", "Value"),
}

__getattr__ = names_of(__name__, _MODULES)
