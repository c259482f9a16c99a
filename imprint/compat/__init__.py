"""Claims, observations, inference, decisions about Copilot releases: no process, no network."""

from imprint.compat.answers import Answer, Local, answer
from imprint.compat.attempts import Attempt, row_of
from imprint.compat.catalogue import Catalogue
from imprint.compat.claim import Claim, Kind, Tier
from imprint.compat.decide import Asked, Code, Decision, decide, decide_for
from imprint.compat.evidence import Basis, Evidence, Reason
from imprint.compat.loader import (
    data_folder,
    load_catalogue,
    load_matrix,
    load_observations,
    load_releases,
    shipped_catalogue,
    shipped_matrix,
)
from imprint.compat.matrix import History, Matrix, Span, Unjudged, UnreadableMatrix
from imprint.compat.observation import Controls, Observations, Outcome, Row, Run
from imprint.compat.release import Offered, Package, Packaging, Release, ReleaseList
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
    "decide",
    "decide_for",
    "load_catalogue",
    "load_matrix",
    "load_observations",
    "load_releases",
    "row_of",
    "shipped_catalogue",
    "shipped_matrix",
]
