"""A podman service of our own: started on a private socket, ended when it is left."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

from containers.engine import find
from containers.errors import EngineFailed, NoEngine

START_SECONDS = 30
END_SECONDS = 20

# crun and the systemd cgroup manager want more than a bare virtual machine gives; limits above
# the caller's own are refused there too. `netns` programs are not needed: nothing has a network.
CONFIGURATION = """\
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""


@contextmanager
def podman_service(variables: Mapping[str, str]) -> Iterator[str]:
    """Start `podman system service`; the value is its address. `NoEngine`, `EngineFailed`."""
    podman = shutil.which("podman", path=variables.get("PATH"))
    if podman is None:
        raise NoEngine("podman is not on PATH", fix="apt-get install podman runc")
    with tempfile.TemporaryDirectory(prefix="imprint-podman-") as folder:
        configuration = Path(folder) / "containers.conf"
        configuration.write_text(CONFIGURATION, encoding="utf-8")
        address = f"unix://{folder}/podman.sock"
        log = Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [podman, "system", "service", "--time=0", address],
                env={**variables, "CONTAINERS_CONF": str(configuration)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        try:
            _wait(address, process, log)
            yield address
        finally:
            _end(process)


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until the service answers."""
    attempts = Retrying(
        stop=stop_after_delay(START_SECONDS),
        wait=wait_fixed(0.1),
        retry=retry_if_exception_type(NoEngine),
        reraise=True,
    )
    for attempt in attempts:
        with attempt:
            if process.poll() is not None:
                said = log.read_text(encoding="utf-8", errors="replace")[-500:].strip()
                raise EngineFailed(f"podman's service ended at once: {said}")
            find([(address, "our own service")]).client.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """The service and what it started in its session; containers were removed by their owners."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
