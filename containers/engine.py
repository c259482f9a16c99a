"""Finding an engine: Docker or podman, whichever answers first, checked once."""

import os
import socket
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import docker
import requests
from docker.context import ContextAPI
from docker.errors import DockerException

from containers.errors import EngineTooOld, NoEngine

SECONDS = 600
"""How long one request may take: an image is imported in one."""

OLDEST: Mapping[str, tuple[int, int]] = {"docker": (20, 10), "podman": (4, 0)}
"""Docker 20.10 is the first with API 1.41; podman's older compatibility API builds no images."""


class EngineKind(StrEnum):
    """Whose engine it is."""

    DOCKER = "docker"
    PODMAN = "podman"


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that answered: the SDK's client, and what it says of itself."""

    client: docker.DockerClient
    kind: EngineKind
    version: str
    address: str

    def __str__(self) -> str:
        return f"{self.kind} {self.version} at {self.address}"


def addresses(variables: Mapping[str, str], user: int) -> tuple[tuple[str, str], ...]:
    """Where an engine may listen, and who says so: what was set goes before what is usual.

    `variables` is the environment, `user` the numeric user id. A variable that is set is the
    only answer, as it is for Docker's and podman's own commands.
    """
    for name in ("DOCKER_HOST", "CONTAINER_HOST"):
        if variables.get(name):
            return ((variables[name], name),)
    runtime = variables.get("XDG_RUNTIME_DIR") or f"/run/user/{user}"
    usual = (
        "/var/run/docker.sock",
        f"{runtime}/docker.sock",
        f"{runtime}/podman/podman.sock",
        "/run/podman/podman.sock",
    )
    sockets = ((f"unix://{path}", "usual place") for path in usual if _is_socket(Path(path)))
    return (*_context(variables), *sockets)


def _context(variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The address of Docker's current context, unless it is the usual one."""
    name = variables.get("DOCKER_CONTEXT")
    context = ContextAPI.get_context(name) if name else ContextAPI.get_current_context()
    if context.name != "default" and context.Host:
        yield (context.Host, f"Docker context {context.name}")


def _is_socket(path: Path) -> bool:
    try:
        return stat.S_ISSOCK(path.stat().st_mode)
    except OSError:
        return False


@contextmanager
def engine(variables: Mapping[str, str]) -> Iterator[Engine]:
    """The first engine that answers; `NoEngine`, `EngineTooOld`. The client is closed after it."""
    found = find(addresses(variables, os.getuid()))
    try:
        yield found
    finally:
        found.client.close()


def find(places: Iterable[tuple[str, str]]) -> Engine:
    """Of several addresses the first whose engine answers; the caller closes its client."""
    tried: list[str] = []
    for address, source in places:
        try:
            return _ask(address)
        except (DockerException, requests.RequestException, OSError) as error:
            tried.append(f"{address} ({source}): {_reason(error)}")
    raise NoEngine(
        f"no Docker and no podman answers; tried {'; '.join(tried) or 'no place: none is there'}",
        fix="start one (`systemctl start podman.socket`, or `podman system service`), or set"
        " DOCKER_HOST to its socket",
    )


def _ask(address: str) -> Engine:
    _knock(address)
    client = docker.DockerClient(base_url=address, timeout=SECONDS, version="auto")
    try:
        said = client.version()
    except BaseException:
        client.close()
        raise
    kind, version = identify(said)
    if _numbers(version) < OLDEST[kind]:
        client.close()
        oldest = ".".join(map(str, OLDEST[kind]))
        raise EngineTooOld(
            f"{kind} {version} at {address} is older than {oldest}", fix=f"install {kind} {oldest}"
        )
    return Engine(client, kind, version, address)


def _knock(address: str) -> None:
    """`OSError` where nobody listens on a Unix socket: the SDK leaves its own half open there."""
    scheme, _, path = address.partition("://")
    if scheme == "unix":
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(path)


def identify(said: Mapping[str, object]) -> tuple[EngineKind, str]:
    """Whose engine it is and its version, from the answer to `GET /version`."""
    components = said.get("Components")
    named = {
        str(one.get("Name")): str(one.get("Version"))
        for one in (components if isinstance(components, list) else [])
        if isinstance(one, dict)
    }
    if "Podman Engine" in named:
        return EngineKind.PODMAN, named["Podman Engine"]
    return EngineKind.DOCKER, str(said.get("Version", ""))


def _numbers(version: str) -> tuple[int, ...]:
    words = version.split("-", maxsplit=1)[0].split(".")[:2]
    return tuple(int(word) for word in words if word.isdigit())


def _reason(error: Exception) -> str:
    """The innermost cause: the SDK and its libraries wrap it several times."""
    while error.__cause__ or error.__context__:
        inner = error.__cause__ or error.__context__
        if not isinstance(inner, Exception):
            break
        error = inner
    return str(error) or type(error).__name__
