"""Images of our own, labelled with the digest of what they were made of: made once, found again."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import docker
import requests
from docker.errors import BuildError, DockerException, ImageNotFound

from containers import base
from containers.engine import Engine
from containers.errors import EngineFailed, NoBaseImage

OURS = "imprint.recipe"
"""The label of every image and container that this project makes."""

BASE = "imprint-base"
PROBE = "imprint-probe"

_ID = re.compile(r"\b[0-9a-f]{64}\b")

_RECIPE = Path(__file__).parent / "probe"


def probe_image(engine: Engine, variables: Mapping[str, str], base_image: str = "") -> str:
    """The id of the image that probes run in, made where it is missing.

    `base_image` names one of a registry (or of the engine); without it one is made of Debian's
    packages. `NoBaseImage`, `EngineFailed`.
    """
    wanted = base_image or debian_image(engine, variables)
    recipe = digest(
        wanted, *(path.read_text(encoding="utf-8") for path in sorted(_RECIPE.iterdir()))
    )
    return _found(engine, PROBE, recipe) or _build(engine, wanted, recipe)


def debian_image(engine: Engine, variables: Mapping[str, str]) -> str:
    """The id of the base image out of Debian's packages."""
    recipe = digest(base.SUITE, *base.PACKAGES)
    found = _found(engine, BASE, recipe)
    if found:
        return found
    with base.debian_root(variables) as archive:
        try:
            said = engine.client.api.import_image(
                src=archive.name, repository=BASE, changes=[f'LABEL {OURS}="{recipe}"']
            )
            # podman's answer to the same request gives no heed to a tag, and puts its own
            # registry before the name.
            engine.client.images.get(_imported(said)).tag(BASE, recipe)
        except (DockerException, requests.RequestException) as error:
            raise EngineFailed(f"the base image can't be imported: {error}") from error
    found = _found(engine, BASE, recipe)
    if found is None:
        raise EngineFailed(f"{engine} imported the base image, and does not have it")
    return found


def _imported(said: str) -> str:
    """The id in the engine's report of an import."""
    found = _ID.findall(said)
    if not found:
        raise EngineFailed(f"the engine imported an image and did not say which: {said[-200:]}")
    return f"sha256:{found[-1]}"


def digest(*texts: str) -> str:
    """16 hexadecimal digits that change with any of the texts."""
    return hashlib.sha256("\0".join(texts).encode("utf-8")).hexdigest()[:16]


def _found(engine: Engine, name: str, recipe: str) -> str | None:
    try:
        image = engine.client.images.get(f"{name}:{recipe}")
    except ImageNotFound:
        return None
    return image.id


def _build(engine: Engine, base_image: str, recipe: str) -> str:
    """Build steps may reach package mirrors; what runs later has no network."""
    _pull(engine, base_image)
    try:
        engine.client.images.build(
            path=str(_RECIPE),
            dockerfile="Containerfile",
            tag=f"{PROBE}:{recipe}",
            buildargs={"BASE": base_image},
            labels={OURS: recipe},
            network_mode="host",
            rm=True,
            forcerm=True,
        )
    except BuildError as error:
        said = " ".join(str(line.get("stream", "")).strip() for line in error.build_log)[-500:]
        raise EngineFailed(f"the probes' image can't be built: {error.msg}: {said}") from error
    except (DockerException, requests.RequestException) as error:
        raise EngineFailed(f"the probes' image can't be built: {error}") from error
    found = _found(engine, PROBE, recipe)
    if found is None:
        raise EngineFailed(f"{engine} built the probes' image, and does not have it")
    return found


def _pull(engine: Engine, image: str) -> None:
    try:
        engine.client.images.get(image)
    except ImageNotFound:
        try:
            engine.client.images.pull(image)
        except docker.errors.DockerException as error:
            raise NoBaseImage(
                f"{image} can't be pulled: {error}",
                fix="name an image that the engine has, or leave out --base on Debian",
            ) from error
