"""The files that are derived from the others, as bytes: a test compares, a maintainer writes."""

from importlib.resources.abc import Traversable
from typing import Final

import msgspec

from imprint.compat.claim import ClaimFile
from imprint.compat.inference import build_matrix
from imprint.compat.loader import load_catalogue, load_observations, load_releases
from imprint.compat.matrix import Matrix
from imprint.compat.observation import Observations
from imprint.compat.release import ReleaseList
from imprint.compat.rendering import render
from imprint.compat.report.published import Published
from imprint.compat.shipped import MATRIX, PROGRAM, RULES

__all__ = ["derived_files", "render", "render_matrix", "schema_files"]

_SCHEMAS: Final[dict[str, type[msgspec.Struct]]] = {
    "claims": ClaimFile,
    "releases": ReleaseList,
    "observations": Observations,
    "matrix": Matrix,
    "report": Published,
}

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def derived_files(folder: Traversable) -> dict[str, bytes]:
    """Matrix, rules and JSON Schemas by their path below the data folder."""
    return {MATRIX: render_matrix(folder), RULES: render_rules(folder), **schema_files()}


def render_rules(folder: Traversable) -> bytes:
    """The claims that decisions hang on: what a command may not wait for TOML to be read for."""
    claims = load_catalogue(folder).claims.values()
    return render([claim for claim in claims if claim.rules])


def render_matrix(folder: Traversable) -> bytes:
    """The matrix of the observations in `folder`."""
    observations = load_observations(folder, load_catalogue(folder))
    line = load_releases(folder).line()
    return render(build_matrix(PROGRAM, line, observations))


def schema_files() -> dict[str, bytes]:
    """The JSON Schema of each kind of file, out of the types that read it."""
    return {f"schema/{name}.json": render(_schema(kind)) for name, kind in _SCHEMAS.items()}


def _schema(kind: type[msgspec.Struct]) -> dict[str, object]:
    return {"$schema": _DRAFT, **msgspec.json.schema(kind)}
