"""Containers that are removed on every path, half-started ones too."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
from docker.errors import DockerException, NotFound
from docker.models.containers import Container

from containers.engine import Engine
from containers.errors import ContainerFailed, EngineFailed
from containers.images import OURS

OWNER = "imprint.owner"
"""The label with the process id of who made a container, so that what a killed owner left behind
is known and removed."""

USER = "1000:1000"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a container may use: bytes of memory, processes, bytes of its temporary folder."""

    memory: str = "4g"
    processes: int = 800
    temporary: str = "2g"


@dataclass(frozen=True, slots=True)
class Order:
    """What to run: no network, a read-only root, no privileges, one temporary folder.

    `mounts` (host folder -> its place) are read-only, `writable` are not.
    """

    image: str
    command: Sequence[str]
    mounts: Mapping[Path, str] = field(default_factory=dict)
    writable: Mapping[Path, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    workdir: str = "/tmp"
    limits: Limits = field(default_factory=Limits)


@contextmanager
def started(engine: Engine, order: Order) -> Iterator[Container]:
    """The container, running; it is gone afterwards. `EngineFailed`."""
    sweep(engine)
    try:
        container = engine.client.containers.create(order.image, **_options(order))
    except (DockerException, requests.RequestException) as error:
        raise EngineFailed(f"no container can be made of {order.image}: {error}") from error
    try:
        try:
            container.start()
        except (DockerException, requests.RequestException) as error:
            raise EngineFailed(f"a container can't be started: {error}") from error
        yield container
    finally:
        _remove(container)


def _options(order: Order) -> dict[str, Any]:
    binds = {
        **{str(path): {"bind": place, "mode": "ro"} for path, place in order.mounts.items()},
        **{str(path): {"bind": place, "mode": "rw"} for path, place in order.writable.items()},
    }
    # A temporary folder on a home comes up as root's: HOME lies below /tmp, which everybody owns.
    temporary = f"rw,exec,nosuid,nodev,mode=1777,size={order.limits.temporary}"
    return {
        "command": list(order.command),
        "labels": {OURS: "run", OWNER: str(os.getpid())},
        "environment": {"HOME": "/tmp/home", "LANG": "C.UTF-8", **order.environment},
        "volumes": binds,
        "working_dir": order.workdir,
        "user": USER,
        "network_mode": "none",
        "read_only": True,
        "tmpfs": {"/tmp": temporary},
        "mem_limit": order.limits.memory,
        "pids_limit": order.limits.processes,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "init": False,
    }


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended; streams as bytes."""

    exit_code: int
    stdout: bytes
    stderr: bytes


def run(engine: Engine, order: Order, seconds: float) -> Ended:
    """Run to its end; `ContainerFailed` when that takes longer than `seconds`."""
    with started(engine, order) as container:
        try:
            code = container.wait(timeout=seconds)["StatusCode"]
        except requests.RequestException as error:
            raise ContainerFailed(f"a container did not end in {seconds:.0f} s") from error
        out = container.logs(stdout=True, stderr=False)
        err = container.logs(stdout=False, stderr=True)
        return Ended(int(code), bytes(out), bytes(err))


def run_in(container: Container, command: Sequence[str], environment: Mapping[str, str]) -> Ended:
    """Run a command in a container that runs, to its end; `EngineFailed`."""
    try:
        code, (out, err) = container.exec_run(
            list(command), environment=dict(environment), demux=True
        )
    except (DockerException, requests.RequestException) as error:
        raise EngineFailed(f"a command can't be run in {container.name}: {error}") from error
    return Ended(int(code or 0), bytes(out or b""), bytes(err or b""))


def sweep(engine: Engine) -> tuple[str, ...]:
    """Remove containers of ours whose owner has ended; their names."""
    gone: list[str] = []
    with suppress(DockerException, requests.RequestException):
        for one in engine.client.containers.list(all=True, filters={"label": f"{OURS}=run"}):
            owner = one.labels.get(OWNER, "")
            if owner.isdigit() and not _is_running(int(owner)):
                _remove(one)
                gone.append(str(one.name))
    return tuple(gone)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _remove(container: Container) -> None:
    try:
        container.remove(force=True, v=True)
    except NotFound:
        return
    except (DockerException, requests.RequestException) as error:
        raise EngineFailed(f"container {container.name} can't be removed: {error}") from error
