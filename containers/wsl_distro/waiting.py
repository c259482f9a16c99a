"""Waiting for a side that a container plays."""

from pathlib import Path

from docker.models.containers import Container
from tenacity import Retrying, retry_if_result, stop_after_delay, wait_fixed

from containers.errors import ContainerFailed

START_SECONDS = 60


def wait_for(socket: Path, side: Container) -> None:
    """Until it listens; `ContainerFailed` with its last words."""
    attempts = Retrying(
        stop=stop_after_delay(START_SECONDS),
        wait=wait_fixed(0.1),
        retry=retry_if_result(lambda is_there: not is_there),
        retry_error_callback=lambda _: False,
    )
    if not attempts(socket.exists):
        said = side.logs().decode("utf-8", errors="replace")[-500:]
        raise ContainerFailed(f"{socket.name} of the stand-in did not come up: {said}")
